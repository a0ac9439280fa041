import Foundation
import GRDB
import Hablare
import HablareSupport

/// The damage of an open store's database that is known so far.
///
/// SQLite may read a damaged page without an error. Rows may then be missing, and their requests look as if they had
/// never been submitted. Therefore, if the store does not find a request and the database is known to be damaged, it
/// reports the damage.
struct KnownDamage: Sendable {
    /// The maximum size, in pages, of a database that is checked completely when a request is not found. It is 16 MiB.
    static let mostPages = 4096
    /// After this number of requests that were not found, the database is checked again.
    static let interval = 1000

    /// A description of the damage, from SQLite or from this library. `nil` if no damage is known.
    private(set) var finding: String?
    private var misses = 0

    /// Records damage.
    mutating func found(_ finding: String) {
        if self.finding == nil { self.finding = finding }
    }

    /// Counts a request that was not found. Returns whether the database should be checked now.
    mutating func missed() -> Bool {
        defer { misses += 1 }
        return finding == nil && misses.isMultiple(of: Self.interval)
    }
}

extension SQLiteStore {
    /// Runs an access to the database. If it fails, throws an error of the store, and records the damage if SQLite
    /// found one.
    func noticingDamage<R>(_ body: () throws -> R) throws -> R {
        do {
            return try translatingErrors(of: path, body)
        } catch let error as AIServiceError where error.code == .storageCorrupt {
            damage.withLock { $0.found(error.cause ?? error.message) }
            throw error
        } catch let error as AIServiceError where error.code == .storageReadOnly {
            // A connection may fail to open because the file no longer exists.
            throw identity.loss ?? error
        }
    }

    /// Handles a request that was not found.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/storageCorrupt`` if the store is known to be damaged, because the
    ///   request may be lost.
    func notFound(_ id: UUID) throws {
        if damage.withLock({ $0.missed() }), let complaint = try complaint() {
            damage.withLock { $0.found(complaint) }
        }
        guard let finding = damage.withLock(\.finding) else { return }
        throw AIServiceError(
            .storageCorrupt,
            """
            Request \(id) is not found, but it may have been submitted: \(path) is damaged. Do not submit it again, \
            because it may be billed twice. Stop every hablare process, copy the folder, and run `hablare doctor`.
            """,
            cause: finding)
    }

    /// Checks the database, and returns SQLite's description of the damage. Returns `nil` if there is no damage, or if
    /// the database is too large for this check.
    private func complaint() throws -> String? {
        try noticingDamage {
            try pool.read { db in
                guard try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0 <= KnownDamage.mostPages else { return nil }
                return try String.fetchOne(db, sql: "PRAGMA integrity_check(1)").flatMap { $0 == "ok" ? nil : $0 }
            }
        }
    }
}
