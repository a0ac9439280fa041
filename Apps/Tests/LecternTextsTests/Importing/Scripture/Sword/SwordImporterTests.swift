import Foundation
import LecternTexts
import Testing

@Suite("SWORD importer")
struct SwordImporterTests {
    let folder: ImportFolder
    let environment: [String: String]

    init() throws {
        folder = try ImportFolder()
        environment = ["PATH": "/usr/bin:/bin", "SWORD_PATH": folder.url.path, "HOME": folder.url.path]
    }

    /// Makes a program that prints what `mod2imp` would print.
    func program(_ output: String, ending: String = "exit 0") throws -> String {
        let data = try folder.file("out.imp", output)
        let script = try folder.file("mod2imp", "#!/bin/sh\ncat '\(data.path)'\n\(ending)\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script.path)
        return script.path
    }

    func describe(_ lines: String) throws {
        let mods = folder.url.appendingPathComponent("mods.d")
        try FileManager.default.createDirectory(at: mods, withIntermediateDirectories: true)
        _ = try folder.file("mods.d/test.conf", "[Test]\n" + lines)
    }

    func read(_ program: String, stall: Double = 10) throws -> ImportedText {
        try ImportedText(
            SwordImporter(
                module: "Test", text: ImportedText.description, program: program, environment: environment, stall: stall
            ))
    }

    @Test("Entries become chapters: titles before verses, poetry, joined verses, notes and back matter")
    func entries() throws {
        try describe(
            "ModDrv=zText\nSourceType=OSIS\nDescription=A Test\nLang=ar\nVersification=NRSV\nCopyright=Free\nOSISqToTick=false"
        )
        let text = try read(
            try program(
                """
                $$$[ Module Heading ]

                $$$Psalms 0:0
                <div canonical="true" osisID="Ps" sID="b" type="book"/> <title level="1" type="main">PSALMS</title>
                $$$Psalms 3:0
                <chapter n="3" osisID="Ps.3" sID="Ps.3"/> <milestone n="Psalm 3" type="x-chapterLabel"/>
                $$$Psalms 3:1
                <title canonical="true" type="psalm">A Psalm.</title><l level="1" sID="1"/><w>my</w> \
                <w>adversaries</w><l eID="1" level="1"/><l level="2" sID="2"/>Many<l eID="2" level="2"/>
                $$$Psalms 3:2
                <w lemma="x">joined</w> text<note><reference type="annotateRef">3:2 </reference>Or</note>
                $$$Psalms 3:3
                <w lemma="x">joined</w> text<note><reference type="annotateRef">3:2 </reference>Or</note>
                $$$Psalms 3:4
                <q who="Jesus" marker="">end</q><div eID="b" osisID="Ps" type="book"/> <div sID="g" type="glossary"/>Words
                """))
        #expect(text.text?.title == "A Test")
        #expect(text.text?.direction == .rightToLeft)
        #expect(text.text?.versification == "NRSV")
        #expect(text.chapters.map(\.id.description) == ["Ps.3", "Glossary.0"])
        #expect(text.chapter("Ps.3")?.title == "Psalm 3")
        #expect(
            text.verses("Ps.3") == ["0 A Psalm.", "1 my adversaries Many", "2–3 joined text", "4 end"])
        #expect(text.styled(.wordsOfChrist) == ["end"])
        #expect(text.notes == [Note(.footnote, [.text("Or")])])
        #expect(text.warnings.isEmpty)
    }

    @Test("Text of GBF is kept, with a warning")
    func otherMarkup() throws {
        try describe("ModDrv=RawText\nSourceType=GBF\nEncoding=Latin-1")
        let text = try read(try program("$$$Genesis 1:1\nIn<WH1> the <FR>word<Fr><RF>note<Rf> & so\n"))
        #expect(text.verses("Gen.1") == ["1 In the word & so"])
        #expect(text.notes == [Note(.footnote, [.text("note")])])
        #expect(text.warnings.count == 1)
    }

    @Test("A missing program, a module that is missing, broken or no Bible, and a silent program are typed errors")
    func typedErrors() throws {
        let missing = #expect(throws: TextImportError.self) { try read("/nonexistent/mod2imp") }
        let unknown = try program("", ending: "echo \"mod2imp: Couldn't find module: Test\" >&2; exit 255")
        let absent = #expect(throws: TextImportError.self) { try read(unknown) }
        let killed = try program("$$$Genesis 1:1\ntext\n", ending: "kill -SEGV $$")
        let broken = #expect(throws: TextImportError.self) { try read(killed) }
        let words = try program("$$$ABBA\nfather\n")
        let dictionary = #expect(throws: TextImportError.self) { try read(words) }
        let nothing = try program("$$$[ Module Heading ]\n")
        let empty = #expect(throws: TextImportError.self) { try read(nothing) }
        let silent = try program("$$$Genesis 1:1\ntext\n", ending: "exec tail -f /dev/null")
        let stalled = #expect(throws: TextImportError.self) { try read(silent, stall: 0.2) }
        #expect(
            [missing, absent, broken, dictionary, empty, stalled].map { $0?.code } == [
                .toolFailed, .unreadable, .toolFailed, .unknownFormat, .damaged, .toolFailed,
            ])
        try describe("ModDrv=zCom")
        let commentary = #expect(throws: TextImportError.self) { try read(words) }
        #expect(commentary?.message.contains("a commentary") == true)
    }

    @Test("Damaged output is read or refused, without a trap", arguments: 0..<100)
    func fuzz(seed: Int) throws {
        var random = SeededNumbers(state: UInt64(seed))
        let output =
            "$$$Genesis 1:0\n<div type='x'/>\n$$$Genesis 1:1\n<q sID='a' who='Jesus'/>é<note>x</note>\n"
            + "$$$Genesis 1:2\n<l sID='b' level='2'/>y<l eID='b'/><q eID='a'/><lg>z\n"
        let data = try folder.file("out.imp", Data(random.damage(Array(output.utf8))))
        let script = try folder.file("fuzz", "#!/bin/sh\ncat '\(data.path)'\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script.path)
        do { _ = try read(script.path) } catch is TextImportError {}
    }

    /// A separate script counted these over the output of `mod2imp`: 81 books with the glossary; 1,389 chapters with
    /// text, of which the Greek Esther's chapter 11 has a title only; 1,855 footnotes, of which 12 stand in entries that
    /// repeat the one before (such as Sirach 26:19–27) and so are there once; and the ASCII letters outside of tags.
    @Test("The installed World English Bible comes out whole", .enabled(if: swordIsInstalled))
    func worldEnglishBible() throws {
        let text = try ImportedText(
            SwordImporter(
                module: "engWEB2015eb", text: ImportedText.description,
                environment: ["PATH": "/usr/bin:/bin", "HOME": folder.url.path]))
        #expect(text.books.count == 81)
        #expect(text.chapters.filter { $0.id.chapter > 0 }.count == 1389)
        let verse = try #require(text.chapter("John.11")?.verses.first { $0.number == 35 })
        #expect(verse.text == "Jesus wept.")
        let psalm = try #require(text.chapter("Ps.3"))
        #expect(psalm.title == "Psalm 3")
        #expect(psalm.verses.first?.text == "A Psalm by David, when he fled from Absalom his son.")
        #expect(text.styled(.selah).count == 74)
        #expect(text.styled(.wordsOfChrist).count >= 2000)
        #expect(text.notes.count { $0.kind == .crossReference } == 363)
        #expect(text.notes.count { $0.kind == .footnote } == 1843)
        #expect(text.letters == 3_868_164)
        #expect(text.warnings.isEmpty)
    }
}

private let swordIsInstalled =
    FileManager.default.fileExists(atPath: "/usr/share/sword/mods.d/engWEB2015eb.conf")
    && FileManager.default.isExecutableFile(atPath: "/usr/bin/mod2imp")
