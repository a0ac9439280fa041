import Foundation
import HablareTestKit
import Testing

@testable import HablareProviders

@Suite struct EventStreamCutTests {
    @Test("A stream is parsed the same if it is cut at any two places or into bytes", arguments: EventStreamCase.all)
    func cut(stream: EventStreamCase) {
        let bytes = stream.stream
        let whole = StreamOutcome(of: [bytes])
        #expect(StreamOutcome(of: bytes.map { Data([$0]) }) == whole)
        for first in 0...bytes.count {
            // In the longer streams every seventh second cut: enough of them are near the first.
            for second in stride(from: first, through: bytes.count, by: bytes.count > 100 ? 7 : 1) {
                let pieces = [bytes[..<first], bytes[first..<second], bytes[second...]]
                let outcome = StreamOutcome(of: pieces)
                if outcome != whole {
                    Issue.record("cut at \(first) and \(second): \(outcome)")
                    return
                }
            }
        }
    }

    @Test("Random streams with random cuts are parsed as the model parses them", arguments: Seeds.choose(100))
    func random(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let stream = Self.stream(using: &random)
            let line = Bool.random(using: &random) ? 1 << 20 : Int.random(in: 0...30, using: &random)
            let event = Bool.random(using: &random) ? 1 << 20 : Int.random(in: 0...30, using: &random)
            let model = EventStreamModel(maximumLineBytes: line, maximumEventBytes: event).outcome(of: stream)
            for pieces in [
                [stream], Self.cut(stream, upTo: 4, using: &random), Self.cut(stream, upTo: 40, using: &random),
            ] {
                let outcome = StreamOutcome(of: pieces, maximumLineBytes: line, maximumEventBytes: event)
                #expect(
                    outcome == model,
                    "HABLARE_SEED=\(seed), limits \(line) and \(event), \(pieces.map { Array($0) })")
            }
        }
    }

    @Test("Lines of about the kept size are parsed as the model parses them", arguments: Seeds.choose(60))
    func long(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let kept = UnfinishedLine.keptBytes
        let beginnings = [
            "data: ", "data:", "data:  ", ": ", "unknown: ", "unknown", "id: ", "event:", "retry: ", "\u{FEFF}data: ",
        ]
        for _ in 0..<2 {
            var stream = Data()
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                stream.append(contentsOf: (beginnings.randomElement(using: &random) ?? "").utf8)
                let count = [kept, kept - 6, 2 * kept, 5 * kept].randomElement(using: &random) ?? kept
                stream.append(contentsOf: repeatElement(0x31, count: count + Int.random(in: -9...9, using: &random)))
                stream.append(
                    contentsOf: ["\n", "\n\n", "\r\n", "\r\r\n", "\n: c\n"].randomElement(using: &random)?.utf8
                        ?? "".utf8)
            }
            stream.append(contentsOf: ["", "\n", "data: x\n\n"].randomElement(using: &random)?.utf8 ?? "".utf8)
            let limits = [1 << 20, kept, 2 * kept, kept / 2, 3 * kept]
            let line = (limits.randomElement(using: &random) ?? kept) + Int.random(in: -9...9, using: &random)
            let event = (limits.randomElement(using: &random) ?? kept) + Int.random(in: -9...9, using: &random)
            let model = EventStreamModel(maximumLineBytes: line, maximumEventBytes: event).outcome(of: stream)
            for longest in [stream.count, 30_000, 3000] {
                let pieces = Self.cut(stream, upTo: longest, using: &random)
                let outcome = StreamOutcome(of: pieces, maximumLineBytes: line, maximumEventBytes: event)
                // The outcome is too long to be shown.
                let isSame = outcome == model
                #expect(isSame, "HABLARE_SEED=\(seed), limits \(line) and \(event), pieces of \(pieces.map(\.count))")
            }
        }
    }

    private static func stream(using random: inout SeededGenerator) -> Data {
        let words = [
            "data", "data:", "data: ", "event: ", "event", "id: ", "id", "retry: ", "1", "23", ":", " ", "x", "yz", "é",
            "\n", "\n", "\n\n", "\r", "\r\n", "\r\r", "\0", "\u{FEFF}", "\t", "a longer text, of more than 15 bytes",
        ]
        var stream = Data()
        if Int.random(in: 0..<4, using: &random) == 0 {
            stream.append(contentsOf: "\u{FEFF}".utf8.prefix(Int.random(in: 1...3, using: &random)))
        }
        for _ in 0..<Int.random(in: 0...40, using: &random) {
            stream.append(contentsOf: (words.randomElement(using: &random) ?? "").utf8)
        }
        return stream
    }

    private static func cut(_ stream: Data, upTo longest: Int, using random: inout SeededGenerator) -> [Data] {
        var pieces: [Data] = []
        var rest = stream[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 0...max(1, longest), using: &random))
            pieces.append(piece)
            rest = rest.dropFirst(piece.count)
        }
        return pieces
    }
}
