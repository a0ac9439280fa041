import GRDB
import Hablare
import HablareSupport

/// An observer that allows a number of transactions, and then refuses all: a full disk, or the moment at which a
/// process is killed.
final class CommitBreaker: TransactionObserver, Sendable {
    /// The number of transactions that may still be committed.
    let left: Locked<Int>
    /// The number of refused transactions.
    let refused = Locked(0)

    init(left: Int = .max) {
        self.left = Locked(left)
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ database: Database) {}
    func databaseDidRollback(_ database: Database) {}

    func databaseWillCommit() throws {
        let isAllowed = left.withLock { left in
            guard left > 0 else { return false }
            if left < .max { left -= 1 }
            return true
        }
        guard !isAllowed else { return }
        refused.withLock { $0 += 1 }
        throw DatabaseError(resultCode: .SQLITE_FULL)
    }
}
