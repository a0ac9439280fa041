import Foundation
import GRDB
import Hablare
import HablareSupport
import HablareTestKit
import Testing

@testable import HablareData

@Suite(.timeLimit(.minutes(2))) struct TransactionalCommitterTests {
    private struct Refused: Error {}

    private let clock = ManualClock()
    private let database: DatabaseQueue

    init() throws {
        database = try DatabaseQueue()
        try database.write { database in
            try ActionSchema.create(database)
            try database.execute(sql: "CREATE TABLE swipes (name INTEGER NOT NULL)")
        }
    }

    @Test("An action that throws is rolled back alone, and its failure is final")
    func throwing() async throws {
        let queue = try await queue { swipe in
            if swipe.name == 2 { throw Refused() }
        }
        try await queue.whileRunning {
            try await queue.append((1...3).map { Swipe($0) })
            let snapshot = try await queue.flush()
            #expect(snapshot.failed == 1 && snapshot.pending == 0)
        }
        #expect(try names() == [1, 3])
        #expect(queue.pendingActions.first?.failure?.contains("Refused") == true)
    }

    @Test("An action is retried if the database is busy")
    func busy() async throws {
        let isBusy = Locked(true)
        let queue = try await queue { _ in
            if isBusy.withLock({ $0 }) { throw DatabaseError(resultCode: .SQLITE_BUSY) }
        }
        try await queue.whileRunning {
            try await queue.append(Swipe(1))
            #expect(try await queue.flush().retrying == 1)
            isBusy.withLock { $0 = false }
            try await queue.flush()
        }
        #expect(try names() == [1])
    }

    @Test("A committer carries out nothing after its queue was taken over")
    func takenOver() async throws {
        let first = try await queue { _ in }
        let older = first.apply { $0.core.owner }
        try await first.append(Swipe(1))
        let item = ActionItem(
            id: ActionID(rawValue: UUID()), executions: 0, action: Swipe(1), isCompensation: false, isRepeated: false,
            attempt: 1, origin: ActionOrigin(number: 1, owner: older), isUnwanted: false)
        _ = try await queue { _ in }
        let late = TransactionalCommitter<Swipe>(GroupWriter(database, driver: ThreadCommitDriver())) {
            try Self.insert($0, in: $1)
        }
        let outcomes = await late.commit([item], of: "trash")
        guard case .failed(let error, true)? = outcomes.first else {
            Issue.record("\(outcomes)")
            return
        }
        #expect((error as? ActionQueueError)?.code == .takenOver)
        await #expect(throws: ActionQueueError.self) { try await late.wasApplied(item) }
        #expect(try names() == [])
    }

    private func queue(
        _ check: @escaping @Sendable (Swipe) throws -> Void
    ) async throws -> DurableActionQueue<TransactionalCommitter<Swipe>> {
        try await DurableActionQueue(
            "swipes", in: database, seams: .controlled(by: clock)
        ) { swipe, database in
            try Self.insert(swipe, in: database)
            try check(swipe)
        }
    }

    private static func insert(_ swipe: Swipe, in database: Database) throws {
        try database.execute(sql: "INSERT INTO swipes (name) VALUES (?)", arguments: [swipe.name])
    }

    private func names() throws -> [Int] {
        try database.read { try Int.fetchAll($0, sql: "SELECT name FROM swipes ORDER BY name") }
    }
}
