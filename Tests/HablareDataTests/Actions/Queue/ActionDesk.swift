import Foundation
import GRDB
import Hablare
import HablareTestKit
import Testing

@testable import HablareData

/// A queue on a manual clock, with its database and its service.
struct ActionDesk {
    let clock = ManualClock()
    let database: DatabaseQueue
    let committer: ScriptedCommitter
    let configuration: ActionQueueConfiguration
    let log = LogRecorder()

    init(
        _ committer: ScriptedCommitter = ScriptedCommitter(),
        configuration: ActionQueueConfiguration = ActionQueueConfiguration()
    ) throws {
        self.committer = committer
        self.configuration = configuration
        database = try DatabaseQueue()
        try database.write { try ActionSchema.create($0) }
    }

    /// Opens the queue, or opens it again.
    func queue(_ name: String = "swipes") async throws -> DurableActionQueue<ScriptedCommitter> {
        try await DurableActionQueue(
            name, in: database, committer: committer, configuration: configuration,
            seams: .controlled(by: clock), logger: log.logger)
    }

    /// Returns the number of rows in the journal.
    func rows() throws -> Int {
        try database.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM hablare_actions") ?? 0 }
    }
}

extension DurableActionQueue {
    /// Runs the queue during a closure.
    func whileRunning<R>(_ body: () async throws -> R) async throws -> R {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.run() }
            await soon { $0.isRunning }
            let result = try await body()
            group.cancelAll()
            try await group.waitForAll()
            return result
        }
    }

    /// Waits until the queue's state meets a condition.
    func soon(_ isSo: (ActionQueueSnapshot) -> Bool) async {
        for await snapshot in updates where isSo(snapshot) { return }
    }
}
