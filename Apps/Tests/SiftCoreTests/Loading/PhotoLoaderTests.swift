import Foundation
import Hablare
import HablareLoading
import HablarePersistence
import HablareTestKit
import Logging
import Synchronization
import Testing

@testable import SiftCore

struct PhotoLoaderTests {
    private let imaging = FakeImaging()

    private func loader(_ store: TestStore, _ limits: PhotoLoader.Limits = .init()) throws -> PhotoLoader {
        try PhotoLoader(
            imaging: imaging, opening: StoredPhotoOpening(store.database), limits: limits,
            seams: .controlled(by: store.clock))
    }

    @Test func loadsOnceForTenAtATime() async throws {
        let store = try await TestStore("a.jpg")
        let (loader, photo) = (try loader(store), try await store.photo("a.jpg"))
        imaging.hold()
        let pictures = try await withThrowingTaskGroup(of: Rendition.self) { group in
            for _ in 0..<10 { group.addTask { try await loader.rendition(of: photo, .card) } }
            await untilTrue { imaging.heldCount == 1 }
            imaging.release()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(pictures.count == 10 && Set(pictures).count == 1)
        #expect(imaging.calls.count == 1)
        _ = try await loader.rendition(of: photo, .thumbnail)
        #expect(imaging.calls.count == 2, "Another size is another load.")
    }

    @Test func aDamagedPhotoIsNotedUntilItChanges() async throws {
        let store = try await TestStore("a.jpg")
        let (loader, photo) = (try loader(store), try await store.photo("a.jpg"))
        imaging.state.withLock { $0.isDamaged = true }
        #expect(try await loader.rendition(of: photo, .card).isDamaged)
        #expect(try await store.photo("a.jpg").isDamaged)
        try store.test.add("a.jpg", "another content, longer than the first")
        try await store.scan()
        #expect(try await store.photo("a.jpg").isDamaged == false)
        imaging.state.withLock { $0.isDamaged = false }
        #expect(try await loader.rendition(of: try await store.photo("a.jpg"), .card).isDamaged == false)
        #expect(try await store.photo("a.jpg").isDamaged == false)
    }

    @Test func triesAgainAfterOneAndTwoSeconds() async throws {
        let store = try await TestStore("a.jpg")
        let (loader, photo) = (try loader(store), try await store.photo("a.jpg"))
        let passing = PhotoProcessingError(.needsNetwork)
        imaging.fail(passing, passing)
        async let picture = loader.rendition(of: photo, .card)
        for seconds in [1, 2] {
            await store.clock.sleepers(reach: 1)
            store.clock.advance(by: .milliseconds(seconds * 1000 - 1))
            #expect(imaging.calls.count == seconds)
            store.clock.advance(by: .milliseconds(1))
        }
        #expect(try await picture.width == 4)
        #expect(imaging.calls.count == 3)
    }

    @Test func givesUpAfterTheThirdAttempt() async throws {
        let store = try await TestStore("a.jpg")
        let (loader, photo) = (try loader(store), try await store.photo("a.jpg"))
        let passing = PhotoProcessingError(.needsNetwork)
        imaging.fail(passing, passing, passing)
        async let clock: Void = {
            for _ in 1...2 {
                await store.clock.sleepers(reach: 1)
                store.clock.advance(by: .seconds(2))
            }
        }()
        await #expect(throws: passing) { try await loader.rendition(of: photo, .card) }
        await clock
        #expect(imaging.calls.count == 3)
    }

    @Test func triesADamagedFileOnlyOnce() async throws {
        let store = try await TestStore("a.jpg")
        let (loader, photo) = (try loader(store), try await store.photo("a.jpg"))
        imaging.fail(PhotoProcessingError(.processingFailed))
        await #expect(throws: PhotoProcessingError(.processingFailed)) {
            try await loader.rendition(of: photo, .card)
        }
        #expect(imaging.calls.count == 1)
    }

    @Test func cancelsOnePhotoAndNoOther() async throws {
        let store = try await TestStore("a.jpg", "b.jpg")
        let loader = try loader(store)
        let (a, b) = (try await store.photo("a.jpg"), try await store.photo("b.jpg"))
        imaging.hold()
        async let other = loader.rendition(of: b, .card)
        let cancelled = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                do {
                    _ = try await loader.rendition(of: a, .card)
                    return false
                } catch {
                    return error is CancellationError
                }
            }
            await untilTrue { imaging.heldCount == 2 }
            group.cancelAll()
            return await group.next() ?? false
        }
        #expect(cancelled)
        imaging.release()
        #expect(try await other.width == 4)
        #expect(imaging.calls.count == 2, "A cancelled load is not tried again.")
    }

    @Test func boundsLoadsByTheirPredictedBytes() async throws {
        let store = try await TestStore("a.jpg", "b.jpg", "c.jpg", "d.jpg")
        var limits = PhotoLoader.Limits()
        limits.bytesInFlight = 2500
        let loader = try loader(store, limits)
        let photos = try await store.photos()
        imaging.hold()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for photo in photos { group.addTask { _ = try await loader.rendition(of: photo, .card) } }
            // Without the bound, all of them would be held.
            await untilTrue { imaging.heldCount + loader.waitingLoads == photos.count }
            #expect(imaging.heldCount == 2)
            #expect(loader.load == (2000, 2))
            imaging.release()
            try await group.waitForAll()
        }
        #expect(imaging.state.withLock { $0.mostRunning } == 2)
        #expect(loader.load == (0, 0))
    }

    @Test func decodesAPhotoThatNeedsMoreThanAllMemoryAlone() async throws {
        let store = try await TestStore("a.jpg", "b.jpg")
        var limits = PhotoLoader.Limits()
        limits.bytesInFlight = 500
        let loader = try loader(store, limits)
        let photos = try await store.photos()
        imaging.hold()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for photo in photos { group.addTask { _ = try await loader.rendition(of: photo, .card) } }
            await untilTrue { imaging.heldCount + loader.waitingLoads == photos.count }
            #expect(imaging.heldCount == 1)
            imaging.release()
            try await group.waitForAll()
        }
        #expect(imaging.state.withLock { $0.mostRunning } == 1)
    }

    @Test func aPictureIsShownAlsoIfItsDamageCannotBeNoted() async throws {
        let store = try await TestStore("a.jpg")
        let loader = try PhotoLoader(
            imaging: imaging, opening: ForgetfulOpening(StoredPhotoOpening(store.database)),
            seams: .controlled(by: store.clock), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        imaging.state.withLock { $0.isDamaged = true }
        let photo = try await store.photo("a.jpg")
        #expect(try await loader.rendition(of: photo, .card).isDamaged)
        #expect(try await store.photo("a.jpg").isDamaged == false)
        #expect(imaging.calls.count == 1)
        await loader.shutdown()
    }

    @Test(arguments: [(RenditionSize.full, 10), (.screen(maximumEdge: 2048), 10), (.card, 100), (.thumbnail, 100)])
    func keepsSoManyInMemory(size: RenditionSize, count: Int) async throws {
        let store = try await TestStore()
        for number in 0..<count + 3 { try store.test.add("\(number).jpg") }
        try await store.scan()
        let loader = try loader(store)
        let photos = try await store.photos()
        for photo in photos { _ = try await loader.rendition(of: photo, size) }
        let kept = photos.filter { photo in
            loader.cached(PhotoLoader.Key(photo: photo.id, version: photo.version, size: size)) != nil
        }
        #expect(photos.count == count + 3 && kept.map(\.id) == photos.suffix(count).map(\.id))
    }

    @Test func refusesAReplacedPhotoAndStoresHeaders() async throws {
        let store = try await TestStore("a.jpg")
        let (loader, photo) = (try loader(store), try await store.photo("a.jpg"))
        _ = try await loader.rendition(of: photo, .card)
        #expect(try await store.photo("a.jpg").header?.width == 4000)
        try store.test.add("a.jpg", "another content")
        await #expect(throws: PhotoProcessingError(.photoChanged)) {
            try await loader.rendition(of: photo, .full)
        }
    }

    @Test func saysThatTheVolumeIsMissing() async throws {
        let store = try await TestStore("a.jpg")
        let photo = try await store.photo("a.jpg")
        try FileManager.default.removeItem(at: store.test.photos)
        let error = await #expect(throws: PhotoProcessingError.self) {
            try await StoredPhotoOpening(store.database).open(photo.id, expecting: photo.version)
        }
        #expect(error?.code == .needsNetwork)
    }
}

/// Opens photos, and cannot store what is found out about them, as on a full volume.
private struct ForgetfulOpening: PhotoOpening {
    let base: StoredPhotoOpening
    init(_ base: StoredPhotoOpening) { self.base = base }

    func open(
        _ id: PhotoID, expecting version: PhotoVersion
    ) async throws -> (file: OpenPhoto, header: PhotoHeader?) { try await base.open(id, expecting: version) }

    func keep(_ header: PhotoHeader, of id: PhotoID, version: PhotoVersion) async throws {
        throw PhotoProcessingError(.diskFull)
    }

    func noteDamage(of id: PhotoID, version: PhotoVersion) async throws { throw PhotoProcessingError(.diskFull) }
}
