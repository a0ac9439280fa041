import Foundation
import GRDB
import Hablare
import HablareTestKit
import Testing

@testable import HablareData

/// A database that is erased while its queue is open, and one that another version of the app has written.
@Suite(.timeLimit(.minutes(2))) struct ActionQueueErasedTests {
    @Test("A queue reports that its database was erased, and two owners never look the same")
    func erased() async throws {
        let desk = try ActionDesk()
        let before = try await desk.queue()
        try await before.append(Swipe(1))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                let end = await #expect(throws: ActionQueueError.self) { try await before.run() }
                #expect(end?.code == .erased)
            }
            await before.soon { $0.isRunning }
            try await desk.database.write { database in
                try database.execute(sql: "DELETE FROM hablare_actions; DELETE FROM hablare_action_queues")
            }
            let error = await #expect(throws: ActionQueueError.self) { try await before.append(Swipe(2)) }
            #expect(error?.code == .erased && error?.message.contains("open the queue again") == true)
            try await group.waitForAll()
        }
        let after = try await desk.queue()
        #expect(after.pendingActions.isEmpty)
        try await after.append(Swipe(3))
        #expect(after.apply { $0.core.owner } != before.apply { $0.core.owner })
        let error = await #expect(throws: ActionQueueError.self) { try await before.append(Swipe(4)) }
        #expect(error?.code == .erased)
        #expect(try desk.rows() == 1)
    }

    @Test("An undone action cannot be redone after an older version of the app appended another one")
    func downgrade() async throws {
        let desk = try ActionDesk()
        let newer = try await desk.queue()
        try await newer.append([Swipe(1), Swipe(2)])
        try await newer.undo()
        // The older version cannot read the second action, and so cannot end the possibility to redo it.
        let payload = try await desk.database.write { database in
            let payload = try Data.fetchOne(database, sql: "SELECT action FROM hablare_actions WHERE number = 2")
            try database.execute(sql: "UPDATE hablare_actions SET action = '{}' WHERE number = 2")
            return payload
        }
        try await desk.queue().append(Swipe(3))
        try await desk.database.write { database in
            try database.execute(sql: "UPDATE hablare_actions SET action = ? WHERE number = 2", arguments: [payload])
        }

        let again = try await desk.queue()
        #expect(again.snapshot.undoCount == 2 && again.snapshot.redoCount == 0)
        #expect(try await again.undo().action.name == 3)
        #expect(try await again.redo().action.name == 3)
        #expect(try await again.undo().action.name == 3)
        #expect(try await again.undo().action.name == 1)
        #expect(try desk.rows() == 2)
        try await again.whileRunning { _ = try await again.flush() }
        #expect(desk.committer.calls.isEmpty)
    }
}
