import Foundation
import HablareTestKit
import Testing

@testable import Hablare
@testable import HablareStructured

/// Finds the JSON in an answer.
@Suite struct StructuredAnswerTests {
    private static func values(_ text: String) -> [ParameterValue] {
        StructuredAnswer(in: text).candidates.map(\.value)
    }

    @Test(
        "JSON is found anywhere in an answer",
        arguments: [
            (#"{"a":1}"#, [["a": 1]]), (" 1\n", [1]), ("null", [nil]), ("\"{}\"", ["{}"]),
            ("```json\n{\"a\":1}\n```", [["a": 1]]), ("```\n[1]\n```", [[1]]),
            ("Here:\n```json\n{\"a\":1}\n```\nGood?", [["a": 1]]),
            ("  ```JSON\r\n  {\"a\":1}\r\n  ```\r\n", [["a": 1]]), ("```\n1\n```\nthen\n```\n2\n```", [1, 2]),
            ("```json\n{\"a\":1}", [["a": 1]]), ("```python\nprint(1)\n```\n{\"a\":1}", [["a": 1]]),
            ("{\"b\":2}\n```\n{\"a\":1}\n```", [["a": 1]]),
            (#"The answer is {"a":1}."#, [["a": 1]]), ("[1] says [2]", [[1], [2]]), ("a } b ] {\"a\":1}", [["a": 1]]),
            ("Use {braces} here: {\"a\": \"}\"}", [["a": "}"]]), (#"{"a":1}{"a":2}"#, [["a": 1], ["a": 2]]),
            ("<think>{\"a\":0}</think>{\"a\":1}", [["a": 0], ["a": 1]]),
        ] as [(String, [ParameterValue])])
    func found(text: String, values: [ParameterValue]) {
        #expect(Self.values(text) == values)
    }

    @Test(
        "An answer without JSON, or with broken JSON, has no values",
        arguments: [
            "", "No.", "1 2", "``` 1 ```", #"{'a': {"b": 1}}"#, #"{"a": {"b": 1}, oops, "c": {"b": 2}}"#,
            "{ {\"b\": 1} }",
            #"[{"a": 1}, {"a": 2"#, #"{"a": "\q", "b": {"c": 1}}"#, "{", "]", "}{",
        ])
    func notFound(text: String) {
        #expect(Self.values(text).isEmpty)
    }

    @Test("A truncated answer is distinguished from one without JSON")
    func cut() {
        #expect(StructuredAnswer(in: #"{"a": [1, 2"#).isCut)
        #expect(StructuredAnswer(in: "```json\n{\"a\": [1, 2").isCut)
        #expect(!StructuredAnswer(in: "No.").isCut && !StructuredAnswer(in: "{a}").isCut)
        #expect(!StructuredAnswer(in: #"{"a":1}"#).isCut)
    }

    @Test("Of very many values the last ones count", arguments: ["", "```\n"])
    func last(fence: String) {
        let text = (0..<40).map { "\(fence){\"n\":\($0)}\n\(fence)" }.joined()
        #expect(Self.values(text) == (24..<40).map { ["n": .int($0)] })
    }

    @Test("An answer with a duplicate name is distinguished from one without JSON")
    func nameTwice() {
        #expect(StructuredAnswer(in: #"{"a":1,"a":2}"#).hasNameTwice)
        #expect(StructuredAnswer(in: "```json\n{\"a\":1,\"a\":2}\n```").hasNameTwice)
        #expect(!StructuredAnswer(in: #"{"a":1}"#).hasNameTwice && !StructuredAnswer(in: "{a}").hasNameTwice)
        #expect(!StructuredAnswer(in: #"{"a":1} {"a":1,"a":2}"#).hasNameTwice)
    }

    @Test("The source text of a value is kept as written")
    func text() {
        let candidate = StructuredAnswer(in: #"Look: {"a": 1.10}!"#).candidates.first
        #expect(candidate.map { String(decoding: $0.json, as: UTF8.self) } == #"{"a": 1.10}"#)
    }

    @Test("A prefix of an answer gives only complete values", arguments: Seeds.choose(50))
    func beginnings(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let value = ParameterValue.object(["v": RandomJSON.value(depth: 3, using: &random)])
        let json = String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
        for before in ["", "Here: ", "```json\n"] {
            let text = before + json
            for count in 0..<json.count {
                #expect(Self.values(String(text.prefix(before.count + count))).isEmpty, "seed \(seed): \(text)")
            }
        }
    }

    @Test("A text of brackets is parsed in linear time")
    func brackets() {
        for bracket in ["{", "[", "{\"a\":", "{}", "[1,", "{x}"] {
            let answer = StructuredAnswer(in: String(repeating: bracket, count: 100_000) + "x")
            #expect(answer.candidates.count <= StructuredAnswer.mostCandidates)
        }
    }
}
