import Foundation
import GRDB
import Hablare
import HablareTestKit
import Testing

@testable import HablareData

/// The code of the article on the action queue does what it says.
@Suite(.timeLimit(.minutes(2))) struct ActionArticleTests {
    @MainActor
    @Test("Swipes of a model are carried out in groups, and undone before and after")
    func swipes() async throws {
        let database = try DatabaseQueue()
        try await database.write { try ActionSchema.create($0) }
        let library = Guarded<[String: PhotoSwipe.Kind]>([:])
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

    @Test("A photo that the attempt before has moved is moved; one that was never there is not")
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

    @Test("Edits are done in the app's own database, and taken back")
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
