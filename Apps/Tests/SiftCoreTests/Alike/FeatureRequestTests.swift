import Foundation
import GRDB
import Hablare
import HablarePersistence
import HablareStores
import HablareTestKit
import Synchronization
import Testing

@testable import SiftCore

/// Hashes and sharpness as requests of the engine.
@Suite(.timeLimit(.minutes(1))) struct FeatureRequestTests {
    private let imaging = FakeImaging()
    private static let features = PhotoFeatures(
        hash64: PhotoHash64(bits: 7), hash256: PhotoHash256(words: (1, 2, 3, 4)), sharpness: 2.5)

    private func engine(_ store: TestStore, _ requests: InMemoryStore) throws -> AIRequestManager {
        let analyst = PhotoAnalyst(imaging: imaging, opening: StoredPhotoOpening(store.database))
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
        #expect(requests.count == 2)
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
                await until { imaging.heldCount == 1 }
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

    @Test func aRequestNamesAVersion() async throws {
        let photo = try await TestStore("a.jpg").photo("a.jpg")
        #expect(PhotoAnalyst.version(of: PhotoAnalyst.request(for: photo)) == photo.version)
        for text in ["1:2:3", "1:2:3:4:5", "a:2:3:4", "1:2:3:"] {
            #expect(PhotoAnalyst.version(of: AIRequest(prompt: .text(text))) == nil)
        }
    }
}
