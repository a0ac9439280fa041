import Foundation
import GRDB
import Hablare

/// What an open store knows of damage to its database.
///
/// SQLite takes what stands on a damaged page for what it is, where it does not see the damage: a row is missing then, and
/// the request reads as one that was never submitted. So where a request is not found the store says what it knows.
struct KnownDamage: Sendable {
    /// The number of pages up to which the whole database is checked when a request is not found: 16 MiB.
    static let mostPages = 4096
    /// After how many requests that were not found it is checked again.
    static let interval = 1000

    /// What is wrong, in SQLite's words or ours; `nil` as long as nothing is known to be.
    private(set) var finding: String?
    private var misses = 0

    /// Something was found to be damaged.
    mutating func found(_ finding: String) {
        if self.finding == nil { self.finding = finding }
    }

    /// A request was not found. Returns whether the database is to be checked.
    mutating func missed() -> Bool {
        defer { misses += 1 }
        return finding == nil && misses.isMultiple(of: Self.interval)
    }
}

extension SQLiteStore {
    /// Runs an access to the database, translates what it throws, and remembers where SQLite finds damage.
    func noticingDamage<R>(_ body: () throws -> R) throws -> R {
        do {
            return try translatingErrors(of: path, body)
        } catch let error as AIServiceError where error.code == .storageCorrupt {
            damage.withLock { $0.found(error.cause ?? error.message) }
            throw error
        } catch let error as AIServiceError where error.code == .storageReadOnly {
            // Where a connection cannot be opened, the file may not be there any more.
            try identity.check()
            throw error
        }
    }

    /// A request is not there.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/storageCorrupt`` where the store is known to be damaged, so that the request
    ///   may have been submitted all the same.
    func notFound(_ id: UUID) throws {
        if damage.withLock({ $0.missed() }), let complaint = try complaint() {
            damage.withLock { $0.found(complaint) }
        }
        guard let finding = damage.withLock(\.finding) else { return }
        throw AIServiceError(
            .storageCorrupt,
            "Request \(id) is not found, but it may have been submitted: \(path) is damaged. Do not submit it again, or it may be paid twice. Stop every hablare, copy the folder, and see what `hablare doctor` says.",
            cause: finding)
    }

    /// What SQLite finds damaged, where the database is small enough to be checked.
    private func complaint() throws -> String? {
        try noticingDamage {
            try pool.read { db in
                guard try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0 <= KnownDamage.mostPages else { return nil }
                return try String.fetchOne(db, sql: "PRAGMA integrity_check(1)").flatMap { $0 == "ok" ? nil : $0 }
            }
        }
    }
}
