import Foundation
import GRDB
import Hablare
import HablareSupport
import HablareTestKit
import Testing

@testable import HablareData

/// The process is killed before each of its transactions in turn, and the next process continues with the file.
@Suite(.timeLimit(.minutes(5))) struct ActionQueueCrashTests {
    @Test("In the app's own database every action is applied exactly once, even if the process is killed")
    func transactional() async throws {
        var transactions = 0
        var isKilled = true
        while isKilled {
            transactions += 1
            let file = try DatabaseFile()
            let doomed = try file.open()
            let breaker = CommitBreaker(left: transactions)
            doomed.add(transactionObserver: breaker)
            var life = CrashedLife<TransactionalCommitter<Swipe>>()
            try await life.live(on: try await Self.queue(in: doomed))
            isKilled = breaker.refused.withLock { $0 > 0 }

            let database = try file.open()
            let queue = try await Self.queue(in: database)
            #expect(queue.snapshot.undoCount == life.undoCount, "killed after \(transactions) transactions")
            try await queue.whileRunning {
                try await queue.flush()
                #expect(queue.snapshot.pending == 0 && queue.snapshot.failed == 0)
            }
            let (inEffect, isEachOnce) = try await database.read { database in
                let log = try Row.fetchAll(database, sql: "SELECT name, difference FROM swipes ORDER BY rowid")
                var sums: [Int: Int] = [:]
                var isEachOnce = true
                for row in log {
                    sums[row["name"], default: 0] += row["difference"]
                    if !(0...1).contains(sums[row["name"]] ?? 0) { isEachOnce = false }
                }
                return (Set(sums.filter { $0.value == 1 }.keys), isEachOnce)
            }
            #expect(inEffect == life.inEffect, "killed after \(transactions) transactions")
            #expect(isEachOnce, "killed after \(transactions) transactions")
            try file.remove()
        }
        #expect(transactions > 15)
    }

    @Test("A service receives every action at least once, and repetitions are marked")
    func external() async throws {
        var transactions = 0
        var repeated = 0
        var isKilled = true
        while isKilled {
            transactions += 1
            let file = try DatabaseFile()
            let doomed = try file.open()
            let breaker = CommitBreaker(left: transactions)
            doomed.add(transactionObserver: breaker)
            let committer = ScriptedCommitter()
            var life = CrashedLife<ScriptedCommitter>()
            try await life.live(
                on: try await DurableActionQueue(
                    "swipes", in: doomed, committer: committer, seams: .controlled(by: ManualClock())))
            isKilled = breaker.refused.withLock { $0 > 0 }

            let queue = try await DurableActionQueue(
                "swipes", in: try file.open(), committer: committer, seams: .controlled(by: ManualClock()))
            try await queue.whileRunning {
                try await queue.flush()
                #expect(queue.snapshot.pending == 0 && queue.snapshot.failed == 0)
            }
            #expect(committer.inEffect == life.inEffect, "killed after \(transactions) transactions")
            // The service recognises repetitions by their mark alone, and carries out unmarked items again.
            #expect(committer.doubled.isEmpty, "killed after \(transactions) transactions")
            repeated += committer.calls.flatMap(\.items).count { $0.isRepeated }
            try file.remove()
        }
        #expect(transactions > 10 && repeated > 0)
    }

    @Test("An undo between an action's transaction and its outcome does not apply it twice after a crash")
    func undoneBetween() async throws {
        let file = try DatabaseFile()
        let database = try file.open()
        let journal = GroupWriter(database, driver: ThreadCommitDriver())
        let queue = try await Self.queue(in: database)
        try await queue.append(Swipe(1))
        let owner = queue.apply { $0.core.owner }
        var record = ActionRecord(
            id: ActionID(rawValue: UUID()), number: 1, standing: .handedOver(.forward), attempt: 1, position: 1)
        let item = ActionItem(
            id: record.id, executions: 0, action: Swipe(1), isCompensation: false, isRepeated: false, attempt: 1,
            origin: ActionOrigin(number: 1, owner: owner), isUnwanted: false)
        let committer = TransactionalCommitter(journal, apply: Self.apply)
        let handedOver = record
        try await journal.write { try ActionTable.write([.update(handedOver)], of: owner, in: $0) }
        _ = await committer.commit([item], of: "trash")
        record.isWanted = false
        let undone = record
        try await journal.write { try ActionTable.write([.update(undone)], of: owner, in: $0) }

        let again = try await Self.queue(in: database)
        try await again.whileRunning { _ = try await again.flush() }
        let log = try await database.read { try Int.fetchAll($0, sql: "SELECT difference FROM swipes ORDER BY rowid") }
        let executions = try await database.read { try Int.fetchOne($0, sql: "SELECT turn FROM hablare_actions") }
        #expect(log == [1, -1] && executions == 2)
        try file.remove()
    }

    @Test("An action that ends the process at every attempt is not tried for ever")
    func poison() async throws {
        let desk = try ActionDesk(configuration: ActionQueueConfiguration(maximumAttempts: 3))
        desk.committer.hold("trash")
        var queue = try await desk.queue()
        try await queue.append(Swipe(1))
        for attempt in 1...3 {
            let doomed = queue
            // The next process takes over during the commit.
            queue = try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await #expect(throws: ActionQueueError.self) { try await doomed.run() } }
                await doomed.soon { $0.isRunning }
                try await doomed.commit()
                #expect(await desk.committer.nextCall()?.items.map(\.attempt) == [attempt])
                let next = try await desk.queue()
                await #expect(throws: ActionQueueError.self) { try await doomed.append(Swipe(2)) }
                try await group.waitForAll()
                return next
            }
        }
        #expect(queue.snapshot.failed == 1 && queue.snapshot.pending == 0)
        desk.committer.open("trash")
        try await queue.whileRunning {
            let retried = try await queue.retryFailed()
            #expect(retried == 1)
            await queue.soon { $0.pending == 0 }
        }
        #expect(desk.committer.inEffect == [1] && desk.committer.doubled.isEmpty)
    }

    @Sendable private static func apply(_ swipe: Swipe, in database: Database) throws {
        try database.execute(
            sql: "INSERT INTO swipes (name, difference) VALUES (?, ?)",
            arguments: [swipe.name, swipe.takesBack ? -1 : 1])
    }

    private static func queue(
        in database: DatabaseQueue
    ) async throws -> DurableActionQueue<TransactionalCommitter<Swipe>> {
        try await DurableActionQueue(
            "swipes", in: database, seams: .controlled(by: ManualClock()), applying: Self.apply)
    }
}
