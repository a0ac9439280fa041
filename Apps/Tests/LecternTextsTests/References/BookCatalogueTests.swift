import LecternTexts
import Testing

@Suite("The catalogue of books")
struct BookCatalogueTests {
    private let catalogue = BookCatalogue.standard

    @Test("It has 39 and 27 books and 20 of the deuterocanon, in order, each with ids of its own")
    func counts() {
        #expect(catalogue.entries.count(where: { $0.testament == .old }) == 39)
        #expect(catalogue.entries.count(where: { $0.testament == .new }) == 27)
        #expect(catalogue.entries.count(where: { $0.testament == .deuterocanon }) == 20)
        #expect(Set(catalogue.entries.map(\.id)).count == 86)
        #expect(Set(catalogue.entries.compactMap(\.usfm)).count == 85)
        let orders = catalogue.entries.map(\.order)
        #expect(orders == orders.sorted())
        #expect(catalogue.entries.last?.id.rawValue == "Rev")
    }

    @Test("Matter and books of other canons are found, but are not among those that people read")
    func further() {
        let orders = ["FRT", "GEN", "TOB", "ENO", "MAT", "LAO", "GLO"].compactMap { catalogue.entry(usfm: $0)?.order }
        #expect(orders.count == 7)
        #expect(orders == orders.sorted())
        #expect(catalogue[BookID(rawValue: "Glossary")]?.testament == nil)
        #expect(catalogue[BookID(rawValue: "1En")]?.testament == .deuterocanon)
        #expect(!catalogue.entries.contains { ["Glossary", "1En", "Front"].contains($0.id.rawValue) })
    }

    @Test(
        "Books are found by their names in SWORD",
        arguments: [
            ("I Samuel", "1Sam"), ("Song of Solomon", "Song"), ("Revelation of John", "Rev"), ("Wisdom", "Wis"),
            ("Epistle of Jeremiah", "EpJer"), ("Prayer of Manasses", "PrMan"), ("Additional Psalm", "AddPs"),
            ("Esther (Greek)", "EsthGr"), ("IV Maccabees", "4Macc"), ("Additions to Daniel", "AddDan"),
            ("V Ezra", "5Ezra"), ("VI Ezra", "6Ezra"), ("Five Apocryphal Syriac Psalms", "5ApocSyrPss"),
            ("IV Ezra", "4Ezra"), ("Laodiceans", "EpLao"), ("II Baruch", "2Bar"),
        ])
    func sword(name: String, id: String) { #expect(catalogue.entry(named: name)?.id.rawValue == id) }

    @Test("Each name, abbreviation and alias belongs to one book")
    func unique() {
        var owners: [String: BookID] = [:]
        for entry in catalogue.entries {
            for name in [entry.id.rawValue, entry.name, entry.abbreviation] + entry.aliases {
                #expect(catalogue.entry(named: name)?.id == entry.id, "\(name)")
                #expect(owners[name] == nil || owners[name] == entry.id, "\(name)")
                owners[name] = entry.id
            }
        }
    }

    @Test("Books are found by USFM identifier and by names with Roman numbers")
    func lookup() {
        #expect(catalogue.entry(usfm: "1sa")?.id.rawValue == "1Sam")
        #expect(catalogue.entry(usfm: "S3Y")?.id.rawValue == "PrAzar")
        #expect(catalogue.entry(named: "II Samuel")?.id.rawValue == "2Sam")
        #expect(catalogue.entry(named: "1 Jn.")?.id.rawValue == "1John")
        #expect(catalogue.entry(named: "") == nil)
        #expect(catalogue.entry(named: "Nothing") == nil)
    }
}
