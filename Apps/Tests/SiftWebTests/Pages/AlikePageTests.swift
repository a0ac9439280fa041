import SiftCore
import Testing

@testable import SiftWeb

@Suite("The page of photos that are alike")
struct AlikePageTests {
    private func photo(_ number: Int64, sharpness: Double) -> Photo {
        var photo = Photo.sample(number)
        photo.features = PhotoFeatures(
            hash64: PhotoHash64(bits: 0), hash256: PhotoHash256(words: (0, 0, 0, 0)), sharpness: sharpness)
        return photo
    }

    @Test("Sharpness ranks within a burst only") func ranks() {
        let photos = [photo(1, sharpness: 30), photo(2, sharpness: 100), photo(3, sharpness: 80)]
        let ids = photos.map(\.id)
        let burst = AlikeGroup(reason: .burst, photos: ids, bySharpness: [ids[1], ids[2], ids[0]])
        let alike = AlikeGroup(reason: .nearDuplicate, photos: ids, bySharpness: [])
        let page = AlikePage([burst, alike], photos: photos, from: 0)
        #expect(page.groups.map { $0.tiles.map(\.sharpness) } == [["Softer", "Sharpest", nil], [nil, nil, nil]])
        #expect(page.groups[0].compare == "/compare?photos=1,2,3")
    }

    @Test("A group needs two undecided photos, and pages of groups follow one another") func pages() {
        let photos = (1...200).map { photo(Int64($0), sharpness: 1) }
        let groups = stride(from: 0, to: 200, by: 2).map {
            AlikeGroup(reason: .nearDuplicate, photos: [photos[$0].id, photos[$0 + 1].id], bySharpness: [])
        }
        let open = AlikePage.open(groups, undecided: Set(photos.map(\.id).filter { $0.rawValue != 2 }))
        let page = AlikePage(open, photos: photos, from: 80)
        #expect(page.groups.count == 19)
        #expect(page.more == nil)
        let first = AlikePage(groups, photos: photos, from: 0)
        #expect(first.groups.count == AlikePage.limit)
        #expect(first.more == "/alike?after=40")
        #expect(AlikePage([], photos: [], from: 0).isEmpty)
    }

    @Test("Of a large group some photos are shown, and only those are read") func largeGroups() {
        let photos = (1...500).map { photo(Int64($0), sharpness: 1) }
        let group = AlikeGroup(reason: .nearDuplicate, photos: photos.map(\.id), bySharpness: [])
        let open = AlikePage.open([group], undecided: Set(photos.map(\.id).dropFirst()))
        let wanted = AlikePage.wanted(open, from: 0)
        #expect(wanted == photos[1...24].map(\.id))
        let page = AlikePage(open, photos: photos.filter { wanted.contains($0.id) }, from: 0)
        #expect(page.groups.map(\.tiles.count) == [24])
        #expect(page.groups[0].title == "Look alike · 499 photos")
        #expect(page.groups[0].rest == "24 are shown. The others follow when these are decided.")
    }
}
