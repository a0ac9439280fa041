import Foundation
import HablareTestKit
import Testing

@testable import HablareProviders

@Suite struct ByteSearchTests {
    private func isFound(_ pattern: String, in text: String) -> Bool {
        Array(text.utf8).withUnsafeBytes(ByteSearch(for: Array(pattern.utf8)).isFound)
    }

    @Test func `It finds at the beginning, at the end and in the middle, and nothing where nothing is`() {
        for text in ["abc", "abcx", "xabc", "xabcx", "ababc", "aabc", "abxabc"] { #expect(isFound("abc", in: text)) }
        for text in ["", "a", "ab", "abxc", "bca", "acb", "ABC"] { #expect(!isFound("abc", in: text)) }
        #expect(isFound("a", in: "a"))
        #expect(!isFound("a", in: "b"))
        #expect(!isFound("", in: "a"))
    }

    @Test("Random bytes have a pattern where Foundation says so", arguments: Seeds.choose(50))
    func random(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        func text(_ count: ClosedRange<Int>) -> String {
            (0..<Int.random(in: count, using: &random))
                .map { _ in ["a", "b", "-"].randomElement(using: &random) ?? "" }.joined()
        }
        for _ in 0..<100 {
            let pattern = text(1...6)
            let content = text(0...40)
            let isThere = Data(content.utf8).range(of: Data(pattern.utf8)) != nil
            #expect(isFound(pattern, in: content) == isThere, "HABLARE_SEED=\(seed), \(pattern) in \(content)")
        }
    }
}
