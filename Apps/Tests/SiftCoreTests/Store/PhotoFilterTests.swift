import Foundation
import GRDB
import HablarePersistence
import HablareTestKit
import Testing

@testable import SiftCore

@Suite struct PhotoFilterTests {
    private func names(_ store: TestStore, _ filter: PhotoStore.Filter) async throws -> [String] {
        let found = try await store.photos(filter)
        let id = store.library.id
        let count = try await store.database.read { try PhotoStore().count(of: id, filter, in: $0) }
        #expect(count == found.count)
        return found.map(\.principal.path.description)
    }

    @Test func findsPhotosByTheirDecisionsAndMarks() async throws {
        let store = try await TestStore("a.jpg", "b.jpg", "c.jpg", "d.jpg")
        let (a, b, c) = (try await store.photo("a.jpg"), try await store.photo("b.jpg"), try await store.photo("c.jpg"))
        try await store.running(store.processor()) { processor in
            for request in [
                DecisionRequest(a, kind: .keep), DecisionRequest(b, kind: .trash), DecisionRequest(c, kind: .favourite),
                DecisionRequest(a, kind: .rating, rating: 4), DecisionRequest(b, kind: .label, label: "Red"),
            ] { try await processor.decide(request, session: store.session) }
            try await processor.flush()
        }
        #expect(try await names(store, .undecided) == ["d.jpg"])
        #expect(try await names(store, .kept) == ["a.jpg"])
        #expect(try await names(store, .favourites) == ["c.jpg"])
        #expect(try await names(store, .rated(4)) == ["a.jpg"])
        #expect(try await names(store, .rated(5)).isEmpty)
        #expect(try await names(store, .labelled("Red")) == ["b.jpg"])
        #expect(try await names(store, .every([.all, .labelled("Red")])).isEmpty, "It is in the trash.")
        #expect(try await names(store, .every([.trashed, .labelled("Red")])) == ["b.jpg"])
        #expect(try await names(store, .among([a.id, c.id])) == ["a.jpg", "c.jpg"])
        #expect(try await names(store, .every([.kept, .among([c.id])])).isEmpty)
        #expect(try await names(store, .every([])).count == 4)
    }

    @Test func findsPhotosByTheirHeaders() async throws {
        let store = try await TestStore("a.jpg", "b.jpg", "c.jpg")
        let camera = #"Maker "X"; DROP TABLE shot"#
        for (name, camera, time) in [("a.jpg", camera, 1000.0), ("b.jpg", "Other", 2000.0)] {
            let photo = try await store.photo(name)
            let header = PhotoHeader(
                format: "jpeg", width: 4, height: 3, captured: CaptureTime(localSeconds: time), camera: camera,
                predictedBytes: 10)
            try await store.database.write {
                try PhotoStore().save(header, of: photo.id, version: photo.version, in: $0)
            }
        }
        let damaged = try await store.photo("c.jpg")
        try await store.database.write {
            try PhotoStore().save(
                PhotoProcessingError(.processingFailed), of: damaged.id, version: damaged.version, in: $0)
        }
        let id = store.library.id
        #expect(try await store.database.read { try PhotoStore().cameras(of: id, in: $0) } == [camera, "Other"])
        #expect(try await names(store, .camera(camera)) == ["a.jpg"])
        #expect(try await names(store, .taken(from: 1000, before: 2000)) == ["a.jpg"])
        #expect(try await names(store, .every([.all, .taken(from: 2000, before: 3000)])) == ["b.jpg"])
        #expect(try await names(store, .taken(from: nil, before: nil)).count == 3)
        #expect(try await names(store, .damaged) == ["c.jpg"])
    }

    @Test(
        "The search for alike photos gets the same values from the store as from whole photos",
        arguments: Seeds.choose(5))
    func readsAlikePhotos(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let store = try await TestStore("a.jpg", "b.jpg", "c.jpg", "d.jpg", "e.jpg")
        for photo in try await store.photos() {
            let number = Double.random(in: 0..<1000, using: &random)
            let knows = Bool.random(using: &random)
            let header = PhotoHeader(
                format: "jpeg", width: .random(in: 1...9000, using: &random),
                height: .random(in: 1...9000, using: &random), orientation: .random(in: 1...8, using: &random),
                captured: knows ? CaptureTime(localSeconds: number) : nil, camera: knows ? "Maker \"Ä\"" : nil,
                exposure: knows
                    ? PhotoExposure(
                        seconds: 1 / 320, aperture: number, sensitivity: 200, bias: -2 / 3, mode: 2, focalLength: 35,
                        subjectDistance: number / 7) : PhotoExposure(),
                predictedBytes: 10)
            let features = PhotoFeatures(
                hash64: PhotoHash64(bits: .random(in: 0 ... .max, using: &random)),
                hash256: PhotoHash256(words: (1, 2, 3, .max)), sharpness: number)
            try await store.database.write {
                try PhotoStore().save(header, of: photo.id, version: photo.version, in: $0)
                try PhotoStore().save(features, of: photo.id, version: photo.version, in: $0)
            }
        }
        let id = store.library.id
        let read = try await store.database.read { try PhotoStore().alikePhotos(of: id, in: $0) }
        let whole = try await store.photos().compactMap(AlikePhoto.init)
        #expect(read.sorted { $0.id.rawValue < $1.id.rawValue } == whole.sorted { $0.id.rawValue < $1.id.rawValue })
        #expect(read.count == 5)
        let changed = try #require(read.first?.id)
        for header in ["{", #"{"width":"wide","height":3,"orientation":1}"#, #"{"width":4}"#] {
            try await store.database.write { db in
                try db.execute(sql: "UPDATE shot SET header = ? WHERE id = ?", arguments: [header, changed.rawValue])
            }
            #expect(try await store.database.read { try PhotoStore().alikePhotos(of: id, in: $0) }.count == 4)
        }
    }
}
