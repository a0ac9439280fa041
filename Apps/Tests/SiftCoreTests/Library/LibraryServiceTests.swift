import Foundation
import GRDB
import Hablare
import HablareLoading
import HablarePersistence
import HablareStores
import HablareTestKit
import Synchronization
import Testing

@testable import SiftCore

struct LibraryServiceTests {
    private let imaging = FakeImaging()

    private func indexer(_ store: TestStore) throws -> PhotoIndexer {
        let opening = StoredPhotoOpening(store.database)
        let engine = AIRequestManager(
            store: InMemoryStore(),
            providers: try ProviderRegistry([PhotoAnalyst(imaging: imaging, opening: opening, budget: LoadBudget())]))
        return PhotoIndexer(database: store.database, imaging: imaging, opening: opening, engine: engine)
    }

    private func service(_ store: TestStore) throws -> LibraryService {
        try LibraryService(
            store.library.id, database: store.database, indexer: indexer(store), seams: .controlled(by: store.clock))
    }

    @Test func scansAgainAfterAChange() async throws {
        let store = try await TestStore()
        try store.test.add("d/a.jpg")
        let service = try service(store)
        let watching = Count(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            let activities = service.activities
            group.addTask {
                for await activity in activities {
                    if activity == .watching { watching.add(1) }
                    // The pages would say that Sift looks for photos after every scan.
                    if case .scanning(let progress) = activity { #expect(!progress.isComplete) }
                }
            }
            group.addTask { try await service.run() }
            await untilTrue { watching.value > 0 }
            #expect(try await store.photos().count == 1)
            try store.test.add("d/b.jpg")
            // The poll sleeps too.
            await store.clock.sleepers(reach: 2)
            store.clock.advance(by: LibraryService.quietTime)
            try await untilTrue { try await store.photos().count == 2 }
            group.cancelAll()
        }
    }

    @Test func restsBetweenScansForFourTimesAsLongAsOneTakes() async throws {
        let store = try await TestStore()
        try store.test.add("a.jpg")
        // The first commit takes 10 s, and every commit notes its time.
        let commits = CommitTimes(store.clock, first: .seconds(10))
        store.database.writer.add(transactionObserver: commits)
        let service = LibraryService(store.library.id, database: store.database, seams: .controlled(by: store.clock))
        let watching = Count(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            let activities = service.activities
            group.addTask { for await activity in activities where activity == .watching { watching.add(1) } }
            group.addTask { try await service.run() }
            await untilTrue { watching.value > 0 }
            let before = commits.times.count
            try store.test.add("b.jpg")
            await store.clock.sleepers(reach: 2)
            store.clock.advance(by: .milliseconds(39_500))
            for _ in 0..<500 { await Task.yield() }
            #expect(commits.times.count == before)
            store.clock.advance(by: .milliseconds(500))
            try await untilTrue { try await store.photos().count == 2 }
            #expect(commits.times[before] >= .seconds(50))
            group.cancelAll()
        }
    }

    @Test func pollsFromTheScanAtWhichTheKernelHasNoWatchLeft() async throws {
        let store = try await TestStore()
        let isFull = Count(0)
        let service = LibraryService(
            store.library.id, database: store.database, seams: .controlled(by: store.clock),
            makeWatch: { folder in
                LibraryWatch(folder) { isFull.value > 0 ? -1 : LibraryWatch.kernel($0, $1, $2) }
            })
        let watching = Count(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            let activities = service.activities
            group.addTask { for await activity in activities where activity == .watching { watching.add(1) } }
            group.addTask { try await service.run() }
            await untilTrue { watching.value > 0 }
            isFull.add(1)
            try store.test.add("d/a.jpg")
            await store.clock.sleepers(reach: 2)
            store.clock.advance(by: LibraryService.quietTime)
            await untilTrue { watching.value > 1 }
            #expect(try await store.photos().count == 1)
            // Nothing reports a change of the new folder.
            try store.test.add("d/b.jpg")
            await store.clock.sleepers(reach: 1)
            store.clock.advance(by: LibraryService.pollingInterval)
            await store.clock.sleepers(reach: 2)
            store.clock.advance(by: LibraryService.quietTime)
            try await untilTrue { try await store.photos().count == 2 }
            group.cancelAll()
        }
    }

    @Test func triesAgainWhereTheFolderIsMissing() async throws {
        let store = try await TestStore("a.jpg")
        let away = store.test.base.appending(path: "away")
        try FileManager.default.moveItem(at: store.test.photos, to: away)
        let service = try service(store)
        try await withThrowingTaskGroup(of: Void.self) { group in
            var activities = service.activities.makeAsyncIterator()
            group.addTask { try await service.run() }
            guard case .failed(let error) = await activities.next() else {
                Issue.record("No failure was reported.")
                return group.cancelAll()
            }
            #expect(error.code == .photoGone)
            try FileManager.default.moveItem(at: away, to: store.test.photos)
            await store.clock.sleepers(reach: 1)
            store.clock.advance(by: LibraryService.retryDelay)
            while let activity = await activities.next() { if activity == .watching { break } }
            group.cancelAll()
        }
        #expect(try await store.photos().count == 1)
    }

    /// Without a provider the engine refuses every request, as it does when its store is full.
    @Test func keepsWatchingWhereIndexingFails() async throws {
        let store = try await TestStore("a.jpg")
        let indexer = PhotoIndexer(
            database: store.database, imaging: imaging, opening: StoredPhotoOpening(store.database),
            engine: AIRequestManager(store: InMemoryStore(), providers: try ProviderRegistry([])))
        let service = LibraryService(
            store.library.id, database: store.database, indexer: indexer, seams: .controlled(by: store.clock))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            try await untilTrue { try await store.photo("a.jpg").header != nil }
            // The index waits for its next attempt, and the poll for its time.
            await store.clock.sleepers(reach: 2)
            try store.test.add("b.jpg")
            await store.clock.sleepers(reach: 3)
            store.clock.advance(by: LibraryService.quietTime)
            try await untilTrue { try await store.photos().count == 2 }
            #expect(try await store.photo("b.jpg").header == nil)
            store.clock.advance(by: LibraryService.indexRetryDelay)
            try await untilTrue { try await store.photo("b.jpg").header != nil }
            group.cancelAll()
        }
    }

    @Test func indexesHeaders() async throws {
        let store = try await TestStore("a.jpg", "b.jpg")
        let indexer = try indexer(store)
        #expect(try await indexer.readHeaders(of: store.library.id) == 2)
        #expect(try await store.photo("a.jpg").header?.width == 4000)
        #expect(try await indexer.readHeaders(of: store.library.id) == 0)
        let id = store.library.id
        let photo = try await store.photo("b.jpg")
        let features = PhotoFeatures(
            hash64: PhotoHash64(bits: .max), hash256: PhotoHash256(words: (1, 2, 3, .max)), sharpness: 4.5)
        try await store.database.write {
            try PhotoStore().save(features, of: photo.id, version: photo.version, in: $0)
        }
        let alike = try await store.database.read { try PhotoStore().alikePhotos(of: id, in: $0) }
        #expect(alike.map(\.id) == [photo.id] && alike.first?.features == features && alike.first?.width == 4000)
        #expect(try await store.photo("b.jpg").features == features)
    }
}

/// Notes when the database commits. The first commit takes its time.
private final class CommitTimes: TransactionObserver, Sendable {
    private let clock: ManualClock
    private let delay: Duration
    private let state = Mutex<[Duration]>([])

    init(_ clock: ManualClock, first delay: Duration) { (self.clock, self.delay) = (clock, delay) }

    var times: [Duration] { state.withLock { $0 } }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) {
        if times.isEmpty { clock.advance(by: delay) }
        state.withLock { $0.append(clock.now.offset) }
    }
    func databaseDidRollback(_ db: Database) {}
}
