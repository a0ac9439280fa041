import Foundation
import GRDB
import Hablare
import HablareTestKit

@testable import HablareData

/// One history of a queue on a file, which ends after a number of transactions, with the acknowledgements until then.
struct CrashedLife<Committer: ActionCommitter> where Committer.Action == Swipe {
    /// The acknowledged swipes, and whether they are wanted.
    private(set) var wanted: [ActionID: (swipe: Swipe, isWanted: Bool)] = [:]
    private(set) var undoCount = 0
    /// Whether the history ended early.
    private(set) var hasCrashed = false

    /// Runs the same history each time: appends, commits, undo and redo before, during and after them.
    mutating func live(on queue: DurableActionQueue<Committer>) async throws {
        do {
            try await queue.whileRunning {
                try await append(queue, [Swipe(1), Swipe(2, group: "album", subject: "photo"), Swipe(3)])
                try await queue.commit()
                try await append(queue, [Swipe(4, group: "album", subject: "photo")])
                try await undo(queue)
                try await redo(queue)
                try await queue.flush()
                try await undo(queue)
                try await undo(queue)
                try await queue.flush()
                try await redo(queue)
                try await append(queue, [Swipe(5), Swipe(6, isNothing: true)])
                try await undo(queue)
                try await undo(queue)
                try await queue.commit()
                try await redo(queue)
                try await queue.flush()
                try await undo(queue)
                try await queue.flush()
            }
        } catch let error as ActionQueueError where error.code == .diskFull {
            hasCrashed = true
        }
    }

    private mutating func append(_ queue: DurableActionQueue<Committer>, _ swipes: [Swipe]) async throws {
        let ids = try await queue.append(swipes)
        for (id, swipe) in zip(ids, swipes) { wanted[id] = (swipe, true) }
        undoCount += swipes.count
    }

    private mutating func undo(_ queue: DurableActionQueue<Committer>) async throws {
        wanted[try await queue.undo().id]?.isWanted = false
        undoCount -= 1
    }

    private mutating func redo(_ queue: DurableActionQueue<Committer>) async throws {
        wanted[try await queue.redo().id]?.isWanted = true
        undoCount += 1
    }

    /// The swipes that should be in effect.
    var inEffect: Set<Int> { Set(wanted.values.filter { $0.isWanted && !$0.swipe.isNothing }.map(\.swipe.name)) }
}

/// A database on its own file, opened again for each process.
struct DatabaseFile {
    let folder = FileManager.default.temporaryDirectory.appending(path: "actions-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try open().write { database in
            try ActionSchema.create(database)
            try database.execute(sql: "CREATE TABLE swipes (name INTEGER NOT NULL, difference INTEGER NOT NULL)")
        }
    }

    func open() throws -> DatabaseQueue { try DatabaseQueue(path: folder.appending(path: "app.sqlite").path) }

    func remove() throws { try FileManager.default.removeItem(at: folder) }
}
