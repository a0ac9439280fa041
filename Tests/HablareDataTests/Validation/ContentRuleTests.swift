import Foundation
import Hablare
import HablareData
import HablareStructured
import Testing

@Suite("Rules for contents")
struct ContentRuleTests {
    private func allows(_ rule: ContentRule, _ content: ResponseContent) throws -> Bool {
        do {
            try rule.check(content)
            return true
        } catch let error as MergeError where error.code == .rejected {
            return false
        }
    }

    @Test("Lengths are counted in characters, at both ends of the range")
    func length() throws {
        let rule = ContentRule.length(2...4)
        #expect(try allows(rule, "a") == false)
        #expect(try allows(rule, "ab"))
        #expect(try allows(rule, "👩‍👩‍👧‍👦éüß"))
        #expect(try allows(rule, "abcde") == false)
        #expect(try allows(.length(...4), ""))
        #expect(try allows(.length(1...), "") == false)
        #expect(try allows(rule, .data("abc")) == false)
        #expect(try allows(rule, .structured("abc")))
    }

    @Test("Sizes are counted in bytes")
    func size() throws {
        #expect(try allows(.byteCount(..<3), .audio(Body(Data([1, 2])), .mp3)))
        #expect(try allows(.byteCount(..<3), .audio(Body(Data([1, 2, 3])), .mp3)) == false)
        #expect(try allows(.byteCount(1...), .embedding([1])) == false)
    }

    @Test("Values are within bounds, as text or structured")
    func values() throws {
        let rule = ContentRule.value(0...1)
        #expect(try allows(rule, "0"))
        #expect(try allows(rule, " 1.0\n"))
        #expect(try allows(rule, .structured(0.5)))
        #expect(try allows(rule, "1.01") == false)
        #expect(try allows(rule, "nan") == false)
        #expect(try allows(rule, "half") == false)
        #expect(try allows(rule, .structured(true)) == false)
    }

    @Test("Patterns match anywhere unless they are anchored, and an invalid pattern is an invalid rule")
    func patterns() throws {
        #expect(try allows(.pattern("[0-9]{3}"), "a123b"))
        #expect(try allows(.pattern("^[0-9]{3}$"), "a123b") == false)
        // A backtracking matcher would take longer than a lifetime for this pattern.
        #expect(try allows(.pattern("^(a+)+$"), .text(Body(String(repeating: "a", count: 40) + "!"))) == false)
        do {
            try ContentRule.pattern("(").check("x")
            Issue.record("Nothing failed")
        } catch let error as MergeError {
            #expect(error.code == .invalidRule)
        }
    }

    @Test("Allowed values are compared by their Unicode scalars")
    func allowed() throws {
        let rule = ContentRule.oneOf(["red", "gr\u{FC}n"])
        #expect(try allows(rule, "red"))
        #expect(try allows(rule, "grün"))
        #expect(try allows(rule, "gru\u{308}n") == false)
        #expect(try allows(rule, "Red") == false)
        #expect(try allows(rule, .structured("red")))
    }

    @Test(
        "A format allows its texts, and no others",
        arguments: [
            (ContentRule.Format.email, "ada@example.org", "ada at example"),
            (.url, "https://example.org/a?b", "example.org"),
            (.uuid, "6BA7B810-9DAD-11D1-80B4-00C04FD430C8", "6BA7B810"),
            (.date, "2024-02-29", "2023-02-29"),
            (.dateTime, "2026-01-31T12:00:00Z", "2026-01-31 noon"),
        ])
    func formats(_ format: ContentRule.Format, _ good: String, _ bad: String) throws {
        #expect(try allows(.format(format), .text(Body(good))))
        #expect(try allows(.format(format), .text(Body(bad))) == false)
        #expect(try allows(.format(format), .text(Body("say: \(good)"))) == false)
    }

    @Test("A schema validates JSON in any form; its error has the place, and no word of the answer")
    func schemas() throws {
        let schema = try JSONSchema(["type": "object", "required": ["age"], "properties": ["age": ["type": "integer"]]])
        let rule = ContentRule.schema(schema)
        #expect(try allows(rule, .structured(["age": 7])))
        #expect(try allows(rule, #"{"age": 7}"#))
        #expect(try allows(rule, .data(#"{"age": 7}"#)))
        #expect(try allows(rule, #"{"age": "secret"}"#) == false)
        #expect(try allows(rule, "not JSON") == false)
        #expect(try allows(rule, .embedding([1])) == false)
        do {
            try rule.check(.structured(["age": "secret"]))
        } catch let error as MergeError {
            #expect(error.message.contains("/age") && !error.message.contains("secret"))
        }
    }

    @Test("A custom rule describes the allowed answer")
    func custom() throws {
        let rule = ContentRule("an even number of bytes") { ($0.body?.byteCount ?? 1).isMultiple(of: 2) }
        #expect(try allows(rule, "ab"))
        do {
            try rule.check("abc")
            Issue.record("Nothing failed")
        } catch let error as MergeError {
            #expect(error.code == .rejected)
            #expect(error.message.contains("an even number of bytes"))
        }
    }
}
