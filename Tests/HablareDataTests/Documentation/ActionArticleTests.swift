import Foundation
import GRDB
import Hablare
import HablareSupport
import HablareTestKit
import Logging
import ServiceLifecycle
import Testing

@testable import HablareData

/// Tests of the code in the article on the action queue.
@Suite(.timeLimit(.minutes(2))) struct ActionArticleTests {
    @MainActor
    @Test("Swipes of a model are carried out in groups, and undone before and after")
    func swipes() async throws {
        let database = try DatabaseQueue()
        try await database.write { try ActionSchema.create($0) }
        let library = Locked<[String: PhotoSwipe.Kind]>([:])
        let committer = PhotoCommitter { photo, kind in
            guard photo != "gone" else { throw CocoaError(.fileNoSuchFile) }
            library.withLock { $0[photo] = kind }
        }
        let queue = try await DurableActionQueue(
            "swipes", in: database, committer: committer, seams: .controlled(by: ManualClock()))
        let model = PhotoSwipeModel(photos: ["one", "two", "gone", "three"], queue: queue)
        try await queue.whileRunning {
            for kind in [PhotoSwipe.Kind.trash, .keep, .favourite, .favourite] { try await model.swipe(kind) }
            try await model.undo()
            #expect(model.photos == ["three"])
            let state = try await queue.flush()
            #expect(state.failed == 1)
            #expect(library.withLock { $0 } == ["one": .trash])
            for _ in 1...3 { try await model.undo() }
            #expect(model.photos == ["one", "two", "gone", "three"])
            try await queue.flush()
        }
        #expect(library.withLock { $0 } == ["one": .restore])
    }

    @Test("A repeated move of a missing photo counts as done, and a first one fails")
    func repeated() async throws {
        let committer = PhotoCommitter { _, _ in throw CocoaError(.fileNoSuchFile) }
        let outcomes = await committer.commit(
            [true, false].map { isRepeated in
                ActionItem(
                    id: ActionID(rawValue: UUID()), action: PhotoSwipe(kind: .trash, photo: "one"),
                    isRepeated: isRepeated)
            }, of: .trash)
        guard case .done = outcomes.first, case .failed(_, isRetryable: false) = outcomes.last else {
            Issue.record("\(outcomes)")
            return
        }
    }

    @Test("A message whose answer was lost is looked up, and sent once")
    func looks() async throws {
        let database = try DatabaseQueue()
        try await database.write { try ActionSchema.create($0) }
        let service = Locked<(sent: [String], keys: Set<String>)>((sent: [], keys: []))
        let committer = MessageCommitter(
            send: { text, key in
                let isFirst = service.withLock { service in
                    service.sent.append(text)
                    return service.keys.insert(key).inserted && service.sent.count == 1
                }
                if isFirst { throw POSIXError(.ECONNRESET) }
            }, has: { key in service.withLock { $0.keys.contains(key) } })
        let clock = ManualClock()
        let queue = try await DurableActionQueue(
            "messages", in: database, committer: committer, seams: .controlled(by: clock))
        try await queue.append([OutgoingMessage(text: "one"), OutgoingMessage(text: "two")])
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await queue.run() }
            try await flushOnceRunning(queue)
            #expect(queue.snapshot.pending == 1)
            // An unknown outcome leads to a lookup, and not to another message.
            try await flushOnceRunning(queue)
            group.cancelAll()
            try await group.waitForAll()
        }
        #expect(queue.snapshot.pending == 0 && queue.snapshot.failed == 0)
        #expect(service.withLock { $0.sent } == ["one", "two"])
    }

    @Test("A refused message is retried, and marked as repeated only if its outcome is unknown")
    func outcomes() async throws {
        for (code, isKnown) in [(POSIXErrorCode.ECONNREFUSED, true), (.ECONNRESET, false)] {
            let committer = MessageCommitter(send: { _, _ in throw POSIXError(code) }, has: { _ in false })
            let item = ActionItem(id: ActionID(rawValue: UUID()), action: OutgoingMessage(text: "one"))
            switch await committer.commit([item], of: "messages").first {
            case .failed(_, isRetryable: true): #expect(isKnown)
            case .unknown: #expect(!isKnown)
            case let outcome: Issue.record("\(String(describing: outcome))")
            }
        }
    }

    @Test("A watch shows the queue's state, and ends with the group of services")
    func watches() async throws {
        let database = try DatabaseQueue()
        try await database.write { try ActionSchema.create($0) }
        let queue = try await DurableActionQueue(
            "swipes", in: database, committer: PhotoCommitter { _, _ in }, seams: .controlled(by: ManualClock()))
        let shown = Locked<[ActionQueueSnapshot]>([])
        let watch = QueueWatch(queue: queue) { state in shown.withLock { $0.append(state) } }
        let services = ServiceGroup(services: [queue, watch], logger: Logger(label: "test"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            while !shown.withLock({ $0.contains { $0.isRunning } }) { await Task.yield() }
            await services.triggerGracefulShutdown()
            try await group.waitForAll()
        }
        #expect(!queue.snapshot.isRunning)
    }

    @Test("Edits are made in the app's own database, and reverted")
    func edits() async throws {
        let database = try DatabaseQueue()
        try await database.write { database in
            try ActionSchema.create(database)
            try database.execute(sql: "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
            try database.execute(sql: "INSERT INTO note VALUES (1, 'first')")
        }
        let queue = try await openEdits(in: database)
        try await queue.append(NoteEdit(note: 1, text: "second", before: "first"))
        try await queue.append(NoteEdit(note: 1, text: "third", before: "second"))
        try await queue.whileRunning {
            try await queue.flush()
            #expect(try await Self.text(in: database) == "third")
            try await queue.undo()
            try await queue.flush()
        }
        #expect(try await Self.text(in: database) == "second")
    }

    @Test("A record of the app and its action are committed together")
    func rejects() async throws {
        let database = try DatabaseQueue()
        try await database.write {
            try ActionSchema.create($0)
            try $0.execute(
                sql: "CREATE TABLE photo (name TEXT, isRejected INTEGER); INSERT INTO photo VALUES ('one', 0)")
        }
        let queue = try await DurableActionQueue(
            "swipes", in: database, committer: PhotoCommitter { _, _ in }, seams: .controlled(by: ManualClock()))
        try await reject("one", with: queue)
        #expect(queue.pendingActions.map(\.action.photo) == ["one"])
        let rejected = try await database.read {
            try String.fetchAll($0, sql: "SELECT name FROM photo WHERE isRejected")
        }
        #expect(rejected == ["one"])
    }

    @Test("A model follows its queue until its task ends")
    @MainActor
    func follows() async throws {
        let database = try DatabaseQueue()
        try await database.write { try ActionSchema.create($0) }
        let queue = try await DurableActionQueue(
            "swipes", in: database, committer: PhotoCommitter { _, _ in }, seams: .controlled(by: ManualClock()))
        let model = PhotoSwipeModel(photos: ["one"], queue: queue)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await model.follow() }
            await #expect(throws: Never.self) { try await model.swipe(.trash) }
            while model.state.pending == 0 { await Task.yield() }
            #expect(model.state.canUndo && model.photos.isEmpty)
            group.cancelAll()
        }
    }

    private static func text(in database: DatabaseQueue) async throws -> String? {
        try await database.read { try String.fetchOne($0, sql: "SELECT text FROM note") }
    }
}
