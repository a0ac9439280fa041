import HablareSpeech
import Testing

@Suite("Sentence ends")
struct SentenceTests {
    @Test("A sentence ends at . ! ? and … before white space")
    func terminators() throws {
        #expect(try cut("One. Two! Three? Four… Five") == ["One.", "Two!", "Three?", "Four…", "Five"])
        #expect(try cut("Really?! Yes... No.") == ["Really?!", "Yes...", "No."])
    }

    @Test("A sentence ends after closing quotes, brackets and emphasis")
    func closers() throws {
        #expect(
            try cut("“Stop!” He ran. (So did I.) *Fast!* End") == [
                "“Stop!”", "He ran.", "(So did I.)", "*Fast!*", "End",
            ])
        #expect(try cut("„Halt!“ Er lief. »Nein.« Doch.") == ["„Halt!“", "Er lief.", "»Nein.«", "Doch."])
        #expect(try cut("'Go.' She went.\" And?") == ["'Go.'", "She went.\"", "And?"])
    }

    @Test("A sentence does not end before a lower-case letter")
    func lowercase() throws {
        #expect(try cut("“Stop!” he said. Then") == ["“Stop!” he said.", "Then"])
        #expect(try cut("Well... maybe. À table! élan") == ["Well... maybe.", "À table! élan"])
    }

    @Test(
        "A sentence does not end after an abbreviation or initial, or inside a number",
        arguments: [
            "Mr. Smith met Mrs. Jones.", "“Dr. Who lives on St. John.”",
            "Cats vs. Dogs, e.g. Tom, i.e. Him, etc. And so on.",
            "J. R. R. Tolkien wrote it.", "J.R.R. Tolkien wrote it.", "É. Zola wrote it.",
            "Das gilt z.B. Katzen bzw. Hunden.", "Habla la Sra. Ruiz.", "Pi is 3.14 and costs $2.50.",
            "See No. 5, vol. 2, on Jan. 3.", "Go to example.com/A.B now.", "The U.S. Senate.",
        ])
    func noEnd(sentence: String) throws {
        #expect(try cut(sentence + " Next.") == [sentence, "Next."])
    }

    @Test("A sentence ends after words that only look like an abbreviation")
    func looksLikeAbbreviation() throws {
        #expect(try cut("Is it? No. He left the cast. Then") == ["Is it?", "No.", "He left the cast.", "Then"])
        #expect(try cut("It was 1999. Then") == ["It was 1999.", "Then"])
        #expect(try cut("“It was I.” Then") == ["“It was I.”", "Then"])
        #expect(try cut("It was I. Then I. left.\nI. Newton") == ["It was I.", "Then I. left.", "I. Newton"])
    }

    @Test("A sentence does not end after the number of a list item")
    func listItems() throws {
        #expect(try cut("1. Flour.\n2. Water.\n\n10. Salt.") == ["1. Flour.", "2. Water.", "10. Salt."])
        #expect(try cut("We were 12. They were not.") == ["We were 12.", "They were not."])
    }

    @Test("A sentence ends at full-width marks without white space")
    func fullWidth() throws {
        #expect(try cut("今日は。元気？「はい！」と言った。") == ["今日は。", "元気？", "「はい！」", "と言った。"])
    }

    @Test(
        "A sentence ends at a blank line, with any line ends and any following text",
        arguments: ["\n\n", "\r\n\r\n", "\r\r", "\n \t\n", "\u{2029}", "\r\n\n"])
    func blankLines(gap: String) throws {
        #expect(try cut("Chapter One" + gap + "it was a dark night") == ["Chapter One", "it was a dark night"])
        #expect(try cut("met Mr." + gap + "Smith") == ["met Mr.", "Smith"])
    }

    @Test("A sentence does not end at a single line end", arguments: ["\n", "\r\n", "\r", "\n    ", " \t\r\n"])
    func wrappedLines(gap: String) throws {
        #expect(try cut("It was" + gap + "Dark. Cold.") == ["It was Dark.", "Cold."])
    }
}

@Suite("Segments")
struct SegmentTests {
    @Test("White space inside a segment is one space, and the range is that of the text in the file")
    func foldedTextAndRange() throws {
        let source = try source("  Grüße \r\n\t an\u{A0}alle.  Ende ")
        let segments = try TextSegmenter(unit: .sentence, limit: 99).segments(of: source)
        #expect(segments.map(\.text) == ["Grüße an alle.", "Ende"])
        #expect(segments.map(\.index) == [0, 1])
        #expect(segments.map { source[$0.utf8Range] } == ["Grüße \r\n\t an\u{A0}alle.", "Ende"])
    }

    @Test("A paragraph extends to a blank line")
    func paragraphs() throws {
        let text = "One. Two.\nThree.\r\n\r\nFour.\n \nFive."
        #expect(try cut(text, .paragraph) == ["One. Two. Three.", "Four.", "Five."])
    }

    @Test("A line extends to its end", arguments: ["\n", "\r\n", "\r", "\u{85}", "\u{2028}", "\n\n"])
    func lines(end: String) throws {
        #expect(try cut("One. Two" + end + "three" + end, .line) == ["One. Two", "three"])
    }

    @Test(
        "Text without letters and digits is left out, and leaves no gap in the indices",
        arguments: TextSegmenter.Unit.allCases)
    func nothingToSay(unit: TextSegmenter.Unit) throws {
        let segments = try TextSegmenter(unit: unit, limit: 5).segments(
            of: source("Hi.\n\n* * *\n\n-----------\n\nHo."))
        #expect(segments.map(\.text) == ["Hi.", "Ho."])
        #expect(segments.map(\.index) == [0, 1])
        #expect(try cut("!?! — …", unit).isEmpty)
    }

    @Test("A number alone is spoken")
    func numbers() throws {
        #expect(try cut("7\n\n½\n\nⅧ") == ["7", "½", "Ⅷ"])
    }
}
