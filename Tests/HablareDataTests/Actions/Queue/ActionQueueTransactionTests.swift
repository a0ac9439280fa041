import Foundation
import GRDB
import Hablare
import HablareSupport
import HablareTestKit
import Testing

@testable import HablareData

/// Changes of the app's own tables that are committed together with actions.
@Suite(.timeLimit(.minutes(2))) struct ActionQueueTransactionTests {
    private struct Refused: Error, Equatable {}

    /// Opens a desk whose database has a table of the app, with a name in each row.
    private func desk() throws -> ActionDesk {
        let desk = try ActionDesk()
        try desk.database.write { try $0.execute(sql: "CREATE TABLE mark (name INTEGER NOT NULL)") }
        return desk
    }

    private func marks(_ desk: ActionDesk) throws -> [Int] {
        try desk.database.read { try Int.fetchAll($0, sql: "SELECT name FROM mark ORDER BY name") }
    }

    @Test("A change and its action are on disk together, and the result is returned")
    func together() async throws {
        let desk = try desk()
        let transactions = TransactionCounter()
        let queue = try await desk.queue()
        desk.database.add(transactionObserver: transactions)
        let id = try await queue.transaction { database, actions in
            try database.execute(sql: "INSERT INTO mark VALUES (1)")
            return try actions.append(Swipe(1))
        }
        #expect(transactions.count == 1)
        #expect(try marks(desk) == [1])
        #expect(queue.pendingActions.map(\.id) == [id])
        #expect(try await desk.queue().pendingActions.map(\.action) == [Swipe(1)])
    }

    @Test("An error of the closure undoes its changes and its actions, and reaches the caller unchanged")
    func refused() async throws {
        let desk = try desk()
        let queue = try await desk.queue()
        await #expect(throws: Refused()) {
            try await queue.transaction { database, actions in
                try database.execute(sql: "INSERT INTO mark VALUES (1)")
                try actions.append(Swipe(1))
                throw Refused()
            }
        }
        #expect(try marks(desk) == [] && desk.rows() == 0)
        #expect(queue.pendingActions.isEmpty && queue.snapshot.undoCount == 0)
    }

    @Test("Calls that share a transaction have their own outcomes, and keep their order")
    func shared() async throws {
        let desk = try desk()
        let queue = try await desk.queue()
        await withTaskGroup(of: Void.self) { group in
            for number in 1...200 {
                group.addTask {
                    switch number % 4 {
                    case 0: await #expect(throws: Never.self) { try await queue.append(Swipe(number)) }
                    case 1:
                        await #expect(throws: Refused()) {
                            try await queue.transaction { database, actions in
                                try database.execute(sql: "INSERT INTO mark VALUES (?)", arguments: [number])
                                try actions.append(Swipe(number))
                                throw Refused()
                            }
                        }
                    default:
                        await #expect(throws: Never.self) {
                            try await queue.transaction { database, actions in
                                try database.execute(sql: "INSERT INTO mark VALUES (?)", arguments: [number])
                                try actions.append(Swipe(number))
                            }
                        }
                    }
                }
            }
        }
        #expect(try marks(desk) == (1...200).filter { $0 % 4 > 1 })
        #expect(queue.pendingActions.map(\.action.name).sorted() == (1...200).filter { $0 % 4 != 1 })
        #expect(try await desk.queue().pendingActions.map(\.action) == queue.pendingActions.map(\.action))
    }

    @Test("An undo and a redo share the transaction of the app's change, also after a restart")
    func undoWithAChange() async throws {
        let desk = try desk()
        var queue = try await desk.queue()
        for name in 1...2 {
            try await queue.transaction { database, actions in
                try database.execute(sql: "INSERT INTO mark VALUES (?)", arguments: [name])
                try actions.append(Swipe(name, isNothing: true))
            }
        }
        queue = try await desk.queue()
        try await queue.transaction { database, actions in
            let change = try actions.undo()
            #expect(change.action.name == 2 && change.effect == .immediate)
            try database.execute(sql: "DELETE FROM mark WHERE name = ?", arguments: [change.action.name])
        }
        #expect(try marks(desk) == [1])
        await #expect(throws: Refused()) {
            try await queue.transaction { _, actions in
                try actions.undo()
                throw Refused()
            }
        }
        #expect(queue.snapshot.undoCount == 1 && queue.snapshot.redoCount == 1)
        queue = try await desk.queue()
        let redone = try await queue.transaction { _, actions in try actions.redo().action.name }
        #expect(redone == 2)
        let error = await #expect(throws: ActionQueueError.self) {
            try await queue.transaction { _, actions in _ = try actions.redo() }
        }
        #expect(error?.code == .nothingToRedo)
        #expect(try await desk.queue().snapshot.undoCount == 2)
    }

    @Test("If the disk is full, neither the change nor the action exists, and the queue goes on")
    func fullDisk() async throws {
        let desk = try desk()
        let queue = try await desk.queue()
        let breaker = CommitBreaker(left: 0)
        desk.database.add(transactionObserver: breaker)
        let add: @Sendable (Database, inout ActionTransaction<Swipe>) throws -> Void = { database, actions in
            try database.execute(sql: "INSERT INTO mark VALUES (1)")
            try actions.append(Swipe(1))
        }
        let error = await #expect(throws: ActionQueueError.self) { try await queue.transaction(add) }
        #expect(error?.code == .diskFull)
        #expect(try marks(desk) == [] && desk.rows() == 0 && queue.pendingActions.isEmpty)
        breaker.left.withLock { $0 = .max }
        try await queue.transaction(add)
        #expect(try marks(desk) == [1] && queue.pendingActions.count == 1)
    }

    @Test("A queue that was taken over changes nothing, not even in a transaction without actions")
    func takenOver() async throws {
        let desk = try desk()
        let old = try await desk.queue()
        let new = try await desk.queue()
        let error = await #expect(throws: ActionQueueError.self) {
            try await old.transaction { database, _ in try database.execute(sql: "INSERT INTO mark VALUES (1)") }
        }
        #expect(error?.code == .takenOver)
        #expect(try marks(desk) == [])
        try await new.transaction { database, _ in try database.execute(sql: "INSERT INTO mark VALUES (2)") }
        #expect(try marks(desk) == [2])
    }

    @Test("A transaction withdraws an action, or appends its reversal if the action is no longer waiting")
    func withdrawal() async throws {
        let desk = try desk()
        let queue = try await desk.queue()
        let (waiting, done) = (try await queue.append(Swipe(1)), ActionID(rawValue: .init()))
        let codes = try await queue.transaction { _, actions in
            var codes: [ActionQueueError.Code] = []
            for id in [waiting, done] {
                do {
                    try actions.withdraw(id)
                } catch let error as ActionQueueError {
                    codes.append(error.code)
                    try actions.append(Swipe(2, group: "restore"))
                }
            }
            return codes
        }
        #expect(codes == [.notPending])
        #expect(queue.pendingActions.map(\.action) == [Swipe(2, group: "restore")])
    }

    @Test("An action with a chosen id is appended once, and another action under this id is refused")
    func chosenID() async throws {
        let desk = try desk()
        let queue = try await desk.queue()
        let id = ActionID(rawValue: .init())
        for _ in 1...2 { try await queue.transaction { try $1.append(Swipe(1), id: id) } }
        #expect(queue.pendingActions.map(\.id) == [id])
        let error = await #expect(throws: ActionQueueError.self) {
            try await queue.transaction { database, actions in
                try database.execute(sql: "INSERT INTO mark VALUES (1)")
                try actions.append(Swipe(2), id: id)
            }
        }
        #expect(error?.code == .conflict)
        #expect(try marks(desk) == [])
    }

    @Test("Random transactions, failures and restarts leave as many changes as actions", arguments: 1...20)
    func history(_ seed: UInt64) async throws {
        var numbers = SeededGenerator(seed: seed)
        let desk = try desk()
        var queue = try await desk.queue()
        let breaker = CommitBreaker()
        desk.database.add(transactionObserver: breaker)
        var expected: [Int] = []
        for number in 1...60 {
            let step = Int.random(in: 0..<10, using: &numbers)
            let isFull = step < 2
            if isFull { breaker.left.withLock { $0 = 0 } }
            do {
                try await queue.transaction { database, actions in
                    try database.execute(sql: "INSERT INTO mark VALUES (?)", arguments: [number])
                    try actions.append(Swipe(number))
                    if step == 2 { throw Refused() }
                }
                expected.append(number)
            } catch {
                #expect(isFull || step == 2)
            }
            breaker.left.withLock { $0 = .max }
            if step == 3 { queue = try await desk.queue() }
            if step == 4, let last = expected.last, let id = queue.pendingActions.last?.id {
                try await queue.transaction { database, actions in
                    try database.execute(sql: "DELETE FROM mark WHERE name = ?", arguments: [last])
                    try actions.withdraw(id)
                }
                expected.removeLast()
            }
            #expect(try marks(desk) == expected, "seed \(seed)")
            #expect(queue.pendingActions.map(\.action.name) == expected, "seed \(seed)")
        }
    }
}

/// An observer that counts transactions.
private final class TransactionCounter: TransactionObserver, Sendable {
    private let commits = Locked(0)
    var count: Int { commits.withLock { $0 } }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ database: Database) { commits.withLock { $0 += 1 } }
    func databaseDidRollback(_ database: Database) {}
}
