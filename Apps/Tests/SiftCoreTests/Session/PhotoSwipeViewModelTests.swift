import Foundation
import Hablare
import HablareData
import HablarePersistence
import HablarePresentation
import HablareTestKit
import Synchronization
import Testing

@testable import SiftCore

@MainActor struct PhotoSwipeViewModelTests {
    private let imaging = FakeImaging()

    private func model(_ store: TestStore, _ processor: PhotoBatchProcessor) throws -> PhotoSwipeViewModel {
        let loader = try PhotoLoader(
            imaging: imaging, opening: StoredPhotoOpening(store.database), seams: .controlled(by: store.clock))
        return PhotoSwipeViewModel(
            library: store.library.id, session: store.session, database: store.database, processor: processor,
            loader: loader, seams: .controlled(by: store.clock))
    }

    private func name(_ model: PhotoSwipeViewModel) -> String? { model.currentPhoto?.principal.path.description }

    @Test func showsTheFirstPhotoAndItsPicture() async throws {
        let store = try await TestStore("a.jpg", "b.jpg")
        let model = try model(store, try await store.processor())
        await model.refresh()
        let photo = try #require(model.currentPhoto)
        #expect(model.queue.count == 1 && model.progress.total == 2 && model.progress.remaining == 2)
        await untilTrue { !model.isLoading }
        #expect(model.picture?.bytes == Data("\(photo.id) card".utf8))
        await model.close()
    }

    @Test func showsTheEmbeddedThumbnailFirst() async throws {
        let store = try await TestStore("a.jpg")
        imaging.state.withLock { $0.hasEmbedded = true }
        let photo = try await store.photo("a.jpg")
        let header = PhotoHeader(
            format: "jpeg", width: 4, height: 3, hasEmbeddedThumbnail: true, predictedBytes: 10)
        try await store.database.write { try PhotoStore().save(header, of: photo.id, version: photo.version, in: $0) }
        let model = try model(store, try await store.processor())
        await model.refresh()
        await untilTrue { !model.isLoading }
        #expect(imaging.calls.map(\.size) == [.embedded, .card])
        #expect(model.picture?.isEmbedded == false)
        await model.close()
    }

    @Test func saysThatThePhotoIsDamagedAndLetsItBeDecided() async throws {
        let store = try await TestStore("a.jpg", "b.jpg")
        imaging.state.withLock { $0.isDamaged = true }
        let model = try model(store, try await store.processor())
        #expect(!model.isDamaged)
        await model.refresh()
        await untilTrue { !model.isLoading }
        #expect(model.isDamaged && model.pictureError == nil)
        let photo = try #require(model.currentPhoto)
        await model.decide(.trash)
        #expect(try await store.photo(photo.id).decision == .trash)
        // Known from the store, before the picture is there again.
        imaging.hold()
        imaging.state.withLock { $0.isDamaged = false }
        await model.undo()
        #expect(model.isDamaged)
        imaging.release()
        await model.close()
    }

    @Test func showsTheNextPhotoWhenTheDecisionIsOnDisk() async throws {
        let store = try await TestStore("a.jpg", "b.jpg")
        let model = try model(store, try await store.processor())
        await model.refresh()
        let (first, second) = (try #require(model.currentPhoto), try #require(model.queue.first))
        await model.decide(.keep)
        #expect(model.currentPhoto?.id == second.id && model.queue.isEmpty)
        #expect(try await store.photo(first.id).decision == .keep)
        await model.decide(.favourite)
        #expect(model.currentPhoto == nil && model.picture == nil && !model.isLoading)
        #expect(model.undoCount == 2)
        await model.close()
    }

    @Test func rereadsPhotosUntilNoneIsLeft() async throws {
        let store = try await TestStore()
        for index in 0..<30 { try store.test.add("\(index).jpg") }
        try await store.scan()
        let model = try model(store, try await store.processor())
        await model.refresh()
        #expect(model.queue.count == PhotoSwipeViewModel.ahead - 1)
        var count = 0
        while model.currentPhoto != nil {
            await model.decide(.keep)
            count += 1
        }
        #expect(count == 30)
        await model.close()
    }

    @Test func narrowsToASelectionAndBack() async throws {
        let store = try await TestStore("a.jpg", "b.jpg", "c.jpg")
        let model = try model(store, try await store.processor())
        await model.refresh()
        #expect(name(model) == "a.jpg")
        let wanted = try await store.photo("c.jpg")
        await model.narrow(to: .among([wanted.id]))
        #expect(name(model) == "c.jpg" && model.queue.isEmpty)
        await model.decide(.keep)
        #expect(model.currentPhoto == nil)
        await model.undo()
        #expect(name(model) == "c.jpg")
        await model.narrow(to: nil)
        #expect(name(model) == "a.jpg" && model.queue.count == 2)
        await model.close()
    }

    @Test func undoBringsThePhotoBackAndRedoTakesItAway() async throws {
        let store = try await TestStore("a.jpg", "b.jpg", "c.jpg")
        let model = try model(store, try await store.processor())
        await model.refresh()
        let first = try #require(name(model))
        await model.decide(.trash)
        let second = try #require(name(model))
        await model.undo()
        #expect(name(model) == first && model.queue.first?.principal.path.description == second)
        #expect(!model.canUndo && model.canRedo)
        await model.redo()
        #expect(name(model) == second && model.canUndo && !model.canRedo)
        await model.close()
    }

    @Test func settlesABurstInOneStep() async throws {
        let store = try await TestStore("a.jpg", "b.jpg", "c.jpg", "d.jpg")
        let model = try model(store, try await store.processor())
        await model.refresh()
        let burst = [try #require(model.currentPhoto)] + model.queue.prefix(2)
        let requests = burst.enumerated().map { DecisionRequest($1, kind: $0 == 0 ? .keep : .trash) }
        #expect(await model.decide(requests))
        #expect(model.queue.isEmpty && model.currentPhoto.map { now in !burst.contains { $0.id == now.id } } == true)
        #expect(model.undoCount == 1)
        await model.undo()
        #expect(model.currentPhoto?.id == burst[0].id && model.queue.map(\.id).prefix(2) == burst.map(\.id)[1...])
        await model.close()
    }

    @Test func clearsAnErrorAfterFiveSeconds() async throws {
        let store = try await TestStore("a.jpg")
        let model = try model(store, try await store.processor())
        await model.refresh()
        await untilTrue { !model.isLoading }
        await model.undo()
        #expect(model.error == PhotoProcessingError(.nothingToUndo))
        await store.clock.sleepers(reach: 1)
        store.clock.advance(by: .milliseconds(4999))
        #expect(model.error != nil)
        store.clock.advance(by: .milliseconds(1))
        await untilTrue { model.error == nil }
        await model.close()
    }

    @Test func givesANewerErrorItsOwnFiveSeconds() async throws {
        let store = try await TestStore("a.jpg")
        let model = try model(store, try await store.processor())
        await model.undo()
        await store.clock.sleepers(reach: 1)
        store.clock.advance(by: .seconds(3))
        await model.redo()
        await store.clock.sleepers(reach: 1)
        store.clock.advance(by: .seconds(3))
        for _ in 0..<100 { await Task.yield() }
        #expect(model.error != nil, "The first error's time does not end the second one.")
        await untilTrue {
            store.clock.advance(by: .seconds(1))
            return model.error == nil
        }
        await model.close()
    }

    @Test func triesAgainWhileThePictureNeedsTheNetwork() async throws {
        let store = try await TestStore("a.jpg")
        let missing = PhotoProcessingError(.needsNetwork)
        imaging.fail(missing, missing, missing)
        let model = try model(store, try await store.processor())
        await model.refresh()
        // The loader's own attempts.
        for seconds in [1, 2] {
            await store.clock.sleepers(reach: 1)
            store.clock.advance(by: .seconds(seconds))
        }
        await untilTrue { model.pictureError == missing }
        #expect(model.isLoading)
        await store.clock.sleepers(reach: 1)
        store.clock.advance(by: .milliseconds(1999))
        #expect(imaging.calls.count == 3)
        store.clock.advance(by: .milliseconds(1))
        await untilTrue { model.picture != nil }
        #expect(model.pictureError == nil && !model.isLoading)
        await model.close()
    }

    @Test func decodesEachPhotoOnceAlsoIfItIsShownWhileItIsLoadedAhead() async throws {
        let store = try await TestStore("a.jpg", "b.jpg", "c.jpg")
        let model = try model(store, try await store.processor())
        imaging.hold()
        await model.refresh()
        let photos = [try #require(model.currentPhoto)] + model.queue
        await untilTrue { imaging.heldCount == 3 }
        await model.decide(.keep)
        #expect(model.currentPhoto?.id == photos[1].id && model.isLoading)
        // The first photo's load is cancelled. Without that of the second, nothing would be left to wait for.
        await untilTrue { imaging.heldCount == 2 }
        imaging.release()
        await untilTrue { model.picture != nil }
        #expect(imaging.calls.map(\.photo).sorted() == photos.map(\.id).sorted())
        await model.close()
    }

    @Test func letsADamagedPhotoBeDecided() async throws {
        let store = try await TestStore("a.jpg")
        imaging.fail(PhotoProcessingError(.processingFailed))
        let model = try model(store, try await store.processor())
        await model.refresh()
        await untilTrue { model.pictureError != nil }
        #expect(!model.isLoading && model.picture == nil && model.error == nil)
        await model.decide(.trash)
        #expect(model.currentPhoto == nil && model.undoCount == 1)
        await model.close()
    }

    @Test func leavesAPhotoThatAnotherWindowDecided() async throws {
        let store = try await TestStore("a.jpg", "b.jpg")
        let processor = try await store.processor()
        let model = try model(store, processor)
        await model.refresh()
        let shown = try #require(model.currentPhoto)
        try await processor.decide(DecisionRequest(shown, kind: .keep), session: store.session)
        await model.decide(.trash)
        #expect(model.error == PhotoProcessingError(.alreadyDecided))
        #expect(model.currentPhoto?.id != shown.id && model.currentPhoto != nil)
        #expect(try await store.photo(shown.id).decision == .keep)
        await model.close()
    }

    @Test func showsTheQueueAfterAPauseAndRefusals() async throws {
        let store = try await TestStore("a.jpg", "b.jpg")
        let processor = try await store.processor()
        let model = try model(store, processor)
        let shown = try await store.photo("a.jpg")
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await model.run() }
            group.addTask { do { try await processor.run() } catch {} }
            await untilTrue { model.currentPhoto != nil }
            await untilTrue {
                store.clock.advance(by: .milliseconds(100))
                return model.pending.isRunning
            }
            do {
                try store.test.add("a.jpg", "written to since")
                try await processor.decide(DecisionRequest(shown, kind: .trash), session: store.session)
                try await processor.flush()
            } catch { Issue.record(error) }
            await untilTrue { model.error != nil }
            // Another photo may be shown by now, so the error names this one.
            #expect(model.error?.code == .photoChanged)
            #expect(model.error?.message == "a.jpg was replaced or changed after it was shown. Nothing was done.")
            group.cancelAll()
        }
        #expect(store.test.exists("a.jpg"))
    }

    @Test func showsASidecarFailureAndKeepsTheRating() async throws {
        let store = try await TestStore("a.jpg")
        try store.test.add("a.xmp", "no XMP")
        try await store.scan()
        try await store.setWritesSidecars(true)
        let processor = try await store.processor()
        let model = try model(store, processor)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await model.run() }
            group.addTask { do { try await processor.run() } catch {} }
            await untilTrue { @MainActor in model.currentPhoto != nil }
            await untilTrue { @MainActor in
                store.clock.advance(by: .milliseconds(100))
                return model.pending.isRunning
            }
            await model.rate(4)
            do { try await processor.flush() } catch { Issue.record(error) }
            await untilTrue { @MainActor in model.error?.message.contains("sidecar of a.jpg") == true }
            #expect(model.currentPhoto?.marks.rating == 4)
            group.cancelAll()
        }
    }

    @Test func ratesWithoutLeavingThePhoto() async throws {
        let store = try await TestStore("a.jpg")
        let model = try model(store, try await store.processor())
        await model.refresh()
        await model.rate(4)
        await model.label("Red")
        #expect(model.currentPhoto?.marks == PhotoMarks(rating: 4, label: "Red"))
        await model.undo()
        #expect(model.currentPhoto?.marks == PhotoMarks(rating: 4))
        await model.close()
    }

    @Test func takesOneCommandOnce() async throws {
        let store = try await TestStore("a.jpg", "b.jpg", "c.jpg")
        let model = try model(store, try await store.processor())
        await model.refresh()
        let (decide, undo, redo) = (UUID(), UUID(), UUID())
        await model.decide(.keep, decide)
        let second = try #require(model.currentPhoto)
        await model.decide(.keep, decide)
        #expect(model.currentPhoto?.id == second.id)
        await untilTrue {
            store.clock.advance(by: PhotoSwipeViewModel.Interval.progress)
            return model.progress.decided > 0
        }
        #expect(model.progress.decided == 1)
        #expect(try await store.photo(second.id).decision == nil, "The repeated command is about the first photo.")
        await model.decide(.keep)
        for _ in 0..<2 { #expect(await model.undo(undo)) }
        #expect(model.currentPhoto?.id == second.id && model.undoCount == 1 && model.redoCount == 1)
        for _ in 0..<2 { #expect(await model.redo(redo)) }
        #expect(model.undoCount == 2 && model.redoCount == 0)
        #expect(await !model.redo() && model.error?.code == .nothingToUndo)
        await model.close()
    }

    @Test func showsAReplacedPhotoAnewAndLeavesAMissingOne() async throws {
        let store = try await TestStore("a.jpg", "b.jpg", "c.jpg")
        let model = try model(store, try await store.processor())
        await model.refresh()
        await untilTrue { !model.isLoading }
        let shown = try #require(model.currentPhoto)
        let next = try #require(model.queue.first)
        try store.test.add(shown.principal.path.description, "edited in another program")
        try FileManager.default.removeItem(
            at: store.test.photos.appending(path: next.principal.path.description))
        try await store.scan()
        await model.refresh()
        let fresh = try #require(model.currentPhoto)
        #expect(fresh.id == shown.id && fresh.version != shown.version)
        #expect(!model.queue.contains { $0.id == next.id })
        await untilTrue { model.picture != nil }
        #expect(imaging.calls.last?.version == fresh.version || imaging.calls.contains { $0.version == fresh.version })
        await model.decide(.keep)
        #expect(model.error == nil)
        await model.close()
    }

    @Test func showsWhatDecodingHasFoundOutSince() async throws {
        let store = try await TestStore("a.jpg")
        let model = try model(store, try await store.processor())
        await model.refresh()
        let photo = try #require(model.currentPhoto)
        // The load of the picture saves a header, too.
        await untilTrue { model.picture != nil }
        let header = PhotoHeader(format: "jpeg", width: 4, height: 3, predictedBytes: 10)
        try await store.database.write { try PhotoStore().save(header, of: photo.id, version: photo.version, in: $0) }
        await model.refresh()
        #expect(model.currentPhoto?.header == header)
        await model.close()
    }

    @Test func isFollowedBySequencesAndPublishers() async throws {
        let store = try await TestStore("a.jpg", "b.jpg")
        let model = try model(store, try await store.processor())
        var counts = model.changes { $0.undoCount }.makeAsyncIterator()
        #expect(await counts.next(isolation: #isolation) == 0)
        await model.refresh()
        await model.decide(.keep)
        #expect(await counts.next(isolation: #isolation) == 1)
        let published = try await MainPublisher.elements { await model.changes { $0.undoCount } }.firstValue()
        #expect(published == 1)
        await model.undo()
        #expect(await counts.next(isolation: #isolation) == 0)
        await model.close()
    }
}

@MainActor struct PacedTests {
    private func paced(
        _ pace: Paced<Int>.Pace, _ clock: ManualClock, _ deliver: @escaping @MainActor (Int) -> Void
    ) -> Paced<Int> {
        let seams = EngineSeams.controlled(by: clock)
        return Paced(pace, clock: seams.clock, deliver: deliver)
    }

    @Test func debounceDeliversTheNewestAfterAPause() async {
        let clock = ManualClock()
        var seen: [Int] = []
        let paced = paced(.debounce(.milliseconds(100)), clock) { seen.append($0) }
        for value in 1...3 {
            paced.send(value)
            await clock.sleepers(reach: 1)
            clock.advance(by: .milliseconds(60))
        }
        #expect(seen.isEmpty)
        clock.advance(by: .milliseconds(40))
        await untilTrue { seen == [3] }
        await paced.close()
    }

    @Test func throttleDeliversAtOnceAndThenTheNewest() async {
        let clock = ManualClock()
        var seen: [Int] = []
        let paced = paced(.throttle(.milliseconds(300)), clock) { seen.append($0) }
        for value in 1...3 { paced.send(value) }
        #expect(seen == [1])
        await clock.sleepers(reach: 1)
        clock.advance(by: .milliseconds(300))
        await untilTrue { seen == [1, 3] }
        clock.advance(by: .milliseconds(300))
        paced.send(4)
        #expect(seen == [1, 3, 4])
        await paced.close()
    }
}

struct SessionProgressTests {
    @Test func countsAndEstimates() {
        var progress = SessionProgress(total: 100, remaining: 50)
        #expect(progress.share == 0.5 && progress.perMinute == nil && progress.estimate == nil)
        for second in 0..<10 { progress.settled(at: .seconds(second * 2)) }
        #expect(progress.decided == 10 && progress.remaining == 40 && progress.share == 0.6)
        #expect(progress.perMinute == 30)
        #expect(progress.estimate == .seconds(80))
        progress.unsettled()
        #expect(progress.decided == 9 && progress.remaining == 41)
    }

    @Test func forgetsTheRateAfterAPause() {
        var progress = SessionProgress(total: 10, remaining: 10)
        progress.settled(at: .seconds(0))
        progress.settled(at: .seconds(1))
        progress.settled(at: .seconds(500))
        #expect(progress.perMinute == nil)
        progress.settled(at: .seconds(510))
        #expect(progress.perMinute == 6)
    }

    @Test func isCompleteForAnEmptyLibrary() {
        #expect(SessionProgress().share == 1)
    }
}
