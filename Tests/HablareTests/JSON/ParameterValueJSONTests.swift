import Foundation
import HablareTestKit
import Testing

@testable import Hablare
@testable import HablareJSON
@testable import HablareStructured

/// Replies of services are read by the same rules as the output of models.
@Suite struct ParameterValueJSONTests {
    private static func read(_ text: String) -> ParameterValue? { ParameterValue(json: Data(text.utf8)) }

    @Test(
        "Numbers without a fraction are integers in any notation",
        arguments: [
            ("1", 1), ("1.0", 1), ("1e3", 1000), ("-0.0", 0), ("-0", 0), ("1.5", 1.5), ("1E-1", 0.1), ("100e-2", 1),
            ("9007199254740993", .int(9_007_199_254_740_993)), ("9223372036854775807", .int(.max)),
            ("-9223372036854775808", .int(.min)), ("9223372036854775808", .double(0x1p63)), ("1e300", 1e300),
            ("[1.0,{\"a\":2.0}]", [1, ["a": 2]]),
        ] as [(String, ParameterValue)])
    func numbers(text: String, value: ParameterValue) throws {
        #expect(Self.read(text) == value)
        #expect(try JSONDecoder().decode(ParameterValue.self, from: Data(text.utf8)) == value, "as Codable does")
    }

    @Test(
        "ParameterValue refuses the same JSON as JSONReader",
        arguments: [
            "", "{", "[1,]", "1 2", "nan", #"{"a":1,"a":2}"#, #"{"a":{"b":1,"b":1}}"#, #"{"\u00e9":1,"e\u0301":2}"#,
            String(repeating: "[", count: 65) + String(repeating: "]", count: 65),
        ])
    func refusals(text: String) {
        #expect(Self.read(text) == nil)
    }

    @Test("Encodings other than UTF-8 and invalid bytes are refused, and a byte order mark is accepted")
    func encodings() throws {
        #expect(ParameterValue(json: try #require("[1]".data(using: .utf16))) == nil)
        #expect(ParameterValue(json: Data([UInt8(ascii: "\""), 0xFF, UInt8(ascii: "\"")])) == nil)
        #expect(Self.read("\u{FEFF}[1]") == [1])
    }

    @Test("A written value is read back unchanged", arguments: Seeds.choose(50))
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let value = RandomJSON.value(depth: 4, using: &random)
            let read = try #require(ParameterValue(json: try value.jsonData()))
            let normal = try #require(value.normalized())
            #expect(ExactValue(read) == ExactValue(normal), "seed \(seed)")
        }
    }

    @Test("ExactValue compares texts by their scalars and ignores the order of members")
    func exactly() throws {
        func exact(_ text: String) throws -> ExactValue { ExactValue(try #require(Self.read(text))) }
        let same = [#"{"a":1,"\u00e9":["x"]}"#, #"{"\u00e9":["x"],"a":1}"#]
        #expect(Set(try same.map(exact)).count == 1)
        let different = [
            #"{"a":1,"\u00e9":["x"]}"#, #"{"a":1,"e\u0301":["x"]}"#, #"{"a":1,"\u00e9":["y"]}"#, #"{"a":1}"#, "[]",
            "{}",
            "null", "\"\"", #""\u00e9""#, #""e\u0301""#, #"["\u00e9"]"#, #"["e\u0301"]"#, "[[]]", "[null]", "0",
            "false",
        ]
        #expect(Set(try different.map(exact)).count == different.count)
    }

    @Test("Thousands of canonically equivalent texts have different hashes")
    func hashes() {
        // Swift holds all of them for equal: each letter is in one of its two forms.
        let texts = (0..<4096).map { number in
            ExactText((0..<12).map { number >> $0 & 1 == 0 ? "\u{E9}" : "e\u{301}" }.joined())
        }
        #expect(Set(texts).count == 4096 && Set(texts.map(\.hashValue)).count > 4000)
    }
}
