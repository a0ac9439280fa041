import Foundation
import GRDB
import HablareData
import HablarePersistence
import HablareTestKit
import Logging
import Synchronization
import Testing

@testable import SiftCore

struct DecisionTests {
    @Test func recordsEveryDecisionBeforeItReturns() async throws {
        let store = try await TestStore("a.jpg", "b.jpg", "c.jpg")
        let processor = try await store.processor()
        try await processor.decide(DecisionRequest(store.photo("a.jpg"), kind: .trash), session: store.session)
        try await processor.decide(DecisionRequest(store.photo("b.jpg"), kind: .favourite), session: store.session)
        try await processor.decide(DecisionRequest(store.photo("c.jpg"), kind: .keep), session: store.session)
        #expect(try await store.photos(.undecided).isEmpty)
        #expect(try await store.photo("b.jpg").marks.isFavourite)
        #expect(try await store.history().map(\.action.kind) == [.keep, .favourite, .trash])
        #expect(processor.snapshot.pending == 2, "Keeping a photo is nothing to carry out.")
        #expect(store.test.exists("a.jpg"), "Nothing is carried out yet.")
    }

    @Test func takesOneDecisionOnceHoweverOftenItIsSent() async throws {
        let store = try await TestStore("a.jpg")
        let processor = try await store.processor()
        let request = DecisionRequest(try await store.photo("a.jpg"), kind: .trash)
        let first = try await processor.decide(request, session: store.session)
        #expect(try await processor.decide(request, session: store.session) == first)
        #expect(processor.snapshot.pending == 1)
    }

    @Test func refusesTheSecondWindow() async throws {
        let store = try await TestStore("a.jpg")
        let processor = try await store.processor()
        let shown = try await store.photo("a.jpg")
        try await processor.decide(DecisionRequest(shown, kind: .keep), session: store.session)
        await #expect(throws: PhotoProcessingError(.alreadyDecided)) {
            try await processor.decide(DecisionRequest(shown, kind: .trash), session: store.session)
        }
        // Whoever has seen that it is kept may decide otherwise.
        let now = try await store.photo("a.jpg")
        try await processor.decide(DecisionRequest(now, kind: .trash), session: store.session)
        #expect(try await store.photo("a.jpg").decision == .trash)
    }

    @Test func changesATrashDecisionOnlyByAnUndo() async throws {
        let store = try await TestStore("a.jpg", "a.cr2")
        let processor = try await store.processor()
        try await processor.decide(DecisionRequest(store.photo("a.jpg"), kind: .trash), session: store.session)
        let now = try await store.photo("a.jpg")
        await #expect(throws: PhotoProcessingError(.alreadyDecided)) {
            try await processor.decide(DecisionRequest(now, kind: .keep), session: store.session)
        }
        // A crash left the shot half moved, and a scan sees the other half.
        try FileManager.default.moveItem(
            at: store.test.photos.appending(path: "a.jpg"), to: store.test.base.appending(path: "a.jpg"))
        try await store.scan()
        let half = try await store.photo("a.cr2")
        #expect(half.id == now.id && half.decision == .trash)
        try await processor.undo(of: store.library.id)
        let undone = try await store.photo("a.cr2")
        try await processor.decide(DecisionRequest(undone, kind: .keep), session: store.session)
        #expect(try await store.photo("a.cr2").decision == .keep)
    }

    @Test func refusesAVersionThatWasNotShown() async throws {
        let store = try await TestStore("a.jpg")
        let processor = try await store.processor()
        let other = PhotoVersion(device: 0, inode: 1, size: 2, modified: 3)
        let request = DecisionRequest(photo: try await store.photo("a.jpg").id, version: other, kind: .trash)
        await #expect(throws: PhotoProcessingError(.photoChanged)) {
            try await processor.decide(request, session: store.session)
        }
    }

    @Test(arguments: [PhotoAction.Kind.restore, PhotoAction.Kind(rawValue: "explode")])
    func refusesAnUnknownAction(_ kind: PhotoAction.Kind) async throws {
        let store = try await TestStore("a.jpg")
        let processor = try await store.processor()
        let photo = try await store.photo("a.jpg")
        await #expect(throws: PhotoProcessingError(.unknownAction)) {
            try await processor.decide(DecisionRequest(photo, kind: kind), session: store.session)
        }
        await #expect(throws: PhotoProcessingError(.unknownAction)) {
            try await processor.decide(DecisionRequest(photo, kind: .rating, rating: 6), session: store.session)
        }
    }

    // MARK: Committing

    @Test func commitsAtTen() async throws {
        let store = try await TestStore()
        for index in 0..<10 { try store.test.add("\(index).jpg") }
        try await store.scan()
        let photos = try await store.photos()
        try await store.running(store.processor()) { processor in
            for photo in photos.prefix(9) {
                try await processor.decide(DecisionRequest(photo, kind: .trash), session: store.session)
            }
            #expect(store.test.trashed.isEmpty)
            try await processor.decide(DecisionRequest(photos[9], kind: .trash), session: store.session)
            for await state in processor.updates where state.pending == 0 { break }
        }
        #expect(store.test.trashed.count == 10 && store.test.descriptions.count == 10)
        #expect(try await store.photos(.trashed).count == 10)
    }

    @Test func commitsHalfASecondAfterTheLast() async throws {
        let store = try await TestStore("a.jpg")
        let photo = try await store.photo("a.jpg")
        try await store.running(store.processor()) { processor in
            try await processor.decide(DecisionRequest(photo, kind: .trash), session: store.session)
            await store.clock.sleepers(reach: 1)
            store.clock.advance(by: .milliseconds(499))
            #expect(processor.snapshot.pending == 1)
            store.clock.advance(by: .milliseconds(1))
            for await state in processor.updates where state.pending == 0 { break }
        }
        #expect(store.test.trashed == ["a.jpg"])
    }

    @Test func waitsForAReview() async throws {
        let store = try await TestStore("a.jpg")
        let photo = try await store.photo("a.jpg")
        try await store.running(store.processor(.siftWithReview)) { processor in
            try await processor.decide(DecisionRequest(photo, kind: .trash), session: store.session)
            store.clock.advance(by: .seconds(60))
            #expect(processor.pendingActions.map(\.action.photo) == [photo.id])
            #expect(store.test.exists("a.jpg"))
            try await processor.commit()
            for await state in processor.updates where state.pending == 0 { break }
        }
        #expect(store.test.trashed == ["a.jpg"])
    }

    @Test func waitsForAReviewFromNowOnAndNoLonger() async throws {
        let store = try await TestStore("a.jpg", "b.jpg")
        let (a, b) = (try await store.photo("a.jpg"), try await store.photo("b.jpg"))
        try await store.running(store.processor()) { processor in
            try await processor.setReview(true)
            for photo in [a, b] {
                try await processor.decide(DecisionRequest(photo, kind: .trash), session: store.session)
            }
            store.clock.advance(by: .seconds(60))
            #expect(processor.snapshot.pending == 2)
            #expect(store.test.trashed.isEmpty)
            try await processor.setReview(false)
            await store.clock.sleepers(reach: 1)
            store.clock.advance(by: .milliseconds(500))
            for await state in processor.updates where state.pending == 0 { break }
        }
        #expect(store.test.trashed == ["a.jpg", "b.jpg"])
    }

    @Test func neverTrashesAStranger() async throws {
        let store = try await TestStore("a.jpg", "b.jpg")
        let (a, b) = (try await store.photo("a.jpg"), try await store.photo("b.jpg"))
        try await store.running(store.processor()) { processor in
            var refusals = processor.refusals.makeAsyncIterator()
            for photo in [a, b] {
                try await processor.decide(DecisionRequest(photo, kind: .trash), session: store.session)
            }
            try store.test.add("other.jpg", "a stranger")
            let (from, to) = ("other.jpg", "a.jpg")
            #expect(
                rename(store.test.photos.appending(path: from).path, store.test.photos.appending(path: to).path) == 0)
            try await processor.flush()
            #expect(await refusals.next()?.error == PhotoProcessingError(.photoChanged))
            #expect(processor.snapshot.pending == 0 && processor.snapshot.failed == 0)
        }
        #expect(try store.test.contents("a.jpg") == "a stranger")
        #expect(store.test.trashed == ["b.jpg"], "One refusal does not stop the others.")
        #expect(try await store.photo(a.id).decision == nil)
        #expect(try await store.history().last?.failure == .photoChanged)
    }

    @Test func findsAPhotoThatWasRenamedAfterItWasDecided() async throws {
        let store = try await TestStore("a.jpg")
        let photo = try await store.photo("a.jpg")
        let processor = try await store.processor()
        try await processor.decide(DecisionRequest(photo, kind: .trash), session: store.session)
        try FileManager.default.moveItem(
            at: store.test.photos.appending(path: "a.jpg"), to: store.test.photos.appending(path: "z.jpg"))
        try await store.scan()
        try await store.running(processor) { _ = try await $0.flush() }
        #expect(store.test.trashed == ["z.jpg"])
    }

    @Test func triesAgainWhereTheVolumeIsMissing() async throws {
        let store = try await TestStore("a.jpg")
        let photo = try await store.photo("a.jpg")
        let away = store.test.base.appending(path: "away")
        try await store.running(store.processor()) { processor in
            try FileManager.default.moveItem(at: store.test.photos, to: away)
            try await processor.decide(DecisionRequest(photo, kind: .trash), session: store.session)
            let state = try await processor.flush()
            #expect(state.retrying == 1)
            try FileManager.default.moveItem(at: away, to: store.test.photos)
            try await processor.flush()
        }
        #expect(store.test.trashed == ["a.jpg"])
    }

    // MARK: Undo and redo

    @Test func undoesBeforeTheCommit() async throws {
        let store = try await TestStore("a.jpg")
        let photo = try await store.photo("a.jpg")
        try await store.running(store.processor()) { processor in
            try await processor.decide(DecisionRequest(photo, kind: .trash), session: store.session)
            let undone = try await processor.undo(of: store.library.id)
            #expect(undone.map(\.action.photo) == [photo.id] && undone[0].isUndone)
            #expect(processor.snapshot.pending == 0)
            try await processor.flush()
        }
        #expect(store.test.exists("a.jpg") && store.test.trashed.isEmpty)
        #expect(try await store.photo("a.jpg").decision == nil)
    }

    @Test func undoesAndRedoesAcrossCommitsAndRestarts() async throws {
        let store = try await TestStore("a.jpg", "a.cr2", "a.jpg.xmp")
        let photo = try await store.photo("a.jpg")
        let id = store.library.id
        try await store.running(store.processor()) { processor in
            try await processor.decide(DecisionRequest(photo, kind: .trash), session: store.session)
            try await processor.flush()
        }
        #expect(store.test.trashed.count == 3)
        for round in 1...3 {
            try await store.running(store.processor()) { processor in
                try await processor.undo(of: id)
                try await processor.flush()
            }
            #expect(try await store.photo("a.jpg") == photo, "in round \(round)")
            #expect(store.test.trashed.isEmpty && store.test.descriptions.isEmpty)
            try await store.running(store.processor()) { processor in
                try await processor.redo(of: id)
                try await processor.flush()
            }
            #expect(store.test.trashed.count == 3 && !store.test.exists("a.jpg"))
            #expect(try await store.photo(photo.id).state == .trashed)
        }
        await #expect(throws: PhotoProcessingError(.nothingToUndo)) {
            try await store.processor().redo(of: id)
        }
    }

    @Test func undoesAnyDecisionOfTheHistory() async throws {
        let store = try await TestStore("a.jpg", "b.jpg")
        let (a, b) = (try await store.photo("a.jpg"), try await store.photo("b.jpg"))
        try await store.running(store.processor()) { processor in
            let first = try await processor.decide(DecisionRequest(a, kind: .trash), session: store.session)
            try await processor.decide(DecisionRequest(b, kind: .trash), session: store.session)
            try await processor.flush()
            try await processor.undo(first.id, of: store.library.id)
            try await processor.flush()
            #expect(store.test.exists("a.jpg") && store.test.trashed == ["b.jpg"])
        }
    }

    @Test func undoesAndRedoesABurstInOneStep() async throws {
        let store = try await TestStore("a.jpg", "b.jpg", "c.jpg")
        let photos = try await store.photos()
        let requests = photos.map { DecisionRequest($0, kind: $0.id == photos[1].id ? .keep : .trash) }
        let id = store.library.id
        try await store.running(store.processor()) { processor in
            try await processor.decide(requests, session: store.session)
            try await processor.flush()
            #expect(store.test.trashed == ["a.jpg", "c.jpg"])
            #expect(try await processor.undo(of: id).map(\.action.photo) == photos.reversed().map(\.id))
            try await processor.flush()
            #expect(store.test.trashed.isEmpty)
            #expect(try await store.photos(.undecided).count == 3)
            #expect(try await processor.redo(of: id).count == 3)
            try await processor.flush()
            #expect(store.test.trashed == ["a.jpg", "c.jpg"])
        }
        let depths = try await store.database.read { try DecisionStore().depths(of: id, in: $0) }
        #expect(depths == (1, 0))
    }

    @Test func decidesAllOfAStepOrNothing() async throws {
        let store = try await TestStore("a.jpg", "b.jpg")
        let photos = try await store.photos()
        let processor = try await store.processor()
        try await processor.decide(DecisionRequest(photos[1], kind: .keep), session: store.session)
        let requests = photos.map { DecisionRequest($0, kind: .trash) }
        await #expect(throws: PhotoProcessingError(.alreadyDecided)) {
            try await processor.decide(requests, session: store.session)
        }
        #expect(try await store.photo("a.jpg").decision == nil && processor.snapshot.pending == 0)
    }

    @Test func undoesMarksOneByOne() async throws {
        let store = try await TestStore("a.jpg")
        let processor = try await store.processor()
        let id = store.library.id
        for stars in [3, 5] {
            try await processor.decide(
                DecisionRequest(store.photo("a.jpg"), kind: .rating, rating: stars), session: store.session)
        }
        try await processor.decide(
            DecisionRequest(store.photo("a.jpg"), kind: .label, label: "Red"), session: store.session)
        #expect(try await store.photo("a.jpg").marks == PhotoMarks(rating: 5, label: "Red"))
        // The first rating is undone; the later one stands.
        try await processor.undo(store.history()[2].id, of: id)
        #expect(try await store.photo("a.jpg").marks == PhotoMarks(rating: 5, label: "Red"))
        try await processor.undo(of: id)
        try await processor.undo(of: id)
        #expect(try await store.photo("a.jpg").marks == PhotoMarks())
        await #expect(throws: PhotoProcessingError(.nothingToUndo)) { try await processor.undo(of: id) }
    }

    @Test func leavesTheDecisionStandingWhereTheTrashWasEmptied() async throws {
        let store = try await TestStore("a.jpg")
        let photo = try await store.photo("a.jpg")
        try await store.running(store.processor()) { processor in
            try await processor.decide(DecisionRequest(photo, kind: .trash), session: store.session)
            try await processor.flush()
            try FileManager.default.removeItem(at: store.test.home)
            var refusals = processor.refusals.makeAsyncIterator()
            try await processor.undo(of: store.library.id)
            try await processor.flush()
            #expect(await refusals.next()?.error.code == .photoGone)
        }
        let after = try await store.photo(photo.id)
        #expect(after.state == .trashed && after.decision == .trash)
    }

    @Test func prunesOldDecisionsInBatchesAndRemembersTheirPhotos() async throws {
        let store = try await TestStore("a.jpg", "b.jpg", "c.jpg")
        let processor = try await store.processor()
        for photo in try await store.photos() {
            try await processor.decide(DecisionRequest(photo, kind: .keep), session: store.session)
        }
        let removed = try await store.database.write {
            try DecisionStore().prune(before: .distantFuture, atMost: 2, in: $0)
        }
        #expect(removed == 2)
        #expect(try await store.photos(.undecided).isEmpty)
        try await processor.decide(
            DecisionRequest(store.photo("a.jpg"), kind: .rating, rating: 1), session: store.session)
        #expect(try await store.photo("a.jpg").decision == .keep)
    }

    @Test func commitsADecisionTogetherWithItsAction() async throws {
        let store = try await TestStore("a.jpg", "b.jpg")
        let processor = try await store.processor()
        let commits = CommitGate()
        store.database.writer.add(transactionObserver: commits)
        let photo = try await store.photo("a.jpg")
        try await processor.decide(DecisionRequest(photo, kind: .trash), session: store.session)
        #expect(commits.count == 1)
        try await processor.undo(of: store.library.id)
        #expect(commits.count == 2)
        try await processor.redo(of: store.library.id)
        #expect(commits.count == 3)
        // The process dies before the commit: neither the decision nor its action exists.
        commits.isOpen = false
        let other = try await store.photo("b.jpg")
        await #expect(throws: PhotoProcessingError.self) {
            try await processor.decide(DecisionRequest(other, kind: .trash), session: store.session)
        }
        await #expect(throws: PhotoProcessingError.self) { try await processor.undo(of: store.library.id) }
        #expect(try await store.history().map(\.action.photo) == [photo.id])
        commits.isOpen = true
        try await store.running(store.processor()) { processor in
            #expect(processor.pendingActions.map(\.action.photo) == [photo.id])
            try await processor.flush()
        }
        #expect(store.test.trashed == ["a.jpg"])
    }

    @Test func recordsWhatItCarriedOutOnceTheStoreCanBeWritten() async throws {
        let store = try await TestStore("a.jpg")
        let photo = try await store.photo("a.jpg")
        let commits = CommitGate()
        store.database.writer.add(transactionObserver: commits)
        var trash = store.trash()
        trash.afterStep = { if $0 == .concluded { commits.isOpen = false } }
        let processor = try await PhotoBatchProcessor(
            database: store.database, trash: trash, seams: .controlled(by: store.clock),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await store.running(processor) { processor in
            try await processor.decide(DecisionRequest(photo, kind: .trash), session: store.session)
            try await processor.commit()
            await untilTrue { !commits.isOpen }
            await untilTrue { commits.refused > 0 }
            commits.isOpen = true
            await untilTrue {
                store.clock.advance(by: .seconds(1))
                return processor.snapshot.pending == 0
            }
        }
        #expect(store.test.trashed == ["a.jpg"])
        #expect(try await store.photo(photo.id).state == .trashed)
        #expect(try await store.history().map(\.isSettled) == [true])
    }

    @Test func movesNothingThatWasUndoneBeforeItsNextAttempt() async throws {
        let store = try await TestStore("a.jpg")
        let photo = try await store.photo("a.jpg")
        let (faults, moves) = (Count(1), Count(0))
        var trash = store.trash()
        trash.afterStep = { step in
            if faults.value > 0 { throw Crash() }
            if case .moved = step { moves.add(1) }
        }
        let processor = try await PhotoBatchProcessor(
            database: store.database, trash: trash, seams: .controlled(by: store.clock),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await store.running(processor) { processor in
            try await processor.decide(DecisionRequest(photo, kind: .trash), session: store.session)
            try await processor.flush()
            #expect(processor.snapshot.pending == 1)
            faults.add(-1)
            try await processor.undo(of: store.library.id)
            while try await processor.flush().pending > 0 { store.clock.advance(by: .seconds(60)) }
        }
        #expect(moves.value == 0 && store.test.exists("a.jpg"))
        #expect(store.test.trashed.isEmpty && store.test.descriptions.isEmpty)
    }

    @Test func keepsTheReceiptOfTheLastExecution() async throws {
        let store = try await TestStore("a.jpg")
        let photo = try await store.photo("a.jpg")
        let processor = try await store.processor()
        let decision = try await store.running(processor) { processor in
            let decision = try await processor.decide(DecisionRequest(photo, kind: .trash), session: store.session)
            try await processor.flush()
            try await processor.undo(of: store.library.id)
            try await processor.flush()
            return decision
        }
        // The receipt of the trashing comes again, after that of the restoring.
        try await store.database.write { try DecisionStore().settle(decision.action, in: $0) }
        #expect(try await store.history().map(\.isSettled) == [true])
    }

    @Test func undoesTheLastStepOfItsOwnLibrary() async throws {
        let store = try await TestStore("a.jpg")
        let other = try TestLibrary()
        try other.add("x.jpg")
        let folder = try other.open()
        let (library, session) = try await store.database.write { db in
            let library = try PhotoStore().addLibrary(folder, at: Date(timeIntervalSince1970: 0), in: db)
            let session = try DecisionStore().beginSession(of: library.id, at: Date(timeIntervalSince1970: 0), in: db)
            return (library, session.id)
        }
        try await store.scanner.scan(library)
        let found = try await store.database.read { try PhotoStore().photos(of: library.id, .all, limit: 1, in: $0) }
        let theirs = try #require(found.first)
        let processor = try await store.processor()
        let ours = try await store.photo("a.jpg")
        try await processor.decide(DecisionRequest(ours, kind: .keep), session: store.session)
        try await processor.decide(DecisionRequest(theirs, kind: .keep), session: session)
        #expect(try await processor.undo(of: store.library.id).map(\.action.photo) == [ours.id])
        #expect(try await processor.redo(of: store.library.id).map(\.action.photo) == [ours.id])
        #expect(try await processor.undo(of: library.id).map(\.action.photo) == [theirs.id])
    }

    @Test func startsAfterACrashThatLeftAnUndoneMarkInTheQueue() async throws {
        let store = try await TestStore("a.jpg")
        let rating = try await store.running(store.processor()) { processor in
            let rating = try await processor.decide(
                DecisionRequest(store.photo("a.jpg"), kind: .rating, rating: 3), session: store.session)
            try await processor.decide(
                DecisionRequest(store.photo("a.jpg"), kind: .label, label: "Red"), session: store.session)
            try await processor.flush()
            return rating
        }
        // The reversal is in the queue, with the label that the photo has, and then the process died.
        try await store.processor().undo(rating.id, of: store.library.id)
        try await store.running(store.processor()) { processor in
            #expect(processor.snapshot.pending == 1)
            try await processor.flush()
        }
        #expect(try await store.photo("a.jpg").marks == PhotoMarks(label: "Red"))
        #expect(try await store.history().allSatisfy(\.isSettled))
    }

    @Test func countsDecisionsOfASession() async throws {
        let store = try await TestStore("a.jpg", "b.jpg", "c.jpg")
        let processor = try await store.processor()
        for name in ["a.jpg", "b.jpg"] {
            try await processor.decide(DecisionRequest(store.photo(name), kind: .keep), session: store.session)
        }
        try await processor.decide(DecisionRequest(store.photo("c.jpg"), kind: .trash), session: store.session)
        try await processor.undo(of: store.library.id)
        let id = store.library.id
        let sessions = try await store.database.read { try DecisionStore().sessions(of: id, in: $0) }
        #expect(sessions.map(\.counts) == [[.keep: 2]])
    }
}

/// Two programs on one data folder.
struct SecondInstanceTests {
    @Test func decidesNothingAfterAnotherHasTakenOver() async throws {
        let store = try await TestStore("a.jpg", "b.jpg")
        let first = try await store.processor()
        let second = try await store.processor()
        let (a, b) = (try await store.photo("a.jpg"), try await store.photo("b.jpg"))
        await #expect(throws: PhotoProcessingError(.busy)) {
            try await first.decide(DecisionRequest(a, kind: .trash), session: store.session)
        }
        #expect(try await store.photo("a.jpg").decision == nil)
        try await store.running(second) { processor in
            try await processor.decide(DecisionRequest(b, kind: .trash), session: store.session)
            _ = try await processor.flush()
        }
        #expect(store.test.trashed == ["b.jpg"])
        let trashing = try await store.database.read { try DecisionStore().trashing(of: b.id, in: $0) }
        #expect(trashing?.action.photo == b.id)
    }
}

/// A data folder on a full disk.
@Suite(.enabled(if: TestVolume.isPossible)) struct FullDiskTests {
    @Test func saysThatTheDataFolderIsFullAndDecidesLater() async throws {
        let volume = try TestVolume()
        let database = try await AppDatabase.open(
            at: volume.url.appending(path: "sift.sqlite"), migrator: SiftSchema.migrator)
        let store = try await TestStore(in: database, "a.jpg")
        let processor = try await store.processor()
        let photo = try await store.photo("a.jpg")
        let filler = volume.url.appending(path: "filler")
        try Data().write(to: filler)
        let handle = try FileHandle(forWritingTo: filler)
        #expect(throws: (any Error).self) { while true { try handle.write(contentsOf: Data(count: 4096)) } }
        let requests = (0..<200).map { DecisionRequest(photo, kind: .label, label: "Label \($0)") }
        var refused: DecisionRequest?
        for request in requests where refused == nil {
            do {
                try await processor.decide(request, session: store.session)
            } catch let error as PhotoProcessingError {
                #expect(error.code == .notSaved)
                refused = request
            }
        }
        let request = try #require(refused)
        try FileManager.default.removeItem(at: filler)
        try handle.close()
        let decision = try await processor.decide(request, session: store.session)
        #expect(try await store.photo("a.jpg").marks.label == decision.action.after.label)
    }
}

/// Counts commits, and refuses them while it is closed.
private final class CommitGate: TransactionObserver, Sendable {
    private let state = Mutex((count: 0, refused: 0, isOpen: true))

    var count: Int { state.withLock { $0.count } }
    var refused: Int { state.withLock { $0.refused } }
    var isOpen: Bool {
        get { state.withLock { $0.isOpen } }
        set { state.withLock { $0.isOpen = newValue } }
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseWillCommit() throws {
        let isRefused = state.withLock { state in
            state.refused += state.isOpen ? 0 : 1
            return !state.isOpen
        }
        if isRefused { throw DatabaseError(resultCode: .SQLITE_FULL) }
    }
    func databaseDidCommit(_ database: Database) { state.withLock { $0.count += 1 } }
    func databaseDidRollback(_ database: Database) {}
}
