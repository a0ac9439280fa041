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
        #expect(catalogue.entries.map(\.order) == Array(0..<86))
        #expect(catalogue[BookID(rawValue: "Gen")]?.order == 0)
        #expect(catalogue.entries.last?.id.rawValue == "Rev")
    }

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
