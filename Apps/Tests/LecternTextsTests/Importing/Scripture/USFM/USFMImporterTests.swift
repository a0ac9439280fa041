import CZip
import Foundation
import LecternTexts
import Testing

@Suite("USFM importer")
struct USFMImporterTests {
    let folder: ImportFolder

    init() throws { folder = try ImportFolder() }

    func read(_ content: String) throws -> ImportedText {
        try ImportedText(USFMImporter(try folder.file("t.usfm", content), text: ImportedText.description))
    }

    @Test("Names, introduction, headings, poetry, Selah and canonical titles come out")
    func structure() throws {
        let text = try read(
            #"""
            \id PSA A test
            \h Psalms
            \toc3 Ps
            \mt1 THE PSALMS
            \ip About the psalms.
            \cl Psalm
            \c 3
            \s1 Trouble
            \r (2 Samuel 15)
            \d A Psalm by David.
            \q1
            \v 1 Lord, how many
            \q2 they are! \qs Selah.\qs*
            \b
            \q1
            \v 2-3 Many say
            \p
            \v 4a Prose \nd Lord\nd* and \add more \+nd God\+nd* here\add*,
            \m goes on.
            """#)
        #expect(text.books == [BookDescription(id: BookID(rawValue: "Ps"), name: "Psalms", abbreviation: "Ps")])
        #expect(text.chapters.map(\.id.description) == ["Ps.0", "Ps.3"])
        #expect(text.chapter("Ps.3")?.title == "Psalm 3")
        #expect(
            text.verses("Ps.3") == [
                "0 A Psalm by David.", "1 Lord, how many they are! Selah.", "2–3 Many say",
                "4a Prose Lord and more God here, goes on.",
            ])
        #expect(
            text.kinds("Ps.3") == [
                .heading(level: 3), .heading(level: 5), .canonicalTitle, .poetry(indent: 1), .poetry(indent: 2),
                .stanzaBreak, .poetry(indent: 1), .paragraph, .continuation,
            ])
        #expect(text.styled(.selah) == ["Selah."])
        #expect(text.styled(.divineName) == ["Lord", "God"])
        #expect(text.styled(.added) == ["more ", "God", " here"])
        #expect(text.warnings.isEmpty)
    }

    @Test("Notes, references and attributes come out, and a note leaves the style around it")
    func notes() throws {
        let text = try read(
            #"""
            \id JHN
            \c 3
            \p
            \v 16 \wj For \w God|lemma="theos" strong="G2316"\w* so\f + \fr 3:16 \ft Or: \fqa thus\fqa* here.\f* loved\wj*
            the world\x a \xo 3:16 \xt Rom 5:8|ROM 5:8-9\xt*\x*. \fig A map|src="m.jpg" size="col"\fig* \zfoo kept\zfoo*
            \tr \th1 Day \th2 Tribe
            \tr \tc1 1st \tc2 Judah
            """#)
        #expect(text.verses("John.3") == ["16 For God so loved the world. A map kept Day Tribe 1st Judah"])
        #expect(text.styled(.wordsOfChrist) == ["For God so", " loved"])
        let places = Reference.Place(5, 8)...Reference.Place(5, 9)
        #expect(
            text.notes == [
                Note(.footnote, [.text("Or: "), .text("thus", .emphasis), .text(" here.")]),
                Note(
                    .crossReference, mark: "a", [.text("Rom 5:8")],
                    references: [Reference(BookID(rawValue: "Rom"), places)]),
            ])
        #expect(text.kinds("John.3") == [.paragraph, .tableRow, .tableRow])
        #expect(text.chapter("John.3")?.blocks.last?.fragments.count == 2)
        #expect(text.warnings.count == 1)
    }

    @Test("A folder, and an archive with hostile names, are read in canonical order")
    func manyFiles() throws {
        let files = [
            ("a.usfm", "\\id REV\n\\c 1\n\\p\n\\v 1 last"), ("b.SFM", "\\id TOB\n\\c 1\n\\p\n\\v 1 between"),
            ("c.usfm", "\\id GEN\n\\c 1\n\\p\n\\v 1 first"), ("d.txt", "no"),
        ]
        let zip = folder.url.deletingLastPathComponent().appendingPathComponent("\(UUID()).zip")
        var code: Int32 = 0
        let archive = try #require(zip_open(zip.path, ZIP_CREATE, &code))
        for (name, content) in files {
            let file = try folder.file(name, content)
            #expect(zip_file_add(archive, "../../" + name, zip_source_file(archive, file.path, 0, -1), 0) >= 0)
        }
        #expect(zip_close(archive) == 0)
        for url in [folder.url, zip] {
            let text = try ImportedText(USFMImporter(url, text: ImportedText.description))
            #expect(text.books.map(\.id.rawValue) == ["Gen", "Tob", "Rev"])
            #expect(text.verses("Tob.1") == ["1 between"])
        }
        try FileManager.default.removeItem(at: zip)
    }

    @Test("Verses twice or out of order, bad bytes, unknown books and nested notes are warnings and lose no text")
    func warnings() throws {
        let content = Data(#"\id ZZZ\c 1\p\v 2 b \v 1 a \v 2 c\f + \ft x\f + \ft y\f*\f* \v x d "#.utf8) + [0xE9]
        let file = try folder.file("w.usfm", content)
        let text = try ImportedText(USFMImporter(file, text: ImportedText.description))
        #expect(text.books.map(\.id.rawValue) == ["ZZZ"])
        #expect(text.verses("ZZZ.1") == ["2 b c x d �", "1 a"])
        #expect(text.warnings.count == 6)
        #expect(text.notes == [Note(.footnote, [.text("x [y]")])])
    }

    @Test("What is no USFM, has no text, or has a chapter without end is a typed error")
    func typedErrors() throws {
        let endless = #"\id GEN\c 1\p\v 1 "# + String(repeating: "word ", count: 4 << 20)
        let codes = ["just text", #"\p no id"#, #"\id GEN"#, endless].map { content in
            #expect(throws: TextImportError.self) { try read(content) }?.code
        }
        #expect(codes == [.unknownFormat, .unknownFormat, .empty, .tooLarge])
        #expect(throws: TextImportError.self) {
            try ImportedText(USFMImporter(folder.url.appendingPathComponent("none"), text: ImportedText.description))
        }
    }

    @Test("Damaged files are read or refused, without a trap", arguments: 0..<400)
    func fuzz(seed: Int) throws {
        var random = SeededBytes(state: UInt64(seed))
        let content = #"""
            \id GEN é
            \h G
            \mt1 T
            \c 1
            \q2
            \v 1-2 \wj a \+nd b\+nd*\f + \fr 1 \ft x \xt c|GEN 1:1\xt*\f*\wj* \w d|l="e"\w* \qt-s |who="x"\* f
            \tr \tc1 g \tc2 h
            \vp 3\vp* \ca 4\ca*
            """#
        let file = try folder.file("f.usfm", Data(random.damage(Array(content.utf8))))
        do {
            _ = try ImportedText(USFMImporter(file, text: ImportedText.description))
        } catch is TextImportError {}
    }
}
