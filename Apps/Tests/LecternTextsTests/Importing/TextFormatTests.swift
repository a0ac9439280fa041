import LecternTexts
import Testing

@Suite("Formats of texts")
struct TextFormatTests {
    @Test(
        "The content decides, then the name",
        arguments: [
            ("Ge1:1 In the beginning", "a.md", TextFormat.bibleLines), ("Hello.", "a.txt", .plainText),
            ("Hello.", "a.md", .markdown),
            ("# Hello", "a", .markdown), ("Hello", "a", .plainText), ("<?xml version='1.0'?>\n<osis>", "a.txt", .osis),
            ("\u{FEFF}<usx version='3.0'>", "a.xml", .usx), ("\\id GEN World English Bible", "a.txt", .usfm),
            ("<b>x</b> y", "a.md", .markdown),
        ])
    func content(text: String, name: String, format: TextFormat) throws {
        try withTemporaryFile(text.utf8, name: name) { path in
            let found = try TextFormat(detecting: path)
            #expect(found == format)
        }
    }

    @Test("An EPUB is found by its content")
    func epub() throws {
        let book = try MadeEPUB.book().write { try TextFormat(detecting: $0) }
        #expect(book == .epub)
        var other = MadeEPUB()
        other.add("GEN.usfm", "\\id GEN")
        let folder = try other.write { try TextFormat(detecting: $0) }
        #expect(folder == .usfm)
    }

    @Test(
        "What no importer reads is refused",
        arguments: [
            ("%PDF-1.7", "unknown-format"), ("a\0b", "unknown-format"), ("", "empty"),
            ("<?xml?><svg/>", "unknown-format"), ("PK\u{3}\u{4}", "damaged"),
        ])
    func refused(text: String, code: String) throws {
        try withTemporaryFile(text.utf8) { path in
            let error = #expect(throws: TextImportError.self) { _ = try TextFormat(detecting: path) }
            #expect(error?.code.rawValue == code)
        }
    }

    @Test("The importer of a format reads the file")
    func importer() throws {
        try withTemporaryFile("Ge1:1 In".utf8) { path in
            var verses = 0
            try TextFormat(detecting: path).importer(of: path).read {
                if case .chapter(let chapter) = $0 { verses += chapter.verses.count }
            }
            #expect(verses == 1)
        }
    }
}
