import GRDB
import HablareTestKit
import Testing

@testable import HablarePersistence

@Suite("What a user types to search") struct SearchTermsTests {
    @Test(
        "is words and phrases, never syntax",
        arguments: [
            ("one two", #""one" "two""#), ("  one\ttwo\n", #""one" "two""#),
            ("NOT (a OR b)", #""NOT" "(a" "OR" "b)""#),
            (#"say "well done" now"#, #""say" "well done" "now""#), (#"a "b c"#, #""a" "b" "c""#),
            ("don't", #""don't""#), ("a:b* -c ^d", #""a:b*" "-c" "^d""#), ("a\0b", #""a" "b""#),
            ("- a + *", #""a""#), ("\u{1F600}", "\"\u{1F600}\""),
        ])
    func all(text: String, expression: String) { #expect(SearchTerms(text)?.expression == expression) }

    @Test("is any of the words, or all as one phrase, and the last of them may go on")
    func forms() {
        #expect(SearchTerms(#"one "two three""#, matching: .any)?.expression == #""one" OR "two three""#)
        #expect(SearchTerms(#"one "two" three"#, matching: .phrase)?.expression == #""one ""two"" three""#)
        #expect(SearchTerms("one tw", completesLastWord: true)?.expression == #""one" "tw" *"#)
        #expect(SearchTerms("one tw", matching: .phrase, completesLastWord: true)?.expression == #""one tw" *"#)
    }

    @Test("is nothing where there is no word", arguments: ["", " \n", "\"", "\"\"", "* - ()", "\0"])
    func nothing(text: String) {
        for matching in [SearchTerms.Matching.all, .any, .phrase] {
            #expect(SearchTerms(text, matching: matching) == nil)
        }
    }

    @Test("never is an error, whatever it is", arguments: Seeds.choose(6))
    func fuzz(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let database = try AppDatabase.inMemory(migrator: Library.migrator)
        let pieces = [
            "\"", "'", "*", "^", ":", "(", ")", "{", "}", "+", "-", ",", " ", "\0", "\\", "AND", "OR", "NOT", "NEAR(",
            "title", "a",
            "é", "\u{301}", "\u{1F600}", "\u{200D}", "0", "%", ";", "\n", "\u{FFFD}", "[",
        ]
        try database.reader.read { db in
            for _ in 0..<300 {
                let text = (0..<Int.random(in: 0...8, using: &random)).map { _ in
                    pieces[Int.random(in: 0..<pieces.count, using: &random)]
                }.joined()
                for matching in [SearchTerms.Matching.all, .any, .phrase] {
                    for completes in [false, true] {
                        guard let terms = SearchTerms(text, matching: matching, completesLastWord: completes) else {
                            continue
                        }
                        #expect(throws: Never.self, "HABLARE_SEED=\(seed): \(text.debugDescription)") {
                            try Library.index.search(for: terms, as: Book.self, in: db)
                        }
                    }
                }
            }
        }
    }
}
