import Foundation
import HablareTestKit
import Testing

@testable import Hablare
@testable import HablareJSON

/// Decides whether text is JSON and finds the end of a value.
@Suite struct JSONReaderTests {
    private static func read(_ text: String) throws -> ParameterValue { try JSONReader.value(of: Data(text.utf8)) }

    private static func isRefused(_ text: String) -> Bool {
        do {
            _ = try read(text)
            return false
        } catch {
            return true
        }
    }

    @Test(
        "JSONReader reads each kind of value",
        arguments: [
            ("null", .null), (" true\n", true), ("false", false), ("0", 0), ("-0", 0), ("-12", -12),
            ("9223372036854775807", .int(.max)), ("9223372036854775808", .double(9_223_372_036_854_775_808)),
            ("1.5", 1.5), ("1e3", 1000.0), ("-2.5E-1", -0.25), ("\"\"", ""),
            (#""a\"\\\/\b\f\n\r\t""#, "a\"\\/\u{8}\u{C}\n\r\t"),
            (#""\u00e9\ud83d\ude00""#, "é😀"), ("\"é😀\"", "é😀"), ("[]", []), ("[1, [2] ,3]", [1, [2], 3]),
            ("{}", [:]), (#"{"a":{"b":null}, "c" : 1}"#, ["a": ["b": nil], "c": 1]),
            ("\u{FEFF}1", 1),
        ] as [(String, ParameterValue)])
    func values(text: String, value: ParameterValue) throws {
        let read = try Self.read(text)
        #expect(read == value)
    }

    @Test(
        "JSONReader refuses invalid JSON",
        arguments: [
            "", " ", "nul", "tru e", "01", "-", "1.", ".5", "1e", "+1", "1 2", "[1,]", "[1 2]", "[", "{", "{\"a\"}",
            "{a:1}",
            "{\"a\":1,}", "{'a':1}", "\"", "\"\n\"", #""\x""#, #""\u12g4""#, #""\ud800""#, #""\udc00\ud800""#,
            #""\ud800a""#,
            "1e999", #"{"a":1,"a":1}"#, "NaN", "Infinity", "// 1\n1", "]", "}",
        ])
    func refusals(text: String) {
        #expect(Self.isRefused(text))
    }

    @Test("JSONReader refuses invalid UTF-8")
    func badText() {
        #expect(throws: JSONReader.Problem.unexpected(at: 0)) {
            _ = try JSONReader.value(of: Data([UInt8(ascii: "\""), 0xC3, UInt8(ascii: "\"")]))
        }
    }

    @Test(
        "JSONReader refuses duplicate names in an object, including canonically equivalent ones",
        arguments: [
            (#"{"a":1,"a":1}"#, 7), (#"[{"b":{"c":1, "c":2}}]"#, 14), (#"{"\u00e9":1,"e\u0301":2}"#, 12),
            ("{\"e\u{301}\":1,\"\u{E9}\":2}", 9), (#"{"":1,"":1}"#, 6),
        ])
    func nameTwice(text: String, offset: Int) throws {
        #expect(throws: JSONReader.Problem.nameTwice(at: offset)) { _ = try Self.read(text) }
        #expect(try Self.read(#"[{"a":1},{"a":{"a":1}}]"#) == [["a": 1], ["a": ["a": 1]]])
    }

    @Test(
        "The lenient reader takes the last value of a duplicate name and still refuses other errors",
        arguments: [
            (#"{"a":1,"a":2}"#, ["a": 2]), (#"[{"b":{"c":1, "c":{"c":2,"c":3}}}]"#, [["b": ["c": ["c": 3]]]]),
            (#"{"a":{"b":1},"a":null,"d":4}"#, ["a": nil, "d": 4]), (#"{"\u00e9":1,"e\u0301":2}"#, ["é": 2]),
        ] as [(String, ParameterValue)])
    func lastValue(text: String, value: ParameterValue) throws {
        let read = ParameterValue(lenientJSON: Data(text.utf8))
        #expect(read == value)
        #expect(ParameterValue(json: Data(text.utf8)) == nil)
        for broken in [text + "}", String(text.dropLast()), "[\(text),]", "1e999", "{a:1}"] {
            #expect(ParameterValue(lenientJSON: Data(broken.utf8)) == nil)
        }
    }

    @Test("JSONReader keeps Unicode scalars as written, without normalisation")
    func scalars() throws {
        let read = try Self.read("[\"e\u{301}\",\"e\\u0301\",\"\u{E9}\",\"\\u00e9\"]")
        #expect(read.elements.map { ($0.string ?? "").unicodeScalars.count } == [2, 2, 1, 1])
    }

    @Test("JSONReader accepts the maximum nesting depth and refuses more")
    func depth() throws {
        let deepest = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        #expect(try Self.read(deepest).canBeStored)
        #expect(Self.isRefused("[" + deepest + "]"))
        #expect(Self.isRefused(String(repeating: "[", count: 1_000_000)))
    }

    @Test("JSONReader reports every proper prefix of a value as cut")
    func cut() throws {
        let text = #"{"a": [1, "é\u00e9\ud83d\ude00", {"b": [true, null, false]}], "c": -1.5e3 }"#
        let bytes = Array(text.utf8)
        for count in 0..<bytes.count {
            var reader = JSONReader(Array(bytes[..<count]))
            #expect(throws: JSONReader.Problem.cut) { _ = try reader.value() }
        }
    }

    @Test("JSONReader stops at the end of the value and ignores what follows")
    func prefix() throws {
        let bytes = Array("  [1] and more".utf8)
        var reader = JSONReader(bytes)
        let value = try reader.value()
        #expect(value == [1])
        #expect(reader.offset == 5)
    }

    @Test("JSONReader agrees with Foundation on random texts", arguments: Seeds.choose(300))
    func sameAsFoundation(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let value = RandomJSON.value(depth: 3, using: &random)
            let whole = try JSONReader.value(of: JSONEncoder().encode(["x": value]))
            #expect(whole.normalized() == ParameterValue.object(["x": value]).normalized())
            let text = RandomJSON.broken(try JSONEncoder().encode(value), using: &random)
            // Foundation takes a comma before a closing bracket, and the first of two values with one name.
            guard String(decoding: text, as: UTF8.self).firstMatch(of: /,\s*[}\]]/) == nil, !Self.hasNameTwice(text)
            else { continue }
            let (theirs, ours) = (Self.foundation(text), Self.ours(text))
            #expect(theirs == ours, "seed \(seed): \(String(decoding: text, as: UTF8.self))")
        }
    }

    /// Whether an object has two equal or canonically equivalent names. No name contains a bracket.
    private static func hasNameTwice(_ text: Data) -> Bool {
        var open: [Set<String>] = [[]]
        let scalars = Array(String(decoding: text, as: UTF8.self).unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            switch scalar {
            case "{", "[": open.append([])
            case "}", "]": if open.count > 1 { open.removeLast() }
            case ":":
                let before = scalars[..<index].reversed().drop { $0 == " " }
                let name = before.dropFirst().prefix { $0 != "\"" }.reversed()
                if !open[open.count - 1].insert(String(String.UnicodeScalarView(name))).inserted { return true }
            default: break
            }
        }
        return false
    }

    private static func foundation(_ text: Data) -> ParameterValue? {
        do {
            return try JSONDecoder().decode(ParameterValue.self, from: text).normalized()
        } catch {
            return nil
        }
    }

    private static func ours(_ text: Data) -> ParameterValue? {
        do {
            return try JSONReader.value(of: text).normalized()
        } catch {
            return nil
        }
    }
}
