import Foundation
import HablareTestKit
import Testing

@testable import HablareProviders

@Suite struct JSONLinesReaderTests {
    private struct Outcome: Hashable {
        var lines: [String] = []
        var fault: JSONLinesFault?
    }

    private static func outcome(
        of pieces: [Data], limit: Int = JSONLinesReader.defaultMaximumLineBytes
    ) -> Outcome {
        var reader = JSONLinesReader(maximumLineBytes: limit)
        var lines: [Data] = []
        var outcome = Outcome()
        do throws(JSONLinesFault) {
            for piece in pieces { try reader.read(piece, into: &lines) }
            if let last = try reader.finish() { lines.append(last) }
        } catch {
            outcome.fault = error
        }
        outcome.lines = lines.map { String(decoding: $0, as: UTF8.self) }
        return outcome
    }

    @Test(
        arguments: [
            ("", []), ("\n", []), ("{}\n", ["{}"]), ("{}", ["{}"]),
            ("{\"a\":1}\n{\"b\":2}\n", ["{\"a\":1}", "{\"b\":2}"]),
            ("1\n2", ["1", "2"]), ("1\r\n2\r\n", ["1", "2"]), ("1\r\n\r\n2\r", ["1", "2"]),
            ("\n\n1\n\n\n2\n\n", ["1", "2"]),
            ("1\n \t\r\n2\n  ", ["1", "2"]), ("[1,\r2]\n", ["[1,\r2]"]), ("1\r\r\n", ["1\r"]), (" 1 \n", [" 1 "]),
            ("\"é\u{2028}\"\n\"\u{85}\"\n", ["\"é\u{2028}\"", "\"\u{85}\""]),
            (
                "\"a line of more than fourteen bytes\"\n\"and one\"",
                ["\"a line of more than fourteen bytes\"", "\"and one\""]
            ),
        ] as [(String, [String])])
    func `Cut at any two places, or into bytes, the lines are the same`(text: String, lines: [String]) {
        let bytes = Data(text.utf8)
        #expect(Self.outcome(of: bytes.map { Data([$0]) }) == Outcome(lines: lines))
        for first in 0...bytes.count {
            for second in first...bytes.count {
                let pieces = [bytes[..<first], bytes[first..<second], bytes[second...]]
                #expect(Self.outcome(of: pieces) == Outcome(lines: lines), "cut at \(first) and \(second)")
            }
        }
    }

    @Test(arguments: ["12345\n", "12345\r\n", "12345", "12345\r", "1\n12345\r\n"])
    func `A line may have as many bytes as its limit, its end not counted`(text: String) {
        for pieces in [[Data(text.utf8)], text.utf8.map { Data([$0]) }] {
            #expect(Self.outcome(of: pieces, limit: 5).lines.last == "12345")
            #expect(Self.outcome(of: pieces, limit: 5).fault == nil)
            #expect(Self.outcome(of: pieces, limit: 4).fault == .lineTooLong(limit: 4))
        }
    }

    @Test(arguments: ["1234567", "123456", "12345\r\r\n", "12345\r6\n", "      \n", "12345\r\r"])
    func `One byte more is too long`(text: String) {
        for pieces in [[Data(text.utf8)], text.utf8.map { Data([$0]) }] {
            #expect(Self.outcome(of: pieces, limit: 5) == Outcome(lines: [], fault: .lineTooLong(limit: 5)))
        }
    }

    @Test func `After a fault nothing more is read, and the lines before it are there`() {
        var reader = JSONLinesReader(maximumLineBytes: 3)
        var lines: [Data] = []
        #expect(throws: JSONLinesFault.lineTooLong(limit: 3)) {
            try reader.read(Data("1\n1234\n2\n".utf8), into: &lines)
        }
        #expect(throws: JSONLinesFault.lineTooLong(limit: 3)) { try reader.read(Data("3\n".utf8), into: &lines) }
        #expect(throws: JSONLinesFault.lineTooLong(limit: 3)) { try reader.finish() }
        #expect(lines == [Data("1".utf8)])
    }

    @Test func `After the end a reader is as new`() throws {
        var reader = JSONLinesReader()
        var lines: [Data] = []
        try reader.read(Data("1\n2".utf8), into: &lines)
        #expect(try reader.finish() == Data("2".utf8))
        #expect(try reader.finish() == nil)
        try reader.read(Data("3\n".utf8), into: &lines)
        #expect(lines == [Data("1".utf8), Data("3".utf8)])
    }

    @Test func `A line is no part of the piece, which need not begin at zero`() throws {
        var reader = JSONLinesReader()
        var lines: [Data] = []
        try reader.read(
            Data("xxxx\"a line of more than fourteen bytes\"\nxx".utf8).dropFirst(4).dropLast(2), into: &lines)
        #expect(lines == [Data("\"a line of more than fourteen bytes\"".utf8)])
        #expect(lines.first?.startIndex == 0)
    }

    @Test("Random lines with random cuts are read as the model reads them", arguments: Seeds.choose(100))
    func random(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<30 {
            let words = ["{}", "1", " ", "\t", "\r", "\n", "\n", "\r\n", "é", "\"a text of more than 14 bytes\""]
            let text = (0..<Int.random(in: 0...30, using: &random))
                .map { _ in words.randomElement(using: &random) ?? "" }.joined()
            let limit = Bool.random(using: &random) ? 1000 : Int.random(in: -1...12, using: &random)
            let model = Self.model(text, limit: max(0, limit))
            var pieces: [Data] = []
            var rest = Data(text.utf8)[...]
            while !rest.isEmpty {
                pieces.append(rest.prefix(Int.random(in: 0...9, using: &random)))
                rest = rest.dropFirst(pieces.last?.count ?? 0)
            }
            for pieces in [[Data(text.utf8)], pieces] {
                #expect(
                    Self.outcome(of: pieces, limit: limit) == model,
                    "HABLARE_SEED=\(seed), limit \(limit), \(pieces.map { Array($0) })")
            }
        }
    }

    private static func model(_ text: String, limit: Int) -> Outcome {
        var outcome = Outcome()
        for line in text.utf8.split(separator: 10, omittingEmptySubsequences: false) {
            var line = Array(line)
            if line.last == 13 { line.removeLast() }
            guard line.count <= limit else {
                outcome.fault = .lineTooLong(limit: limit)
                return outcome
            }
            if !line.allSatisfy({ [9, 13, 32].contains($0) }) {
                outcome.lines.append(String(decoding: line, as: UTF8.self))
            }
        }
        return outcome
    }
}
