import GRDB
import HablareTestKit
import Testing

@testable import HablarePersistence

@Suite("SearchTerms") struct SearchTermsTests {
    @Test(
        "A user's text is words and phrases, never query syntax",
        arguments: [
            ("one two", #""one" "two""#), ("  one\ttwo\n", #""one" "two""#),
            ("NOT (a OR b)", #""NOT" "(a" "OR" "b)""#),
            (#"say "well done" now"#, #""say" "well done" "now""#), (#"a "b c"#, #""a" "b" "c""#),
            ("don't", #""don't""#), ("a:b* -c ^d", #""a:b*" "-c" "^d""#), ("a\0b", #""a" "b""#),
            ("- a + *", #""a""#), ("\u{1F600}", "\"\u{1F600}\""),
        ])
    func all(text: String, expression: String) { #expect(SearchTerms(text)?.expression == expression) }

    @Test("Terms match all words, any word or one phrase, and can complete the last word")
    func forms() {
        #expect(SearchTerms(#"one "two three""#, matching: .any)?.expression == #""one" OR "two three""#)
        #expect(SearchTerms(#"one "two" three"#, matching: .phrase)?.expression == #""one ""two"" three""#)
        #expect(SearchTerms("one tw", completesLastWord: true)?.expression == #""one" "tw" *"#)
        #expect(SearchTerms("one tw", matching: .phrase, completesLastWord: true)?.expression == #""one tw" *"#)
    }

    @Test("A repeated word is searched once")
    func repetitions() {
        let typed = String(repeating: "the \"apple pie\" ", count: 300)
        #expect(SearchTerms(typed)?.expression == #""the" "apple pie""#)
        #expect(SearchTerms(typed, matching: .any)?.expression == #""the" OR "apple pie""#)
        // A word to complete differs from the same complete word.
        #expect(SearchTerms("a b a", completesLastWord: true)?.expression == #""a" "b" "a" *"#)
    }

    @Test("Only the first words up to the limit are searched")
    func manyWords() {
        let words = (0..<300).map { "w\($0)" }
        let expected = words.prefix(SearchTerms.mostTerms).map { "\"\($0)\"" }
        let typed = words.joined(separator: " ")
        #expect(SearchTerms(typed)?.expression == expected.joined(separator: " "))
        #expect(SearchTerms(typed, matching: .any)?.expression == expected.joined(separator: " OR "))
        #expect(
            SearchTerms(typed, completesLastWord: true)?.expression == expected.joined(separator: " "),
            "the last word is not among them")
    }

    @Test("A word longer than the limit is searched by its prefix")
    func longWord() throws {
        let beginning = String(repeating: "x", count: SearchTerms.longestWord)
        #expect(SearchTerms(beginning)?.expression == "\"\(beginning)\"")
        for length in [1, 1000, 2_000_000] {
            for matching in [SearchTerms.Matching.all, .any, .phrase] {
                let typed = beginning + String(repeating: "y", count: length)
                #expect(SearchTerms(typed, matching: matching)?.expression == "\"\(beginning)\" *")
            }
        }
        let database = try AppDatabase.inMemory(migrator: Library.migrator)
        try database.writer.write { db in
            var book = Book(title: "1 \(beginning)yyy 2")
            try book.insert(db)
        }
        let terms = try #require(SearchTerms("\(beginning)yyy 2"))
        #expect(
            try database.reader.read { try Library.index.search(for: terms, as: Book.self, in: $0).hits.count } == 1)
    }

    @Test("A phrase longer than the limit is searched by its first words")
    func longPhrase() throws {
        let typed = (0..<1000).map { "w\($0)" }.joined(separator: " ")
        for (terms, quoted) in [(SearchTerms(typed, matching: .phrase), typed), (SearchTerms("\"\(typed)\" z"), typed)]
        {
            let phrase = try #require(terms).expression.split(separator: "\"")[0]
            #expect(phrase.count <= SearchTerms.longestTerms && phrase.count > SearchTerms.longestTerms - 5)
            #expect(quoted.hasPrefix(phrase + " "), "whole words")
        }
    }

    @Test("The length of a search expression is bounded", arguments: Seeds.choose(6))
    func bounded(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pieces = ["a", "the", " ", "\"", "é", "x-", "\u{1F600}", "\0", String(repeating: "z", count: 90)]
        for _ in 0..<20 {
            let text = (0..<Int.random(in: 0...20_000, using: &random)).map { _ in
                pieces[Int.random(in: 0..<pieces.count, using: &random)]
            }.joined()
            for matching in [SearchTerms.Matching.all, .any, .phrase] {
                guard let terms = SearchTerms(text, matching: matching, completesLastWord: true) else { continue }
                // Quotes are doubled and surround each term, with a star or an OR.
                let most = 2 * SearchTerms.longestTerms + 8 * SearchTerms.mostTerms
                #expect(terms.expression.unicodeScalars.count <= most, "HABLARE_SEED=\(seed)")
            }
        }
    }

    @Test("A text without words has no terms", arguments: ["", " \n", "\"", "\"\"", "* - ()", "\0"])
    func nothing(text: String) {
        for matching in [SearchTerms.Matching.all, .any, .phrase] {
            #expect(SearchTerms(text, matching: matching) == nil)
        }
    }

    @Test("Random text never gives an invalid search expression", arguments: Seeds.choose(6))
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
                let text = (0..<Int.random(in: 0...(Bool.random(using: &random) ? 8 : 80), using: &random)).map { _ in
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
