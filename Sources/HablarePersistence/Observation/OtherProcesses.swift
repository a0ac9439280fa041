import Foundation
import GRDB
import HablareFiles
import Synchronization

/// Tells the observations of a pool that somebody else has committed: another process, or another connection.
///
/// GRDB sees the commits of its own writer. Those of others are noticed by the write-ahead log, which grows, and by
/// `PRAGMA data_version` on the writer, which changes only when another connection has committed: so an own commit costs
/// a look and no notice, and the notice, a transaction that writes nothing, does not bring about the next one.
final class OtherProcesses: Sendable {
    private let watch: FileChanges.Watch

    /// - Parameters:
    ///   - pool: The pool, which is not kept alive by this.
    ///   - method: Where changes of the log are learned of.
    ///   - echoes: How soon one is looked at again.
    init(
        _ pool: DatabasePool, method: FileChanges.Method = .notification,
        echoes: [Int32] = FileChanges.usualEchoes
    ) throws {
        let file = URL(fileURLWithPath: pool.path)
        let files = FileChanges(
            directory: file.deletingLastPathComponent().path, suffix: file.lastPathComponent + "-wal", method: method,
            echoes: echoes)
        // Before any value is read, so that no commit falls between.
        let seen = Seen(try pool.writeWithoutTransaction(Seen.version))
        watch = files.watch { [weak pool] in
            do {
                try pool?.writeWithoutTransaction(seen.look)
                return true
            } catch {
                // Somebody has the file for himself, or the disk fails. What was not told is not marked as seen, and a
                // look that came to nothing is made again, also when nobody writes any more.
                return false
            }
        }
    }

    /// The version of the database that its observations know.
    private final class Seen: Sendable {
        private let version: Atomic<Int64>

        init(_ version: Int64) { self.version = Atomic(version) }

        func look(_ db: Database) throws {
            let version = try Self.version(db)
            guard version != self.version.load(ordering: .relaxed) else { return }
            // Deferred and without a statement, it locks nothing and waits for nobody.
            try db.inTransaction(.deferred) {
                try db.notifyChanges(in: .fullDatabase)
                return .commit
            }
            self.version.store(version, ordering: .relaxed)
        }

        /// Changes when another connection than the one that asks has committed.
        static func version(_ db: Database) throws -> Int64 {
            try Int64.fetchOne(db, sql: "PRAGMA data_version") ?? 0
        }
    }
}
