import Foundation
import Testing

@testable import LecternTexts

@Suite("EPUB")
struct EPUBImporterTests {
    private func read(_ epub: MadeEPUB, limits: EPUBArchive.Limits = EPUBArchive.Limits()) throws -> ReadText {
        try epub.write { try ReadText(EPUBImporter(BookSource(path: $0), limits: limits)) }
    }

    private func code(_ epub: MadeEPUB, limits: EPUBArchive.Limits = EPUBArchive.Limits()) -> TextImportError.Code? {
        #expect(throws: TextImportError.self) { _ = try read(epub, limits: limits) }?.code
    }

    @Test("EPUB 2 and 3 give chapters by their contents, with notes, and nothing hostile", arguments: [2, 3])
    func chapters(version: Int) throws {
        let text = try read(.book(version: version))
        #expect(text.description?.title == "A & B")
        #expect(text.description?.authors == ["Ann"])
        #expect(text.description?.language == "en")
        #expect(text.description?.rights == "Free")
        #expect(text.chapters.map(\.title) == ["One", "Two"])
        let first = try #require(text.chapters.first)
        #expect(
            first.blocks.map(\.kind) == [
                .paragraph, .quotation, .listItem(level: 1, marker: "•"), .listItem(level: 1, marker: "3."), .paragraph,
                .tableRow, .preformatted,
            ])
        #expect(
            first.blocks[0].fragments[0].inlines == [
                .text("Café\u{A0}"), .text("now", .emphasis), .text(" &x;&b;"),
                .note(Note(.footnote, mark: "1", [.text("The note.")])), .text(". More"),
            ])
        #expect(first.blocks[4].fragments[0].inlines == [.text("A picture", .emphasis)])
        #expect(first.blocks[5].fragments.map(\.inlines) == [[.text("1")], [.text("2 b")]])
        #expect(text.chapters.last?.verses.map(\.text) == ["Next line"])
        let said = text.warnings.map(\.message).joined(separator: "\n")
        #expect(said.contains("../../etc/passwd"))
        #expect(said.contains("https://example.org/x.xhtml"))
        #expect(said.contains("Scripts were left out."))
        #expect(said.contains("Images from outside"))
    }

    @Test("The language decides the direction, and the pages' direction only without a language")
    func direction() throws {
        func direction(_ language: String, _ progression: String) throws -> TextDescription.Direction? {
            var epub = MadeEPUB.book()
            let package = String(decoding: epub.files[2].bytes, as: UTF8.self)
                .replacing("<dc:language>en</dc:language>", with: language)
                .replacing("<spine", with: "<spine page-progression-direction=\"\(progression)\"")
            epub.add("OEBPS/book.opf", package)
            return try read(epub).description?.direction
        }
        #expect(try direction("<dc:language>he</dc:language>", "ltr") == .rightToLeft)
        #expect(try direction("<dc:language>ja</dc:language>", "rtl") == .leftToRight)
        #expect(try direction("<dc:language>az-Arab</dc:language>", "ltr") == .rightToLeft)
        #expect(try direction("", "rtl") == .rightToLeft)
    }

    @Test("A protected book is refused, one with disguised fonts is read")
    func protection() throws {
        var epub = MadeEPUB.book()
        epub.add(
            "META-INF/encryption.xml",
            "<encryption><EncryptionMethod Algorithm='http://www.idpf.org/2008/embedding'/></encryption>")
        #expect(try read(epub).chapters.count == 2)
        epub.add(
            "META-INF/encryption.xml",
            "<e><enc:EncryptionMethod Algorithm='http://www.w3.org/2001/04/xmlenc#aes128-cbc'/></e>")
        #expect(code(epub) == .locked)
    }

    @Test("A file that grows beyond the limits by decompression is refused")
    func bomb() {
        var epub = MadeEPUB.book()
        epub.add("OEBPS/text/a b.xhtml", [UInt8](repeating: 0x61, count: 20 << 20))
        #expect(code(epub) == .tooLarge)
        #expect(code(.book(), limits: EPUBArchive.Limits(files: 3)) == .tooLarge)
        #expect(code(.book(), limits: EPUBArchive.Limits(total: 500)) == .tooLarge)
    }

    @Test("Missing parts are typed errors or warnings")
    func missing() throws {
        for name in ["META-INF/container.xml", "OEBPS/book.opf"] {
            var epub = MadeEPUB.book()
            epub.files.removeAll { $0.name == name }
            #expect(code(epub) == .damaged)
        }
        var epub = MadeEPUB.book()
        epub.files.removeAll { $0.name == "OEBPS/nav.xhtml" || $0.name == "OEBPS/text/notes.xhtml" }
        let text = try read(epub)
        #expect(text.chapters.count == 1)
        #expect(text.warnings.contains { $0.message.contains("missing") })
        epub.files.removeAll { $0.name == "OEBPS/text/a b.xhtml" }
        #expect(code(epub) == .empty)
        #expect(code(.book(body: "<html><body><h1>Only</h1></body></html>")) == .empty)
    }

    @Test("Markup that is not well-formed keeps its text")
    func broken() throws {
        let text = try read(
            .book(
                body: "<p>One <b>two</p><p>three</i> & four &lt; < 5<p class=x>six<!-- <p>no</p> --><![CDATA[ <7> ]]>"))
        #expect(text.verses == ["One two", "three & four < < 5", "six <7>"])
    }

    @Test("Deep nesting ends")
    func deep() throws {
        let text = try read(
            .book(body: String(repeating: "<div><b>", count: 50_000) + "a" + String(repeating: "</b></div>", count: 9)))
        #expect(text.verses == ["a"])
    }

    @Test("Damaged archives never trap", arguments: 0..<40)
    func fuzzArchive(seed: UInt64) throws {
        var numbers = SeededNumbers(state: seed)
        try MadeEPUB.book().write { path in
            var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
            for _ in 0..<Int.random(in: 1...30, using: &numbers) {
                let place = Int.random(in: 0..<bytes.count, using: &numbers)
                bytes[place] = UInt8.random(in: 0...255, using: &numbers)
            }
            if numbers.next() % 4 == 0 { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &numbers)) }
            try withTemporaryFile(bytes, name: "b.epub") { path in
                do { _ = try ReadText(EPUBImporter(BookSource(path: path))) } catch is TextImportError {}
                do { _ = try TextFormat(detecting: path) } catch is TextImportError {}
            }
        }
    }

    @Test("Damaged markup never traps", arguments: 0..<40)
    func fuzzMarkup(seed: UInt64) throws {
        var numbers = SeededNumbers(state: seed)
        let pieces = [
            "<", ">", "/", "<p>", "</p>", "<b>", "</b>", "<!--", "-->", "<![CDATA[", "]]>", "<!", "<?", "&", ";",
            "&#x110000;", "&#0;",
            "\"", "'", "=", "<a epub:type='noteref' href='notes.xhtml#f1'>", "</a>", "<td>", "<tr>", "<li>",
            "<ol start='9223372036854775807'>",
            "<script>", "</script>", "<aside epub:type='footnote' id='q'>", "</aside>", "text ", "<br/>", "<pre>", "\n",
            "<h9>", "<h1 id='two'>",
            "\u{0}", "é", "<p hidden>", ":", "<:>",
        ]
        for _ in 0..<8 {
            let body = (0..<60).compactMap { _ in pieces.randomElement(using: &numbers) }.joined()
            var epub = MadeEPUB.book(body: body)
            epub.add("OEBPS/text/notes.xhtml", body)
            if numbers.next() % 3 == 0 { epub.add("OEBPS/nav.xhtml", body) }
            do { _ = try read(epub) } catch is TextImportError {}
        }
    }
}
