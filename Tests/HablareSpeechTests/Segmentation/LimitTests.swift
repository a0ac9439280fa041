import HablareSpeech
import Testing

@Suite("Segment limit")
struct LimitTests {
    @Test("A unit that just fits is kept whole")
    func fits() throws {
        #expect(try cut("One two. Six.", .paragraph, limit: 13) == ["One two. Six."])
        #expect(try cut("One  two.\r\nSix.", .paragraph, limit: 13) == ["One two. Six."])
    }

    @Test("A unit that exceeds the limit is cut at the last sentence end that fits, even if more words fit")
    func sentences() throws {
        #expect(try cut("One. Two. Six, seven eight.", .paragraph, limit: 22) == ["One. Two.", "Six, seven eight."])
    }

    @Test("Without a sentence end, a unit is cut after the last ; : or , that fits", arguments: [";", ":", ",", ",”"])
    func clauses(mark: String) throws {
        let text = "one two\(mark) three four five six"
        #expect(try cut(text, limit: 20) == ["one two\(mark)", "three four five six"])
    }

    @Test("Without a clause end, a unit is cut at the last white space that fits")
    func words() throws {
        #expect(try cut("one two three four", limit: 9) == ["one two", "three", "four"])
    }

    @Test("A unit is cut after full-width punctuation without white space")
    func fullWidth() throws {
        #expect(try cut("一二三，四五六、七八九。", limit: 8) == ["一二三，四五六、", "七八九。"])
    }

    @Test("A number or a word with punctuation inside is not cut")
    func insideWords() throws {
        #expect(try cut("about 1,000:3 it's", limit: 10) == ["about", "1,000:3", "it's"])
    }

    @Test("The limit counts Unicode scalars, not bytes or visible letters")
    func scalars() throws {
        #expect(try cut("ééé ééé", limit: 7) == ["ééé ééé"])
        #expect(try cut("e\u{301}e\u{301} ee", limit: 6) == ["e\u{301}e\u{301}", "ee"])
    }

    @Test("A row of dashes that exceeds the limit is left out")
    func dashes() throws {
        #expect(try cut("one ---------- two", limit: 5) == ["one", "two"])
    }

    @Test("A single word that exceeds the limit is refused, with its position and without its text")
    func longWord() throws {
        let error = try #require(throws: TextError.self) {
            try cut("Ä Secretsecret b", limit: 11)
        }
        #expect(error.code == .wordTooLong)
        #expect(error.byteOffset == 3)
        #expect(error.length == 12)
        #expect(error.limit == 11)
        #expect(!error.message.contains("Secret"))
        #expect(error.message.contains("byte 3"))
        #expect(try cut("Ä Secretsecret b", limit: 12) == ["Ä", "Secretsecret", "b"])
    }

    @Test("A limit below one is refused", arguments: [0, -1, Int.min])
    func invalidLimit(limit: Int) throws {
        let error = try #require(throws: TextError.self) { try TextSegmenter(unit: .line, limit: limit) }
        #expect(error.code == .invalidLimit)
        #expect(error.limit == limit)
    }
}
