import HablareSpeech
import Testing

@Suite("A unit that exceeds the limit")
struct LimitTests {
    @Test("is kept whole when it just fits")
    func fits() throws {
        #expect(try cut("One two. Six.", .paragraph, limit: 13) == ["One two. Six."])
        #expect(try cut("One  two.\r\nSix.", .paragraph, limit: 13) == ["One two. Six."])
    }

    @Test("is cut at the last sentence end that fits, even if more words would")
    func sentences() throws {
        #expect(try cut("One. Two. Six, seven eight.", .paragraph, limit: 22) == ["One. Two.", "Six, seven eight."])
    }

    @Test("else after the last ; : or , that fits", arguments: [";", ":", ",", ",”"])
    func clauses(mark: String) throws {
        let text = "one two\(mark) three four five six"
        #expect(try cut(text, limit: 20) == ["one two\(mark)", "three four five six"])
    }

    @Test("else at the last white space that fits")
    func words() throws {
        #expect(try cut("one two three four", limit: 9) == ["one two", "three", "four"])
    }

    @Test("is cut after full-width punctuation without white space")
    func fullWidth() throws {
        #expect(try cut("一二三，四五六、七八九。", limit: 8) == ["一二三，四五六、", "七八九。"])
    }

    @Test("does not break a number or a word with punctuation inside")
    func insideWords() throws {
        #expect(try cut("about 1,000:3 it's", limit: 10) == ["about", "1,000:3", "it's"])
    }

    @Test("counts Unicode scalars, not bytes and not letters as seen")
    func scalars() throws {
        #expect(try cut("ééé ééé", limit: 7) == ["ééé ééé"])
        #expect(try cut("e\u{301}e\u{301} ee", limit: 6) == ["e\u{301}e\u{301}", "ee"])
    }

    @Test("leaves out a row of dashes that exceeds the limit")
    func dashes() throws {
        #expect(try cut("one ---------- two", limit: 5) == ["one", "two"])
    }

    @Test("is refused if one word alone exceeds the limit, with the place and no text")
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

    @Test("is refused with a limit below one", arguments: [0, -1, Int.min])
    func invalidLimit(limit: Int) throws {
        let error = try #require(throws: TextError.self) { try TextSegmenter(unit: .line, limit: limit) }
        #expect(error.code == .invalidLimit)
        #expect(error.limit == limit)
    }
}
