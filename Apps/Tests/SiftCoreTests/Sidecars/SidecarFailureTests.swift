import Foundation
import HablarePersistence
import Testing

@testable import SiftCore

/// A sidecar that cannot be written leaves the decision as it is.
struct SidecarFailureTests {
    private func expectMarks(_ store: TestStore, _ marks: PhotoMarks, _ decision: PhotoAction.Kind?) async throws {
        let photo = try await store.photo("a.jpg")
        #expect(photo.marks == marks && photo.decision == decision)
        let history = try await store.history()
        #expect(history.allSatisfy { $0.isSettled && $0.failure == nil })
    }

    @Test func keepsARatingBesideADamagedSidecar() async throws {
        let store = try await TestStore("a.jpg")
        try store.test.add("a.xmp", "no XMP")
        try await store.scan()
        try await store.setWritesSidecars(true)
        try await store.decide("a.jpg", .rating, rating: 3)
        #expect(try store.test.contents("a.xmp") == "no XMP")
        try await expectMarks(store, PhotoMarks(rating: 3), nil)
        try await store.undo()
        try await expectMarks(store, PhotoMarks(), nil)
        #expect(try store.test.contents("a.xmp") == "no XMP")
    }

    @Test func keepsAFavouriteBesideAFolderWithTheSidecarsName() async throws {
        let store = try await TestStore("a.jpg", "a.jpg.xmp/other.jpg")
        try await store.setWritesSidecars(true)
        try await store.decide("a.jpg", .favourite)
        try await expectMarks(store, PhotoMarks(isFavourite: true), .favourite)
        #expect(store.test.names(store.test.photos) == ["a.jpg", "a.jpg.xmp"], "No temporary file is left.")
    }

    @Test func tellsEachFailureOnce() async throws {
        let store = try await TestStore("a.jpg", "b.jpg")
        for name in ["a.xmp", "b.xmp"] { try store.test.add(name, "no XMP") }
        try await store.scan()
        try await store.setWritesSidecars(true)
        let (a, b) = (try await store.photo("a.jpg"), try await store.photo("b.jpg"))
        try await store.running(store.processor()) { processor in
            var failures = processor.sidecarFailures.makeAsyncIterator()
            for (photo, rating) in [(a, 1), (a, 2), (b, 3)] {
                try await processor.decide(
                    DecisionRequest(photo, kind: .rating, rating: rating), session: store.session)
                try await processor.flush()
            }
            let first = try #require(await failures.next())
            #expect(first.action.photo == a.id && first.error.code == .processingFailed)
            #expect(first.error.message.contains("a.jpg") && first.error.advice.contains("sidecar"))
            #expect(await failures.next()?.action.photo == b.id)
        }
    }

    @Test func tellsAMissingPermissionOnceForAFolder() throws {
        let reports = SidecarReports()
        let library = LibraryID(rawValue: 1)
        let (a, b) = (try #require(RelativePath("d/a.jpg")), try #require(RelativePath("d/b.jpg")))
        let (missing, damaged) = (PhotoProcessingError(.permissionMissing), PhotoProcessingError(.processingFailed))
        #expect(reports.isNew(missing, of: a, in: library))
        #expect(!reports.isNew(missing, of: b, in: library))
        #expect(reports.isNew(missing, of: try #require(RelativePath("e/a.jpg")), in: library))
        #expect(reports.isNew(damaged, of: b, in: library) && !reports.isNew(damaged, of: b, in: library))
        reports.succeeded(for: a, in: library)
        #expect(reports.isNew(missing, of: b, in: library))
        #expect(!reports.isNew(damaged, of: b, in: library), "The photo's own sidecar is still damaged.")
    }

    /// The system lets root write into every folder.
    @Test(.enabled(if: getuid() != 0)) func keepsFavouritesInAReadOnlyFolder() async throws {
        let store = try await TestStore("a.jpg", "b.jpg")
        try await store.setWritesSidecars(true)
        chmod(store.test.photos.path, 0o555)
        defer { chmod(store.test.photos.path, 0o755) }
        try await store.decide("a.jpg", .favourite)
        try await expectMarks(store, PhotoMarks(isFavourite: true), .favourite)
    }
}
