import Foundation
import HablareTestKit
import Testing

@testable import Hablare
@testable import HablareStructured

/// The matches, the refusals and the running time of patterns.
@Suite struct PatternTests {
    private static func occurs(_ pattern: String, in text: String) throws -> Bool? {
        var effort = 1_000_000
        return try PatternProgram(pattern).occurs(in: text, effort: &effort)
    }

    @Test(
        "A pattern matches the texts in which it occurs",
        arguments: [
            ("", ["", "a"], []), ("a", ["a", "ba"], ["", "b"]), ("^a$", ["a"], ["ab", "ba", "a\n"]),
            ("a|b", ["a", "xb"], ["c"]), ("^(a|bc)d$", ["ad", "bcd"], ["abcd", "bd"]), ("^a*$", ["", "aaa"], ["ab"]),
            ("^a+$", ["a", "aa"], [""]), ("^a?b$", ["b", "ab"], ["aab"]), ("^a{2}$", ["aa"], ["a", "aaa"]),
            ("^a{2,}$", ["aa", "aaaa"], ["a"]), ("^a{1,3}?$", ["a", "aaa"], ["", "aaaa"]), ("^a{0}$", [""], ["a"]),
            ("^(?:ab)+$", ["ab", "abab"], ["aba"]), ("^(?<n>ab)$", ["ab"], ["n"]), ("^(a*)*$", ["", "aaa"], ["b"]),
            ("^(|a)+$", ["", "a"], ["b"]), ("^[a-c]$", ["a", "b", "c"], ["d", "-"]),
            ("^[^a-c]$", ["d", "é"], ["b", ""]),
            ("^[-a]$", ["-", "a"], ["b"]), ("^[a-]$", ["-", "a"], ["b"]), ("^[\\]]$", ["]"], ["\\"]),
            ("^[]$", [], ["", "a"]), ("^[^]$", ["a", "\n"], [""]), ("^[\\d_]$", ["0", "_"], ["a"]),
            ("^.$", ["a", "😀", "\t"], ["", "\n", "\r", "\u{2028}", "ab"]),
            ("^\\d{3}-\\d{4}$", ["555-1234"], ["555-123"]),
            ("^\\D$", ["a"], ["1"]), ("^\\w$", ["_", "Z", "0"], ["é", "-"]), ("^\\W$", ["é"], ["a"]),
            ("^\\s$", [" ", "\n", "\u{A0}", "\u{3000}"], ["a"]), ("^\\S$", ["a"], [" "]),
            ("\\bab\\b", ["ab", "x ab y"], ["xab", "abx"]), ("\\Bb", ["ab"], ["b", "a b"]),
            ("^\\x41\\u0042\\u{1F600}$", ["AB😀"], ["AB"]), ("^\\t\\n\\r\\f\\v\\0$", ["\t\n\r\u{C}\u{B}\0"], [""]),
            ("^\\p{Lu}\\p{L}+$", ["Ärger", "Ab"], ["ärger", "A1"]), ("^\\P{L}$", ["1"], ["a"]),
            ("^\\p{Lo}\\p{Cc}$", ["あ\t"], ["a\t"]), ("^\\p{gc=Nd}\\p{General_Category=So}$", ["1😀"], ["a😀"]),
            ("^\\p{LC}\\p{Cased_Letter}$", ["Aǅ"], ["aあ"]),
            ("^\\p{Sc}\\p{Currency_Symbol}\\p{punct}$", ["€$!"], ["€!$"]),
            ("^\\p{C}$", ["\0", "\u{200B}", "\u{E000}", "\u{378}"], ["a", " "]), ("^\\P{Zs}$", ["a"], [" "]),
            ("^\\uD83D\\uDE00[\\uD83D\\uDE01]$", ["😀😁"], ["😁😀"]),
            ("^[\\ud83d\\ude00-\\ud83d\\ude02]+$", ["😀😁😂"], ["🙂"]),
            ("^\\cJ[\\cI\\cm]\\cZ$", ["\n\t\u{1A}", "\n\r\u{1A}"], ["\tJ\u{1A}"]),
            ("^(x()(){3}(a{0})*()+){2}$", ["xx"], ["x"]),
            ("^\\p{Uppercase_Letter}$", ["Ä"], ["ä"]), ("^\\^\\$\\.\\/\\-$", ["^$./-"], [""]),
            ("^a{,3}$", ["a{,3}"], ["aa"]), ("^a{x}$", ["a{x}"], ["a"]), ("^é$", ["é"], ["e\u{301}"]),
            ("^[a-z0-9]+(?:-[a-z0-9]+)*$", ["a-b-1"], ["-a", "a-", "A"]), ("(^a|b$)", ["ax", "xb"], ["xa"]),
        ] as [(String, [String], [String])])
    func matching(pattern: String, matching: [String], others: [String]) throws {
        for text in matching { #expect(try Self.occurs(pattern, in: text) == true, "\(pattern) in \(text)") }
        for text in others { #expect(try Self.occurs(pattern, in: text) == false, "\(pattern) in \(text)") }
    }

    @Test(
        "An invalid pattern, or one without bounded matching time, is refused",
        arguments: [
            "(", ")", "(a", "a)", "[a", "[z-a]", "*", "+a", "a**", "a+*", "^*", "a{2,1}", "a{99999}", "{1}", "\\",
            "\\1", "(a)\\1",
            "(?=a)", "(?!a)", "(?<=a)", "(?<!a)", "(?i:a)", "(?", "(?<n", "\\q", "\\x4", "\\u12", "\\u{110000}",
            "\\uD800", "\\uD83D", "\\uD83Dx", "\\uD83D\\n", "\\uD83D\\u0041", "\\uDE00\\uD83D", "\\uD83D\\u{DE00}",
            "\\c", "\\c1", "\\cé", "\\p{Script=Greek}", "\\p{Alphabetic}", "\\p{gc=}", "\\p{sc=Lu}", "\\p{gc=Lu=Lu}",
            "\\p{}",
            "\\p{l}",
            "\\p{Nope}", "\\p", "[\\w-z]", "\\k<n>",
            String(repeating: "(", count: 60) + String(repeating: ")", count: 60),
            String(repeating: "a", count: 5000), "((a{100}){100}){100}",
        ])
    func refusals(pattern: String) {
        #expect(throws: PatternProblem.self) { _ = try PatternProgram(pattern) }
    }

    @Test(
        "Patterns with catastrophic backtracking elsewhere take linear time",
        arguments: [
            "^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "^(.*a){20}$", "(x+x+)+y", "^(a?){200}a{200}$",
        ])
    func boundedTime(pattern: String) throws {
        let program = try PatternProgram(pattern)
        let text = String(repeating: pattern.contains("x") ? "x" : "a", count: 500) + "!"
        let whole = 5_000_000
        var effort = whole
        #expect(program.occurs(in: text, effort: &effort) == false)
        #expect(whole - effort < 501 * 1500)
    }

    @Test(
        "Repeating an empty pattern takes no time",
        arguments: ["((){9999}){9999}", "(((((){9999}){9999}){9999}){9999}){9999}", "(a{0}){9999}"])
    func nothing(pattern: String) throws {
        #expect(try Self.occurs(pattern, in: "x") == true)
    }

    @Test(
        "Empty parts are removed before a pattern is expanded",
        arguments: [
            "(x" + String(repeating: "()", count: 2_000) + "){40}", "((x(){9999}){40})", "(?:((((x))))(a{0})*){40}",
            "(()x|){0}(x()){40}()",
        ])
    func nothingWithin(pattern: String) throws {
        #expect(try PatternParser.parse(pattern) == .repetition(.set(ScalarSet("x")), 40, 40))
        #expect(try PatternProgram(pattern).length == 41)
    }

    @Test("A match without effort left has no result")
    func noEffort() throws {
        var effort = 100
        #expect(
            try PatternProgram("^a{0,500}$").occurs(in: String(repeating: "a", count: 1000), effort: &effort) == nil)
        #expect(effort <= 0)
    }

    @Test("Patterns agree with NSRegularExpression", arguments: Seeds.choose(100))
    func sameAsFoundation(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let pattern = Self.pattern(depth: 3, using: &random)
            let theirs = try NSRegularExpression(pattern: pattern)
            let program = try PatternProgram(pattern)
            for _ in 0..<10 {
                let text = String(
                    (0..<Int.random(in: 0...6, using: &random)).map { _ in "abc ".randomElement(using: &random) ?? "a" }
                )
                var effort = 1_000_000
                let found = theirs.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
                guard program.occurs(in: text, effort: &effort) != found else { continue }
                Issue.record("seed \(seed): \(pattern) in \(text)")
            }
        }
    }

    private static func pattern(depth: Int, using random: inout some RandomNumberGenerator) -> String {
        let atoms = ["a", "b", "c", "[ab]", "[^a]", "\\w", "\\s", ".", "\\b", "^", "$", "(?:b|)"]
        guard depth > 0 else { return atoms.randomElement(using: &random) ?? "a" }
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return atoms.randomElement(using: &random) ?? "a"
        case 1: return pattern(depth: depth - 1, using: &random) + pattern(depth: depth - 1, using: &random)
        case 2: return "(\(pattern(depth: depth - 1, using: &random))|\(pattern(depth: depth - 1, using: &random)))"
        default:
            let count = ["*", "+", "?", "{2}", "{1,2}", "{0,3}", "{2,}"].randomElement(using: &random) ?? "*"
            return "(?:\(pattern(depth: depth - 1, using: &random)))\(count)"
        }
    }
}
