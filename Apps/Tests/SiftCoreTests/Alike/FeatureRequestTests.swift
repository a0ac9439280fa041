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

/// Hashes and sharpness as requests of the engine.
struct FeatureRequestTests {
    private let imaging = FakeImaging()
    private static let features = PhotoFeatures(
        hash64: PhotoHash64(bits: 7), hash256: PhotoHash256(words: (1, 2, 3, 4)), sharpness: 2.5)

    private func engine(
        _ store: TestStore, _ requests: InMemoryStore, _ budget: LoadBudget? = nil
    ) throws -> AIRequestManager {
        let analyst = PhotoAnalyst(
            imaging: imaging, opening: StoredPhotoOpening(store.database), budget: try budget ?? LoadBudget())
        return AIRequestManager(
            store: requests, providers: try ProviderRegistry([analyst]),
            configuration: PhotoAnalyst.engineConfiguration)
    }

    private func indexer(_ store: TestStore, _ engine: AIRequestManager) -> PhotoIndexer {
        PhotoIndexer(
            database: store.database, imaging: imaging, opening: StoredPhotoOpening(store.database), engine: engine)
    }

    private func compute(_ store: TestStore, _ engine: AIRequestManager) async throws -> Int {
        let (indexer, library) = (indexer(store, engine), store.library.id)
        return try await EngineService.run(engine) { try await indexer.computeFeatures(of: library) }
    }

    @Test func areRequestsOfLowPriority() async throws {
        let store = try await TestStore("a.jpg", "b.jpg")
        imaging.state.withLock { $0.features = [.success(Self.features), .success(Self.features)] }
        let engine = try engine(store, InMemoryStore())
        #expect(try await compute(store, engine) == 2)
        #expect(try await store.photo("a.jpg").features == Self.features)
        let requests = try await engine.snapshots()
        #expect(requests.count == 1, "One request for both photos.")
        #expect(requests.allSatisfy { $0.priority == .low && $0.phase == .completed })
        let digest = try await store.database.read { db in
            try PhotoStore().knownShots(of: store.library.id, in: db).compactMap(\.digest)
        }
        #expect(digest.count == 2)
        #expect(try await compute(store, engine) == 0, "What is in the store is not asked for again.")
        #expect(imaging.state.withLock { $0.featureCalls } == 2)
    }

    /// As if the program was ended between the answer and its place in the store.
    @Test func aRestartDoesNotComputeAgain() async throws {
        let store = try await TestStore("a.jpg")
        imaging.state.withLock { $0.features = [.success(Self.features)] }
        let requests = InMemoryStore()
        #expect(try await compute(store, try engine(store, requests)) == 1)
        try await store.database.write {
            try $0.execute(sql: "UPDATE shot SET hash64 = NULL, hash256 = NULL, sharpness = NULL")
        }
        #expect(try await store.photo("a.jpg").features == nil)
        #expect(try await compute(store, try engine(store, requests)) == 1)
        #expect(try await store.photo("a.jpg").features == Self.features)
        #expect(imaging.state.withLock { $0.featureCalls } == 1)
    }

    @Test func aChangedPhotoIsComputedAnew() async throws {
        let store = try await TestStore("a.jpg")
        var other = Self.features
        other.sharpness = 9
        imaging.state.withLock { [other] in $0.features = [.success(Self.features), .success(other)] }
        let engine = try engine(store, InMemoryStore())
        #expect(try await compute(store, engine) == 1)
        try store.test.add("a.jpg", "another content, longer than the first")
        try await store.scan()
        #expect(try await compute(store, engine) == 1)
        #expect(try await store.photo("a.jpg").features == other)
    }

    @Test func aPhotoThatCannotBeDecodedIsAnAnswerToo() async throws {
        let store = try await TestStore("a.jpg", "b.jpg")
        let failure = PhotoProcessingError(.processingFailed, message: "It is a text.")
        let passing = PhotoProcessingError(.permissionMissing)
        imaging.state.withLock { $0.features = [.failure(failure), .failure(passing)] }
        let engine = try engine(store, InMemoryStore())
        #expect(try await compute(store, engine) == 0)
        let failures = try await store.photos().compactMap(\.failure)
        #expect(failures == [failure], "A failure that may pass is not recorded.")
        #expect(imaging.state.withLock { $0.featureCalls } == 2)
    }

    @Test func damagedPhotosAreComparedWithNone() async throws {
        let store = try await TestStore("a.jpg")
        var damaged = Self.features
        damaged.isDamaged = true
        imaging.state.withLock { [damaged] in $0.features = [.success(damaged)] }
        let engine = try engine(store, InMemoryStore())
        try await indexer(store, engine).readHeaders(of: store.library.id)
        #expect(try await compute(store, engine) == 1)
        let photo = try await store.photo("a.jpg")
        #expect(photo.isDamaged && photo.features == damaged)
        #expect(AlikePhoto(photo) == nil)
        let library = store.library.id
        #expect(try await store.database.read { try PhotoStore().alikePhotos(of: library, in: $0) }.isEmpty)
    }

    @Test func theSessionsEndCancelsWhatIsUnderWay() async throws {
        let store = try await TestStore("a.jpg", "b.jpg")
        imaging.hold()
        let engine = try engine(store, InMemoryStore())
        let (indexer, imaging, library) = (indexer(store, engine), imaging, store.library.id)
        try await EngineService.run(engine) {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    await #expect(throws: CancellationError.self) {
                        try await indexer.computeFeatures(of: library)
                    }
                }
                await untilTrue { imaging.heldCount == 1 }
                group.cancelAll()
                await group.waitForAll()
            }
            imaging.release()
            let requests = try await engine.snapshots()
            #expect(requests.map(\.phase) == [.cancelled])
        }
        #expect(try await store.photos().allSatisfy { $0.features == nil && $0.failure == nil })
    }

    @Test(arguments: [
        (PhotoProcessingError.Code.cancelled, AIServiceError.Code.cancelled), (.needsNetwork, .connectionFailed),
        (.diskFull, .connectionFailed), (.photoGone, .invalidRequest), (.photoChanged, .invalidRequest),
        (.permissionMissing, .invalidRequest), (.processingFailed, .providerFailed),
    ])
    func failuresAreTheEngines(code: PhotoProcessingError.Code, expected: AIServiceError.Code) {
        #expect(PhotoAnalyst.failure(of: PhotoProcessingError(code)).code == expected)
    }

    @Test func aRequestNamesVersions() async throws {
        let photos = try await TestStore("a.jpg", "b.jpg").photos()
        let named = try #require(PhotoAnalyst.photos(of: PhotoAnalyst.request(for: photos)))
        #expect(named.map(\.id) == photos.map(\.id) && named.map(\.version) == photos.map(\.version))
        for text in ["1:2:3", "1:2:3:4:5", "a:2:3:4", "1:2:3:", "1:2:3:4\n1:2:3:4", ""] {
            let request = AIRequest(prompt: .text(text), metadata: [PhotoAnalyst.photosKey: "1"])
            #expect(PhotoAnalyst.photos(of: request) == nil)
        }
        #expect(PhotoAnalyst.photos(of: AIRequest(prompt: .text("1:2:3:4"))) == nil)
    }

    @Test func someRequestsRunSideBySide() async throws {
        let names = (0..<5 * PhotoAnalyst.photosOfRequest).map { "\($0).jpg" }
        let store = try await TestStore(names: names)
        imaging.state.withLock { $0.features = names.map { _ in .success(Self.features) } }
        imaging.hold()
        let engine = try engine(store, InMemoryStore())
        async let count = compute(store, engine)
        await untilTrue { imaging.heldCount == min(5, PhotoAnalyst.callsAtOnce) }
        imaging.release()
        #expect(try await count == names.count)
        #expect(try await engine.snapshots().count == 5)
        #expect(imaging.state.withLock { $0.featureCalls } == names.count)
    }

    /// Decodes in the background have room beside the pictures that a person waits for, or wait.
    @Test func decodesShareTheBudgetOfPictures() async throws {
        let store = try await TestStore("a.jpg", "b.jpg")
        imaging.state.withLock { state in
            state.predicted = 60
            state.features = [.success(Self.features), .success(Self.features)]
        }
        let budget = try LoadBudget(bytes: 100)
        let loader = try PhotoLoader(
            imaging: imaging, opening: StoredPhotoOpening(store.database), budget: budget,
            seams: .controlled(by: store.clock))
        let photo = try await store.photo("a.jpg")
        imaging.hold()
        async let picture = loader.rendition(of: photo, .card)
        await untilTrue { imaging.heldCount == 1 }
        let engine = try engine(store, InMemoryStore(), budget)
        async let count = compute(store, engine)
        await untilTrue { budget.waitingLoads == 1 }
        #expect(imaging.state.withLock { $0.featureCalls } == 0 && budget.bytesInFlight == 60)
        imaging.release()
        _ = try await picture
        #expect(try await count == 2)
        #expect(budget.bytesInFlight == 0 && budget.loadsInFlight == 0)
    }

    @Test func aFailureThatMayPassLeavesItsPhotoOut() async throws {
        let store = try await TestStore("a.jpg", "b.jpg")
        imaging.state.withLock { state in
            state.features = [.failure(PhotoProcessingError(.needsNetwork)), .success(Self.features)]
        }
        let requests = InMemoryStore()
        #expect(try await compute(store, try engine(store, requests)) == 1)
        #expect(try await store.photos().filter { $0.features == nil && $0.failure == nil }.count == 1)
        imaging.state.withLock { $0.features = [.success(Self.features)] }
        #expect(try await compute(store, try engine(store, requests)) == 1, "The next scan tries it again.")
    }

    @Test func pausesWhileAPersonIsActive() async throws {
        let store = try await TestStore("a.jpg")
        imaging.state.withLock { $0.features = [.success(Self.features)] }
        let activity = PersonActivity(seams: .controlled(by: store.clock))
        let engine = try engine(store, InMemoryStore())
        let indexer = PhotoIndexer(
            database: store.database, imaging: imaging, opening: StoredPhotoOpening(store.database), engine: engine,
            activity: activity)
        activity.note()
        let (library, clock, imaging) = (store.library.id, store.clock, imaging)
        async let count = EngineService.run(engine) { try await indexer.computeFeatures(of: library) }
        await clock.sleepers(reach: 1)
        clock.advance(by: .milliseconds(900))
        activity.note()
        clock.advance(by: .milliseconds(100))
        await clock.sleepers(reach: 1)
        #expect(imaging.state.withLock { $0.featureCalls } == 0)
        clock.advance(by: .milliseconds(900))
        #expect(try await count == 1)
    }
}

struct PersonActivityTests {
    @Test func aPauseEndsAlsoDuringActivity() async throws {
        let clock = ManualClock()
        let activity = PersonActivity(seams: .controlled(by: clock))
        try await activity.pause()
        activity.note()
        async let pause: Void = activity.pause()
        for _ in 0..<10 {
            await clock.sleepers(reach: 1)
            activity.note()
            clock.advance(by: .milliseconds(500))
        }
        try await pause
    }

    @Test func decisionsAndVisiblePicturesAreActivity() async throws {
        let store = try await TestStore("a.jpg")
        let seams = EngineSeams.controlled(by: store.clock)
        let photo = try await store.photo("a.jpg")
        let activities = [PersonActivity(seams: seams), PersonActivity(seams: seams)]
        let loader = try PhotoLoader(
            imaging: FakeImaging(), opening: StoredPhotoOpening(store.database), activity: activities[0], seams: seams)
        _ = try await loader.rendition(of: photo, .card, priority: .preload)
        try await activities[0].pause()
        _ = try await loader.rendition(of: photo, .card)
        let processor = try await PhotoBatchProcessor(
            database: store.database, trash: store.trash(), activity: activities[1], seams: seams)
        try await processor.decide(DecisionRequest(photo, kind: .keep), session: store.session)
        async let first: Void = activities[0].pause()
        async let second: Void = activities[1].pause()
        await store.clock.sleepers(reach: 2)
        store.clock.advance(by: .seconds(1))
        try await first
        try await second
    }
}
