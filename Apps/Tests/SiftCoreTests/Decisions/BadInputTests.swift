import Foundation
import Hablare
import HablareData
import HablarePersistence
import HablareTestKit
import Logging
import Synchronization
import Testing

@testable import SiftCore

/// Folders and moments that go wrong, from the scan to the trash and back.
struct BadInputTests {
    @Test func sortsPhotosWithHardNames() async throws {
        let store = try await TestStore()
        let names: [[UInt8]] = [
            Array("new\nline [Trash Info] %0A.jpg".utf8), [0xFF, 0xFE] + Array(".jpg".utf8),
            Array(String(repeating: "n", count: 251).utf8) + Array(".jpg".utf8), Array("-rf *;'\".jpg".utf8),
        ]
        for (index, name) in names.enumerated() {
            try store.test.add("plain.jpg", "photo \(index)")
            let target = Array(store.test.photos.path.utf8) + [UInt8(ascii: "/")] + name + [0]
            let source = store.test.photos.appending(path: "plain.jpg").path
            #expect(rename(source, target.map { CChar(bitPattern: $0) }) == 0)
        }
        try await store.scan()
        let photos = try await store.photos()
        #expect(Set(photos.map(\.principal.path.name.bytes)) == Set(names))
        let id = store.library.id
        try await store.running(store.processor()) { processor in
            for photo in photos {
                try await processor.decide(DecisionRequest(photo, kind: .trash), session: store.session)
            }
            try await processor.flush()
            #expect(store.test.trashed.count == names.count && store.test.descriptions.count == names.count)
            #expect(store.test.names(store.test.photos).isEmpty)
            for _ in photos { try await processor.undo(of: id) }
            try await processor.flush()
        }
        #expect(try await store.photos() == photos)
        #expect(store.test.trashed.isEmpty && store.test.descriptions.isEmpty)
        #expect(try store.test.open().items(in: .root).map(\.name.bytes).count == names.count)
    }

    @Test func trashesOneOfTwoHardLinks() async throws {
        let store = try await TestStore("a.jpg")
        let (first, second) = (store.test.photos.appending(path: "a.jpg"), store.test.photos.appending(path: "b.jpg"))
        #expect(link(first.path, second.path) == 0)
        try await store.scan()
        #expect(try await store.photos().count == 2)
        let photo = try await store.photo("b.jpg")
        try await store.running(store.processor()) { processor in
            try await processor.decide(DecisionRequest(photo, kind: .trash), session: store.session)
            try await processor.flush()
            #expect(store.test.trashed == ["b.jpg"] && store.test.exists("a.jpg"))
            try await processor.undo(of: store.library.id)
            try await processor.flush()
        }
        #expect(store.test.exists("a.jpg") && store.test.exists("b.jpg"))
    }

    @Test func seesNothingBehindLinks() async throws {
        let store = try await TestStore("d/a.jpg")
        let outside = store.test.base.appending(path: "outside")
        try FileManager.default.createDirectory(at: outside, withIntermediateDirectories: true)
        try Data("secret".utf8).write(to: outside.appending(path: "s.jpg"))
        for (name, target) in [("loop", store.test.photos), ("d/up", store.test.photos), ("out", outside)] {
            try FileManager.default.createSymbolicLink(
                at: store.test.photos.appending(path: name), withDestinationURL: target)
        }
        #expect(try await store.scan().isComplete)
        #expect(try await store.photos().map(\.principal.path.description) == ["d/a.jpg"])
        // A folder that becomes a link after the scan leads nowhere, either.
        let photo = try await store.photo("d/a.jpg")
        try FileManager.default.moveItem(
            at: store.test.photos.appending(path: "d"), to: outside.appending(path: "d"))
        try FileManager.default.createSymbolicLink(
            at: store.test.photos.appending(path: "d"), withDestinationURL: outside.appending(path: "d"))
        try await store.running(store.processor()) { processor in
            var refusals = processor.refusals.makeAsyncIterator()
            try await processor.decide(DecisionRequest(photo, kind: .trash), session: store.session)
            try await processor.flush()
            #expect(await refusals.next()?.error.code == .photoGone)
        }
        #expect(store.test.names(outside.appending(path: "d")).contains("a.jpg") && store.test.trashed.isEmpty)
    }

    @Test func refusesAPhotoThatWasDeletedAfterItWasShown() async throws {
        let store = try await TestStore("a.jpg", "b.jpg")
        let (a, b) = (try await store.photo("a.jpg"), try await store.photo("b.jpg"))
        try FileManager.default.removeItem(at: store.test.photos.appending(path: "a.jpg"))
        try await store.running(store.processor()) { processor in
            var refusals = processor.refusals.makeAsyncIterator()
            for photo in [a, b] {
                try await processor.decide(DecisionRequest(photo, kind: .trash), session: store.session)
            }
            try await processor.flush()
            #expect(await refusals.next()?.error == PhotoProcessingError(.photoGone))
            #expect(processor.snapshot.failed == 0 && processor.snapshot.pending == 0)
        }
        #expect(store.test.trashed == ["b.jpg"])
        #expect(try await store.history().last?.failure == .photoGone)
        // A scan has seen that it is gone: a decision is refused at once.
        try await store.scan()
        await #expect(throws: PhotoProcessingError(.photoGone)) {
            try await store.processor().decide(DecisionRequest(a, kind: .trash), session: store.session)
        }
    }

    @Test func takesADecisionWhileACommitRuns() async throws {
        let store = try await TestStore("a.jpg", "b.jpg")
        let (a, b) = (try await store.photo("a.jpg"), try await store.photo("b.jpg"))
        let (isCommitting, mayContinue) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isFirst = Mutex(true)
        var trash = store.trash()
        trash.afterStep = { step in
            guard step == .planned,
                isFirst.withLock({ wasFirst in
                    defer { wasFirst = false }
                    return wasFirst
                })
            else { return }
            isCommitting.signal()
            mayContinue.wait()
        }
        let processor = try await PhotoBatchProcessor(
            database: store.database, trash: trash, seams: .controlled(by: store.clock),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await store.running(processor) { processor in
            try await processor.decide(DecisionRequest(a, kind: .trash), session: store.session)
            try await processor.commit()
            try await BlockingWork.run { isCommitting.wait() }
            // The commit of the first one runs, and the second one is recorded all the same.
            try await processor.decide(DecisionRequest(b, kind: .trash), session: store.session)
            #expect(try await store.photo(b.id).decision == .trash)
            #expect(store.test.exists("a.jpg") && store.test.exists("b.jpg"))
            mayContinue.signal()
            try await processor.flush()
        }
        #expect(store.test.trashed == ["a.jpg", "b.jpg"] && store.test.descriptions.count == 2)
        #expect(try await store.history().allSatisfy { $0.isSettled && $0.failure == nil })
    }

    @Test func keepsTheOrderWhenTheClockIsSetBack() async throws {
        let store = try await TestStore("a.jpg", "b.jpg", "c.jpg")
        let photos = try await store.photos()
        let id = store.library.id
        let hours = Count(10)
        var seams = EngineSeams.controlled(by: store.clock)
        seams.date = { Date(timeIntervalSince1970: 3600 * Double(hours.add(-1))) }
        let processor = try await PhotoBatchProcessor(
            database: store.database, trash: store.trash(), seams: seams,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        for photo in photos {
            try await processor.decide(DecisionRequest(photo, kind: .keep), session: store.session)
        }
        let history = try await store.history()
        #expect(history.map(\.action.photo) == photos.reversed().map(\.id))
        #expect(history.map(\.madeAt) == history.map(\.madeAt).sorted(), "Each one was made before the last one.")
        for photo in photos.reversed() {
            #expect(try await processor.undo(of: id).map(\.action.photo) == [photo.id])
        }
        for photo in photos { #expect(try await processor.redo(of: id).map(\.action.photo) == [photo.id]) }
    }

    @Test func seesThatAFolderIsMovedAway() async throws {
        let store = try await TestStore("a.jpg")
        let watch = LibraryWatch(try store.test.open())
        watch.add(.root)
        let changes = watch.changes()
        try FileManager.default.moveItem(at: store.test.photos, to: store.test.base.appending(path: "away"))
        for await _ in changes { break }
        withExtendedLifetime(watch) {}
    }
}
