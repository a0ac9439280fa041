import GRDB
import Hablare
import HablareSupport

/// An observer that runs a closure during the next transaction.
final class CommitInterruption: TransactionObserver, Sendable {
    let body = Locked<(@Sendable () -> Void)?>(nil)

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ database: Database) {}
    func databaseDidRollback(_ database: Database) {}
    func databaseWillCommit() throws {
        let body = body.withLock { body in
            defer { body = nil }
            return body
        }
        body?()
    }
}
