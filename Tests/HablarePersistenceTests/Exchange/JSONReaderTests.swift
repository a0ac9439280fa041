import Foundation
import HablareTestKit
import Testing

@testable import HablarePersistence

@Suite("The streaming JSON reader") struct JSONReaderTests {
    /// Returns the tokens of a document that arrives in pieces of a given size.
    private func tokens(_ bytes: [UInt8], pieces: Int = 1) throws -> [JSONReader.Token] {
        let rest = Rest(bytes)
        var reader = JSONReader { _ in rest.take(pieces) }
        var tokens: [JSONReader.Token] = []
        while true {
            let token = try reader.next()
            guard token != .end else { return tokens }
            tokens.append(token)
        }
    }

    private func tokens(_ text: String, pieces: Int = 1) throws -> [JSONReader.Token] {
        try tokens(Array(text.utf8), pieces: pieces)
    }

    @Test("The reader returns the same tokens for any size of pieces", arguments: [1, 2, 7, 1_000])
    func pieces(size: Int) throws {
        let text = #" {"a" : [1, -0, 2.5e1, "x\n\u00e9\ud83d\ude00é/", null, true ,false, {}, []] , "b":{"c":""}} "#
        #expect(
            try tokens(text, pieces: size) == [
                .beginObject, .key("a"), .beginArray, .integer(1), .integer(0), .real(25), .string("x\né\u{1F600}é/"),
                .null, .bool(true), .bool(false), .beginObject, .endObject, .beginArray, .endArray, .endArray,
                .key("b"),
                .beginObject, .key("c"), .string(""), .endObject, .endObject,
            ])
    }

    @Test("The reader keeps numbers exactly")
    func numbers() throws {
        #expect(try tokens("[9223372036854775807,-9223372036854775808]")[1...2] == [.integer(.max), .integer(.min)])
        #expect(try tokens("1e5") == [.real(100_000)])
        #expect(try tokens("5e-324") == [.real(.leastNonzeroMagnitude)])
    }

    @Test(
        "The reader refuses invalid JSON",
        arguments: [
            "", " ", "{", "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{1:2}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#,
            "[1}", "]",
            "1 2", "01", "-", "1.", ".5", "1e", "+1", "0x1", "nul", "tru", "Null", "NaN", "\"", #""\"#, #""\x""#,
            #""\u12""#,
            #""\u12g4""#, #""\ud800""#, #""\ud800x""#, #""\ud800\n""#, #""\ud800A""#, #""\udc00""#, "\"\n\"", "'a'",
            "9223372036854775808", "-9223372036854775809", "1e400", "[1]]", "{}{}",
        ])
    func malformed(text: String) {
        let error = #expect(throws: ExchangeError.self) { try tokens(text) }
        #expect(error?.code == .malformed)
        #expect((error?.position?.line ?? 0) > 0)
    }

    @Test("The reader refuses invalid UTF-8, excessive depth and endless numbers")
    func hostile() {
        #expect(throws: ExchangeError.self) { try tokens([0x22, 0xFF, 0x22]) }
        #expect(throws: ExchangeError.self) { try tokens([0x22, 0xC3, 0x22]) }
        #expect(throws: ExchangeError.self) { try tokens(String(repeating: "[", count: 100_000), pieces: 1_000) }
        #expect(throws: ExchangeError.self) { try tokens(String(repeating: "1", count: 100_000), pieces: 1_000) }
    }

    @Test("The reader reports the line of an error")
    func line() {
        let error = #expect(throws: ExchangeError.self) { try tokens("[1,\n2,\n\n x]") }
        #expect(error?.position?.line == 4)
    }

    @Test("A written string is read back unchanged", arguments: Seeds.choose(5))
    func strings(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...10, using: &random) {
                let range: ClosedRange<UInt32> =
                    [0...0x7F, 0x80...0x7FF, 0x2028...0x2029, 0x1F600...0x1F64F].randomElement(using: &random) ?? 0...0
                if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random)) { text.append(scalar) }
            }
            let string = String(text)
            let written = TableDocument.quoted(string)
            #expect(try tokens(written, pieces: 3) == [.string(string)], "HABLARE_SEED=\(seed)")
            let theirs = try JSONDecoder().decode([String].self, from: Data("[\(written)]".utf8))
            #expect(theirs == [string], "HABLARE_SEED=\(seed)")
        }
    }

    @Test("The reader never traps on a corrupted document", arguments: Seeds.choose(5))
    func changed(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let text = Array(#"{"a":[1,-2.5e3,"x\u00e9\n",null,{"base64":"AA=="}],"b":[]}"#.utf8)
        let others = Array("{}[]\",:\\u0e-.1 ntf\n".utf8)
        for _ in 0..<500 {
            var bytes = text
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = others.randomElement(using: &random) ?? 0
            }
            do {
                _ = try tokens(bytes, pieces: 5)
            } catch {
                #expect((error as? ExchangeError)?.code == .malformed, "HABLARE_SEED=\(seed): \(error)")
            }
        }
    }

    /// Bytes that are taken in pieces.
    private final class Rest {
        private var bytes: ArraySlice<UInt8>

        init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

        func take(_ count: Int) -> Data? {
            defer { bytes = bytes.dropFirst(count) }
            return Data(bytes.prefix(count))
        }
    }
}
