import Foundation
import HablareTestKit
import Testing

@testable import Hablare
@testable import HablareJSON

@Suite struct JSONWriterTests {
    private static func written(_ value: ParameterValue) throws -> String {
        String(decoding: try JSONWriter.data(of: value), as: UTF8.self)
    }

    @Test(
        arguments: [
            (.null, "null"), (true, "true"), (false, "false"), (0, "0"), (-7, "-7"),
            (.int(.min), "-9223372036854775808"), (.int(.max), "9223372036854775807"), (0.1, "0.1"), (-2.5, "-2.5"),
            (.double(3), "3"), (.double(-0.0), "-0"), (.double(1e300), "1e+300"),
            (.double(.leastNonzeroMagnitude), "5e-324"),
            (.double(0x1p63), "9.223372036854776e+18"), ("", "\"\""), ([], "[]"), ([:], "{}"),
            ([1, [nil], ""], #"[1,[null],""]"#),
            (["b": 1, "a": ["d": [], "c": "x"]], #"{"a":{"c":"x","d":[]},"b":1}"#),
        ] as [(ParameterValue, String)])
    func `Each kind of value is written without spaces`(value: ParameterValue, text: String) throws {
        #expect(try Self.written(value) == text)
    }

    @Test func `Exactly what RFC 8259 requires is escaped`() throws {
        #expect(try Self.written("a\"b\\c/d\u{7F}é😀\u{2028}") == "\"a\\\"b\\\\c/d\u{7F}é😀\u{2028}\"")
        #expect(try Self.written("\u{8}\t\n\u{C}\r") == #""\b\t\n\f\r""#)
        #expect(try Self.written("\r\n") == #""\r\n""#, "one character to Swift")
        #expect(try Self.written("\0\u{1}\u{F}\u{10}\u{1F}") == #""\u0000\u0001\u000f\u0010\u001f""#)
        #expect(try Self.written(["\n\"": 1]) == #"{"\n\"":1}"#)
    }

    @Test func `Members are sorted by the bytes of their names`() throws {
        let members: ParameterValue = ["b": 1, "B": 2, "é": 3, "a": 4, "aa": 5, "": 6, "z": 7]
        #expect(try Self.written(members) == #"{"":6,"B":2,"a":4,"aa":5,"b":1,"z":7,"é":3}"#)
    }

    @Test(arguments: [.infinity, -.infinity, .nan] as [Double])
    func `A number that is not finite is refused at any depth`(number: Double) throws {
        #expect(throws: JSONWriter.Problem.notFinite) { try Self.written([["a": [.double(number)]]]) }
    }

    @Test func `Writing a deeply nested value does not crash`() throws {
        func nested(_ levels: Int) -> ParameterValue { (0..<levels).reduce([]) { value, _ in [value] } }
        #expect(try Self.written(nested(512)).utf8.count == 2 * 513)
        #expect(throws: JSONWriter.Problem.tooDeep) { try Self.written(nested(513)) }
        #expect(throws: AIServiceError.self) { try nested(513).jsonData() }
    }

    /// The keys of jobs on disk are hashes of what Foundation wrote.
    @Test("JSONWriter writes the same bytes as Foundation", arguments: Seeds.choose(50))
    func foundation(seed: UInt64) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let value = RandomJSON.value(depth: 4, using: &random)
            let theirs = String(decoding: try encoder.encode(value), as: UTF8.self)
            #expect(try Self.written(value) == theirs, "seed \(seed)")
        }
    }

    @Test(
        arguments: [
            .double(1e16), .double(-0.0), .double(1e15), .double(123_456_789.125), .double(1e-7), .double(1e22),
            .int(.min),
            "\u{0}\u{7F}\u{1F}/\u{2028}😀\r\n\"\\", ["😀": 1, "\u{FFFD}": 2, "z": 3, "Z": 4, "": 5, "\n": 6],
        ] as [ParameterValue])
    func `Edge cases are written like Foundation does`(value: ParameterValue) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        #expect(try Self.written(value) == String(decoding: try encoder.encode(value), as: UTF8.self))
    }
}
