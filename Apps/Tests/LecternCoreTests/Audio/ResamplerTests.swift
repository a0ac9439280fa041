import Foundation
import HablareTestKit
import Testing

@testable import LecternCore

@Suite struct ResamplerTests {
    private func tone(_ frequency: Double, rate: Int, count: Int) -> [Float] {
        (0..<count).map { Float(0.5 * sin(2 * .pi * frequency * Double($0) / Double(rate))) }
    }

    @Test(arguments: [22_050, 16_000, 44_100, 48_000, 8_000, 11_025])
    func `A tone keeps its pitch, its place and its loudness`(rate: Int) {
        var resampler = Resampler(from: rate, to: 24_000)
        let output = resampler.convert(tone(1_000, rate: rate, count: rate)) + resampler.finish()
        #expect(output.count == 24_000)
        let expected = tone(1_000, rate: 24_000, count: 24_000)
        let worst = zip(output, expected)[in: 1_000..<23_000].map { abs($0 - $1) }.max() ?? 1
        #expect(worst < 0.003)
    }

    @Test func `Frequencies above half the lower rate are removed`() {
        var resampler = Resampler(from: 48_000, to: 24_000)
        let output = resampler.convert(tone(14_000, rate: 48_000, count: 48_000)) + resampler.finish()
        #expect((output[1_000..<23_000].map { abs($0) }.max() ?? 1) < 0.003)
    }

    @Test(arguments: Seeds.choose(20))
    func `Pieces of any size give the same samples as the whole`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let rate = [22_050, 16_000, 44_100, 24_000].randomElement(using: &generator) ?? 22_050
        let input = (0..<Int.random(in: 1...5_000, using: &generator)).map { _ in
            Float.random(in: -1...1, using: &generator)
        }
        var whole = Resampler(from: rate, to: 24_000)
        let expected = whole.convert(input) + whole.finish()
        var pieces = Resampler(from: rate, to: 24_000)
        var output: [Float] = []
        var rest = input[...]
        while !rest.isEmpty {
            let count = Int.random(in: 1...min(700, rest.count), using: &generator)
            output += pieces.convert(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        output += pieces.finish()
        #expect(output == expected, "seed \(seed)")
    }
}

extension Zip2Sequence {
    fileprivate subscript(in range: Range<Int>) -> ArraySlice<Element> { Array(self)[range] }
}
