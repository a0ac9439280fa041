import LecternTexts
import Testing

@Suite("Plain text")
struct PlainTextImporterTests {
    private func read(_ bytes: some Sequence<UInt8>, name: String = "my_book.txt") throws -> ReadText {
        try withTemporaryFile(bytes, name: name) { try ReadText(PlainTextImporter(BookSource(path: $0))) }
    }

    @Test("Headings begin chapters, blank lines part paragraphs, and lines are joined")
    func chapters() throws {
        let line = "It was a bright cold day in April, and the clocks were striking thirteen."
        let text = try read(
            "A word before.\r\n\r\nChapter 1\r\n\r\n\(line)\r\nSecond line.\r\n\r\n\r\nNext.\r\n\r\nII.\r\n\r\nMore.\n\nTHE END OF IT\n\nLast."
                .utf8)
        #expect(text.description?.title == "my book")
        #expect(text.description?.id == "my-book")
        #expect(text.chapters.map(\.title) == [nil, "Chapter 1", "II.", "THE END OF IT"])
        #expect(text.chapters.map(\.id.chapter) == [1, 2, 3, 4])
        #expect(text.chapters[1].verses.map(\.text) == ["\(line) Second line.", "Next."])
        #expect(text.chapters[1].verses.map(\.number) == [1, 2])
    }

    @Test("Short lines of verse stay apart")
    func verse() throws {
        let text = try read("Tyger Tyger, burning bright,\nIn the forests of the night;".utf8)
        #expect(
            text.chapters[0].blocks[0].fragments[0].inlines
                == [.text("Tyger Tyger, burning bright,"), .lineBreak, .text("In the forests of the night;")])
    }

    @Test("UTF-8, UTF-16 with and without mark, and Latin-1 are read")
    func encodings() throws {
        let word = "Grüße an “alle”"
        let little = word.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let big = word.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        for bytes in [
            Array(word.utf8), [0xEF, 0xBB, 0xBF] + Array(word.utf8), [0xFF, 0xFE] + little, [0xFE, 0xFF] + big, little,
            big,
        ] {
            let text = try read(bytes)
            #expect(text.verses == [word])
            #expect(text.warnings.isEmpty)
        }
        let latin = try read([0x47, 0x72, 0xFC, 0xDF, 0x65, 0x20, 0x93, 0x61, 0x94])
        #expect(latin.verses == ["Grüße “a”"])
        #expect(latin.warnings.count == 1)
    }

    @Test("Hebrew runs from right to left")
    func direction() throws {
        #expect(try read("בראשית ברא אלהים".utf8).description?.direction == .rightToLeft)
        #expect(try read("In the beginning".utf8).description?.direction == .leftToRight)
    }

    @Test("An empty and a large file are refused")
    func refused() throws {
        let error = #expect(throws: TextImportError.self) { _ = try read(" \n\u{FEFF}\n".utf8) }
        #expect(error?.code == .empty)
        let large = #expect(throws: TextImportError.self) {
            try withTemporaryFile([UInt8](repeating: 0x61, count: 2_000)) {
                _ = try ReadText(PlainTextImporter(BookSource(path: $0), limit: 1_000))
            }
        }
        #expect(large?.code == .tooLarge)
    }

    @Test("No bytes trap", arguments: 0..<30)
    func fuzz(seed: UInt64) throws {
        var numbers = SeededNumbers(state: seed)
        let pieces: [[UInt8]] = [
            Array("Chapter ".utf8), [0x0A], [0x0A, 0x0A], [0x0D], [0xFF, 0xFE], [0], [0xC3], [0xE2, 0x80, 0xA8], [0x31],
            [0xD8, 0x00],
            Array("# a".utf8), Array("שלום".utf8),
        ]
        var bytes: [UInt8] = []
        for _ in 0..<60 {
            bytes += pieces[Int.random(in: 0..<pieces.count, using: &numbers)]
            if numbers.next() % 4 == 0 { bytes.append(UInt8.random(in: 0...255, using: &numbers)) }
        }
        for importer in [true, false] {
            do {
                if importer {
                    _ = try read(bytes)
                } else {
                    try withTemporaryFile(bytes) { _ = try ReadText(MarkdownImporter(BookSource(path: $0))) }
                }
            } catch is TextImportError {}
        }
    }
}
