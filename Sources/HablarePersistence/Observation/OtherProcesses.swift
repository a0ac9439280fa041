import Foundation
import GRDB
import HablareFiles
import Synchronization

/// A watcher that notifies the observations of a pool when other processes or other connections commit.
///
/// GRDB notices only the commits of its own writer. The watcher notices other commits in two steps. First, the
/// write-ahead log grows with every commit. Second, `PRAGMA data_version`, read on the writer's connection, changes
/// only if another connection has committed. So a commit of the own writer costs one check and causes no notification.
/// The notification is a transaction that writes nothing, so it does not cause another notification.
final class OtherProcesses: Sendable {
    private let watch: FileChanges.Watch

    /// - Parameters:
    ///   - pool: The pool. The watcher does not keep it alive.
    ///   - method: The way in which changes of the write-ahead log are detected.
    ///   - echoes: The delays in milliseconds after which a change is checked again.
    init(
        _ pool: DatabasePool, method: FileChanges.Method = .notification,
        echoes: [Int32] = FileChanges.usualEchoes
    ) throws {
        let file = URL(fileURLWithPath: pool.path)
        let files = FileChanges(
            directory: file.deletingLastPathComponent().path, suffix: file.lastPathComponent + "-wal", method: method,
            echoes: echoes)
        // Read before any value, so that no commit is missed in between.
        let seen = Seen(try pool.writeWithoutTransaction(Seen.version))
        watch = files.watch { [weak pool] in
            do {
                try pool?.writeWithoutTransaction(seen.look)
                return true
            } catch {
                // Another process has locked the file, or the disk fails. The commit is not marked as seen, so the
                // check is repeated, even if no process writes any more.
                return false
            }
        }
    }

    /// The data version about which the observations were last notified.
    private final class Seen: Sendable {
        private let version: Atomic<Int64>

        init(_ version: Int64) { self.version = Atomic(version) }

        func look(_ db: Database) throws {
            let version = try Self.version(db)
            guard version != self.version.load(ordering: .relaxed) else { return }
            // A deferred transaction without a statement takes no lock and does not wait.
            try db.inTransaction(.deferred) {
                try db.notifyChanges(in: .fullDatabase)
                return .commit
            }
            self.version.store(version, ordering: .relaxed)
        }

        /// Returns a number that changes when a connection other than this one commits.
        static func version(_ db: Database) throws -> Int64 {
            try Int64.fetchOne(db, sql: "PRAGMA data_version") ?? 0
        }
    }
}
