import Foundation
import LecternTexts
import Testing

@Suite("OSIS importer")
struct OSISImporterTests {
    let folder: ImportFolder

    init() throws { folder = try ImportFolder() }

    func read(_ body: String, header: String = "") throws -> ImportedText {
        let file = try folder.file("t.xml", Self.document(body, header: header))
        return try ImportedText(OSISImporter(file, text: ImportedText.description))
    }

    static func document(_ body: String, header: String = "") -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <osis xmlns="http://www.bibletechnologies.net/2003/OSIS/namespace">
        <osisText osisIDWork="T" xml:lang="he"><header><work osisWork="T"><title>A Title</title>\(header)</work></header>
        \(body)</osisText></osis>
        """
    }

    @Test("The header describes the text, and its language gives the direction")
    func header() throws {
        let text = try read(
            "<div type='book' osisID='Gen'><chapter osisID='Gen.1'><verse osisID='Gen.1.1'>a</verse></chapter></div>",
            header: "<rights>Free</rights><refSystem>Bible.KJV</refSystem>")
        #expect(text.text?.title == "A Title")
        #expect(text.text?.language == "he")
        #expect(text.text?.direction == .rightToLeft)
        #expect(text.text?.rights == "Free")
        #expect(text.text?.versification == "KJV")
        #expect(text.books == [BookDescription(id: BookID(rawValue: "Gen"), name: "Genesis", abbreviation: "Gen")])
    }

    @Test("Containers and milestones give the same chapter")
    func forms() throws {
        let containers = try read(
            """
            <div type="book" osisID="Ps"><chapter osisID="Ps.3"><title canonical="true" type="psalm">A Psalm.</title>
            <lg><l level="1"><verse osisID="Ps.3.1">Lord, how many</verse></l>
            <l level="2"><verse osisID="Ps.3.2">who <q who="Jesus" marker="">say</q></verse></l></lg></chapter></div>
            """)
        let milestones = try read(
            """
            <div type="book" osisID="Ps"><chapter osisID="Ps.3" sID="c"/><title canonical="true" type="psalm">A Psalm.</title>
            <lg sID="g"/><l level="1" sID="1"/><verse osisID="Ps.3.1" sID="v"/>Lord, how many<verse eID="v"/><l eID="1"/>
            <l level="2" sID="2"/><verse osisID="Ps.3.2" sID="w"/>who <q who="Jesus" marker="" sID="q"/>say<q eID="q"/>\
            <verse eID="w"/><l eID="2"/><lg eID="g"/><chapter eID="c"/></div>
            """)
        #expect(containers.chapters == milestones.chapters)
        #expect(containers.verses("Ps.3") == ["0 A Psalm.", "1 Lord, how many", "2 who say"])
        #expect(containers.kinds("Ps.3").first == .canonicalTitle)
        #expect(containers.kinds("Ps.3").suffix(2) == [.poetry(indent: 1), .poetry(indent: 2)])
        #expect(containers.styled(.wordsOfChrist) == ["say"])
        #expect(containers.warnings.isEmpty)
    }

    @Test("Words lose their tags and stay apart; styles, notes and references come out")
    func inlines() throws {
        let text = try read(
            """
            <div type="book" osisID="John"><chapter osisID="John.3"><p><verse osisID="John.3.16 John.3.17">
            <w lemma="strong:G1">For</w> <w>God</w><note type="crossReference" n="a"><reference osisRef="Rom.5.8-Rom.5.9">Ro
            5</reference></note> <transChange type="added">so</transChange> <divineName>Lord</divineName>&amp;&#x263A;
            </verse></p></chapter></div>
            """)
        #expect(text.verses("John.3") == ["16–17 For God so Lord&☺"])
        #expect(text.styled(.added) == ["so"])
        #expect(text.styled(.divineName) == ["Lord"])
        let places = Reference.Place(5, 8)...Reference.Place(5, 9)
        let reference = Reference(BookID(rawValue: "Rom"), places)
        #expect(text.notes == [Note(.crossReference, mark: "a", [.text("Ro 5")], references: [reference])])
    }

    @Test("An introduction is chapter 0, and a title alone heads chapter 1")
    func introductions() throws {
        let text = try read(
            """
            <div type="book" osisID="Gen"><title type="main">GENESIS</title><div type="introduction"><p>About.</p></div>
            <chapter osisID="Gen.1"><p><verse osisID="Gen.1.1">a</verse></p></chapter></div>
            <div type="book" osisID="Exod"><title type="main">EXODUS</title>
            <chapter osisID="Exod.1"><title>Names</title><p><verse osisID="Exod.1.1">b</verse></p>
            <table><row><cell>x</cell><cell>y</cell></row></table></chapter></div>
            """)
        #expect(text.chapters.map(\.id.description) == ["Gen.0", "Gen.1", "Exod.1"])
        #expect(text.kinds("Gen.0") == [.heading(level: 1), .paragraph])
        #expect(text.kinds("Exod.1") == [.heading(level: 1), .heading(level: 3), .paragraph, .tableRow])
        #expect(text.chapter("Exod.1")?.blocks.last?.fragments.count == 2)
    }

    @Test("A verse that occurs twice or out of order, and a note in a note, are warnings and lose no text")
    func warnings() throws {
        let text = try read(
            """
            <div type="book" osisID="Gen"><chapter osisID="Gen.1"><p><verse osisID="Gen.1.2">b</verse>
            <verse osisID="Gen.1.1">a</verse> <verse osisID="Gen.1.2">c<note>x<note>y</note></note></verse><foo>z</foo></p>
            </chapter></div>
            """)
        #expect(text.verses("Gen.1") == ["2 b cz", "1 a"])
        #expect(text.notes == [Note(.footnote, [.text("x [y]")])])
        #expect(text.warnings.count == 4)
    }

    @Test(
        "A file with declared entities, bad bytes, unknown entities or unmatched tags is refused",
        arguments: [
            "<!DOCTYPE osis [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><osis>&a;</osis>",
            "<!DOCTYPE osis [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;'>]><osis>&b;</osis>",
            "<osis>&a;</osis>", "<osis><p></osis>", "<osis><p>", "<osis><p", "<osis a=b></osis>", "", "text",
            "<osis></osis><osis></osis>", "<?xml version='1.0' encoding='latin1'?><osis></osis>", "<osis>\u{1}<</osis>",
        ])
    func refused(document: String) throws {
        let file = try folder.file("r.xml", document)
        #expect(throws: TextImportError.self) {
            try ImportedText(OSISImporter(file, text: ImportedText.description))
        }
    }

    @Test(
        "Declared entities are the reason of the refusal, whether they are used or not",
        arguments: [
            "<!DOCTYPE osis [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><osis>&a;</osis>",
            "<!DOCTYPE osis [<!ENTITY a 'ha'>]><osis>a</osis>", "<!DOCTYPE osis [\n<!ELEMENT a ANY>\n]><osis>a</osis>",
        ])
    func entities(document: String) throws {
        let file = try folder.file("e.xml", document)
        let error = #expect(throws: TextImportError.self) {
            try ImportedText(OSISImporter(file, text: ImportedText.description))
        }
        #expect(error?.code == .damaged)
        #expect(error?.message.contains("declares entities") == true)
    }

    @Test("Deep nesting, invalid UTF-8 and another format are typed errors")
    func typedErrors() throws {
        let deep = String(repeating: "<q>", count: 300) + String(repeating: "</q>", count: 300)
        #expect(throws: TextImportError.self) { try read(deep) }
        let bad = try folder.file("b.xml", Data("<osis>".utf8 + [0xFF, 0xC0] + "</osis>".utf8))
        let other = try folder.file("o.xml", "<html></html>")
        let codes = [bad, other, folder.url.appendingPathComponent("none")].map { file in
            #expect(throws: TextImportError.self) {
                try ImportedText(OSISImporter(file, text: ImportedText.description))
            }?.code
        }
        #expect(codes == [.damaged, .unknownFormat, .unreadable])
    }

    @Test("Damaged documents are read or refused, without a trap", arguments: 0..<400)
    func fuzz(seed: Int) throws {
        var random = SeededNumbers(state: UInt64(seed))
        let document = Self.document(
            """
            <div type="book" osisID="Gen"><title type="main">G</title><chapter osisID="Gen.1" sID="a"/><lg><l level="2">
            <verse osisID="Gen.1.1" sID="b"/>é <q who="Jesus">x<note n="1">y <reference osisRef="Gen.1.1-Gen.2">r</reference>
            </note></q><verse eID="b"/></l></lg><list><item>i</item></list><chapter eID="a"/></div>
            """)
        let file = try folder.file("f.xml", Data(random.damage(Array(document.utf8))))
        do {
            _ = try ImportedText(OSISImporter(file, text: ImportedText.description))
        } catch is TextImportError {}
    }
}
