import Foundation
import LecternTexts
import Testing

@Suite("USX importer")
struct USXImporterTests {
    let folder: ImportFolder

    init() throws { folder = try ImportFolder() }

    static let document = """
        <?xml version="1.0" encoding="utf-8"?><usx version="3.0"><book code="PSA" style="id">x</book>
        <para style="h">Psalms</para><para style="mt1">PSALMS</para><chapter number="3" style="c" sid="PSA 3"/>
        <para style="d">A Psalm.</para><para style="q1"><verse number="1-2" style="v" sid="PSA 3:1-2"/>Lord,
        <char style="wj">how <char style="nd">many</char></char><note caller="+" style="f"><char style="fr">3:1 </char>\
        <char style="ft">Or: <ref loc="GEN 1:1-3">Gen</ref></char></note>!<verse eid="PSA 3:1-2"/></para>
        <para style="b"/><para style="q2"><verse number="3" style="v"/>They | ~ say. <char style="qs">Selah</char></para>
        <para style="zfoo">kept</para><table><row style="tr"><cell style="tc1">a</cell><cell style="tc2">b</cell></row>
        </table><chapter eid="PSA 3"/></usx>
        """

    @Test("A chapter comes out with its title, poetry, notes, styles and table")
    func chapter() throws {
        let file = try folder.file("t.usx", Self.document)
        let text = try ImportedText(USXImporter(file, text: ImportedText.description))
        #expect(text.books.map(\.name) == ["Psalms"])
        #expect(
            text.verses("Ps.3") == ["0 A Psalm.", "1–2 Lord, how many!", "3 They | ~ say. Selah kept a b"])
        #expect(text.styled(.wordsOfChrist) == ["how ", "many"])
        let places = Reference.Place(1, 1)...Reference.Place(1, 3)
        #expect(
            text.notes == [
                Note(.footnote, [.text("Or: Gen")], references: [Reference(BookID(rawValue: "Gen"), places)])
            ])
        #expect(
            text.kinds("Ps.3") == [
                .heading(level: 1), .canonicalTitle, .poetry(indent: 1), .stanzaBreak, .poetry(indent: 2),
                .continuation, .tableRow,
            ])
        #expect(text.warnings.count == 1)
    }

    @Test("A truncated file, another format and an empty folder are typed errors")
    func typedErrors() throws {
        let truncated = try folder.file("a.usx", String(Self.document.prefix(400)))
        let other = try folder.file("b.xml", "<osis></osis>")
        let empty = folder.url.appendingPathComponent("empty")
        try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
        let codes = [truncated, other, empty].map { file in
            #expect(throws: TextImportError.self) {
                try ImportedText(USXImporter(file, text: ImportedText.description))
            }?.code
        }
        #expect(codes == [.damaged, .unknownFormat, .unknownFormat])
    }

    @Test("Damaged files are read or refused, without a trap", arguments: 0..<400)
    func fuzz(seed: Int) throws {
        var random = SeededBytes(state: UInt64(seed))
        let file = try folder.file("f.usx", Data(random.damage(Array(Self.document.utf8))))
        do {
            _ = try ImportedText(USXImporter(file, text: ImportedText.description))
        } catch is TextImportError {}
    }
}
