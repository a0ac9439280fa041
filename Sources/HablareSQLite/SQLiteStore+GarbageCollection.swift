public import Foundation
import GRDB
public import Hablare
import HablareSupport

/// Removes data that is no longer needed from the disk: content files without references, and deleted rows in the
/// write-ahead log.
extension SQLiteStore {
    /// Removes content files to which no row refers any more. The method holds the write lock during the check and the
    /// removal, so no commit can add a reference meanwhile. ``WriteTransaction`` checks under the same lock whether the
    /// file exists.
    ///
    /// If this method fails, the writes are on disk nevertheless. The next commit tries again to remove the files.
    func collect(_ released: Set<ContentReference>) {
        let references = uncollected.withLock { uncollected in
            defer { uncollected = [] }
            return uncollected.union(released)
        }
        for reference in references {
            do {
                try collect(reference)
            } catch {
                uncollected.withLock { _ = $0.insert(reference) }
            }
        }
    }

    private func collect(_ reference: ContentReference) throws {
        try translatingErrors(of: path) {
            try pool.writeWithoutTransaction { db in
                try db.inTransaction(.immediate) {
                    let isUsed = try ReadTransaction(db: db, content: nil).refers(to: reference.digest)
                    if !isUsed { try files.remove(reference) }
                    return .rollback  // nothing was written
                }
            }
        }
    }

    /// Empties the write-ahead log after a deletion, so that no file of the store contains the erased bytes. If this
    /// method fails, the deletion is on disk nevertheless. The log cannot be emptied while a reader uses an older state
    /// of the database. The next commit tries again. Each process that reads the changes of other processes also tries
    /// again.
    func finishErasing() {
        let erasing = erasure.withLock { $0 }
        guard erasing == .wanted || erasing == .postponed else { return }
        do {
            let shortBusyTimeout = erasing == .wanted ? Self.shortBusyTimeout : 0
            try pool.writeWithoutTransaction { db in
                guard let wanted = try ErasureMark.wanted(db) else { return }  // another process has done it
                try db.execute(sql: "PRAGMA busy_timeout = \(shortBusyTimeout)")
                let outcome = Result { try db.checkpoint(.truncate) }
                try db.execute(sql: "PRAGMA busy_timeout = \(Int(busyTimeout * 1000))")
                _ = try outcome.get()
                try ErasureMark.clear(wanted, db)
            }
            erasure.withLock { $0 = .finished }
        } catch {
            erasure.withLock { $0 = .postponed }
        }
    }

    /// Finds abandoned content, and removes it if `removing` is true. See
    /// ``/Hablare/RequestStore/abandonedContent(before:removing:)``.
    public func abandonedContent(before date: Date, removing: Bool) throws -> AbandonedContent {
        try abandonedContent(in: try files.folders(), before: date, removing: removing)
    }

    /// - Parameter folders: The folders in which content files are searched. A folder is listed only when its turn
    ///   comes.
    func abandonedContent(
        in folders: some Sequence<URL>, before date: Date, removing: Bool
    ) throws -> AbandonedContent {
        var found = AbandonedContent()
        var failure: (any Error)?
        // A file that cannot be read or removed does not stop the search.
        func going(_ look: () throws -> Void) throws {
            do {
                try look()
            } catch let error as CancellationError {
                throw error
            } catch {
                failure = failure ?? error
            }
        }
        for folder in folders {
            try going {
                for file in try files.files(in: folder) {
                    // A shutdown or a suspension of the process waits for this.
                    try Task.checkCancellation()
                    try going { try look(at: file, before: date, removing: removing, into: &found) }
                }
            }
        }
        if let failure { throw failure }
        return found
    }

    private func look(at file: URL, before date: Date, removing: Bool, into found: inout AbandonedContent) throws {
        guard let size = try files.size(of: file, untouchedSince: date) else { return }
        if file.pathExtension == "tmp" {
            if removing { try files.remove(file) }
        } else {
            guard let digest = files.digest(of: file), try read({ try !$0.refers(to: digest) }),
                try !removing || remove(file, digest, untouchedSince: date)
            else { return }
        }
        found.files += 1
        found.bytes += Int64(size)
    }

    /// Removes a content file while the write lock is held. Does not remove the file if a row now refers to it, or if a
    /// process may be about to write such a row.
    private func remove(_ file: URL, _ digest: Data, untouchedSince date: Date) throws -> Bool {
        try translatingErrors(of: path) {
            try pool.writeWithoutTransaction { db in
                var isRemoved = false
                try db.inTransaction(.immediate) {
                    if try !ReadTransaction(db: db, content: nil).refers(to: digest),
                        try files.size(of: file, untouchedSince: date) != nil
                    {
                        try files.remove(file)
                        isRemoved = true
                    }
                    return .rollback  // nothing was written
                }
                return isRemoved
            }
        }
    }
}
