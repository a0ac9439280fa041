import SiftCore
import Testing

@testable import SiftWeb

@Suite("The filter of the library's page")
struct LibraryFilterTests {
    @Test("A filter comes back from its own address") func readsItself() {
        var filter = LibraryFilter()
        filter.show = .kept
        filter.camera = "A+B & Ü=1"
        (filter.from, filter.to) = ("2024-02-29", "2024-12-31")
        (filter.stars, filter.label) = (4, "Blue")
        (filter.damaged, filter.burst) = (true, true)
        #expect(LibraryFilter(query: filter.query) == filter)
        #expect(LibraryFilter(query: "") == LibraryFilter())
        #expect(LibraryFilter(query: "camera=Fujifilm+X-T4").camera == "Fujifilm X-T4")
        #expect(LibraryFilter().query.isEmpty)
    }

    @Test(
        "A value that means nothing is not a filter",
        arguments: ["show=x", "stars=9", "stars=a", "label=Pink", "from=2024-02-30", "to=24-01-01", "camera=", "%zz"])
    func ignoresNonsense(_ query: String) {
        #expect(LibraryFilter(query: query) == LibraryFilter())
    }

    @Test("The days of a filter are whole days of the camera's clock") func readsDays() {
        var filter = LibraryFilter()
        (filter.from, filter.to) = ("2024-05-12", "2024-05-12")
        #expect(filter.stored(inBursts: []) == .every([.all, .taken(from: 1_715_472_000, before: 1_715_558_400)]))
        #expect(filter.text == "2024-05-12")
    }

    @Test("Photos of bursts are listed by their numbers") func listsBursts() {
        var filter = LibraryFilter()
        (filter.show, filter.burst) = (.undecided, true)
        #expect(
            filter.stored(inBursts: [PhotoID(rawValue: 3)]) == .every([.undecided, .among([PhotoID(rawValue: 3)])]))
    }
}
