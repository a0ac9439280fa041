public import Foundation
import GRDB
public import Hablare
import HablareFileErrors
import HablareFiles
import HablareStores
import HablareSupport

/// A store on disk. It consists of an SQLite database, a folder with content files, and a lock file for each running
/// process.
///
/// Commits are durable: the database uses a write-ahead log with `synchronous=FULL` (on Apple platforms with full
/// sync). Content files and their folders are synced before a row refers to them. Several processes on one machine may
/// share the store. The store must not be on a network file system.
public final class SQLiteStore: RequestStore {
    /// The options for opening a store.
    ///
    /// ```swift
    /// let store = try SQLiteStore(
    ///     directory: folder,
    ///     configuration: SQLiteStore.Configuration(
    ///         thresholds: ContentThresholds(text: 1 << 20), maximumDatabaseSize: 2 << 30, busyTimeout: 30))
    /// ```
    public struct Configuration: Sendable {
        /// The minimum sizes of content that is kept in files. Default: 50 KiB for text, 100 KiB for other content. For
        /// example, `ContentThresholds(text: 1 << 20)` to keep text of up to 1 MiB in the database.
        public var thresholds: ContentThresholds
        /// The maximum size of the database file, in bytes. With `nil`, the default, only the disk limits the size. A
        /// write that needs more space fails with ``/Hablare/AIServiceError/Code/storageFull``. Content files do not
        /// count. For example, `200 << 20` (200 MiB) on a phone.
        public var maximumDatabaseSize: Int?
        /// The time in seconds to wait for the write lock while another process holds it. After this time, a write
        /// fails with ``/Hablare/AIServiceError/Code/storageBusy``. 0 or more. A time above 2,147,483 seconds (24 days)
        /// is reduced to this value. Default: 10. For example, 30 if a backup may hold the lock for long.
        public var busyTimeout: TimeInterval

        /// Creates a configuration.
        public init(
            thresholds: ContentThresholds = ContentThresholds(), maximumDatabaseSize: Int? = nil,
            busyTimeout: TimeInterval = 10
        ) {
            self.thresholds = thresholds
            self.maximumDatabaseSize = maximumDatabaseSize
            self.busyTimeout = busyTimeout
        }

        /// The maximum time that SQLite can wait, in seconds. SQLite counts milliseconds in 32 bits.
        private static let longestTimeout: TimeInterval = 2_147_483

        /// Returns a copy that SQLite accepts. Throws if the timeout is negative or not a number.
        func checked() throws(AIServiceError) -> Configuration {
            guard busyTimeout >= 0 else {  // NaN fails this, too
                throw AIServiceError(
                    .invalidConfiguration, "The busy timeout is negative or not a number. Set it to 0 seconds or more.")
            }
            var checked = self
            checked.busyTimeout = min(busyTimeout, Self.longestTimeout)
            return checked
        }
    }

    /// The folder of the store.
    public let directory: URL
    let pool: DatabasePool
    let identity: DatabaseIdentity
    let files: ContentFiles
    let locks: FileLocks
    let bell: CommitBell
    /// The log of commits, with the position up to which this store has read it.
    let log: Locked<CommitLog>
    /// Content to which a reference was removed. It must be removed if no reference is left.
    let uncollected = Locked<Set<ContentReference>>([])
    /// Whether deleted data may still be in the write-ahead log, as far as this process knows. The database contains
    /// the true state (``ErasureMark``). The state `noticed` means that another process has deleted data and will
    /// probably empty the log.
    enum Erasure { case finished, noticed, wanted, postponed }
    /// The damage that this store knows of.
    let damage = Locked(KnownDamage())
    /// The state of the erasure of deleted data. At first it is `postponed`, because an earlier process may have ended
    /// before it emptied the log.
    let erasure = Locked(Erasure.postponed)
    /// The time, in milliseconds, for which a deletion waits for readers of an older state of the database.
    static let shortBusyTimeout = 100
    /// The folder of the store. It can find out whether another store is open on the same folder.
    private let folder: OpenFolder
    let busyTimeout: TimeInterval
    let path: String

    /// Opens the store in a folder. If the folder is missing, creates it. If the store has an older schema, migrates
    /// it.
    ///
    /// - Throws: ``/Hablare/AIServiceError``: `invalidConfiguration`, `storageReadOnly`, `storageFull`,
    ///   `storageCorrupt`, `storageTooNew`, `storageBusy` or `storageFailed`. After an error, the store is unchanged.
    public convenience init(directory: URL, configuration: Configuration = Configuration()) throws {
        try self.init(directory: directory, configuration: configuration, calls: .system)
    }

    /// Opens a store with calls of the system that a test can replace.
    ///
    /// - Parameters:
    ///   - calls: The system calls that make the store's content files durable.
    ///   - writer: The number of this open store in the log of commits. No other open store may have the same number.
    init(
        directory: URL, configuration: Configuration = Configuration(), calls: DurableCalls,
        writer: Int64 = .random(in: .min ... .max)
    ) throws {
        let configuration = try configuration.checked()
        let file = directory.appendingPathComponent("hablare.sqlite")
        self.directory = directory
        path = file.path
        busyTimeout = configuration.busyTimeout
        try translatingFileFailures { try DurableCalls.system.makeFolders(directory.path) }
        (pool, identity) = try translatingErrors(of: path) { [path] in
            try FileLock.whileHeld(on: directory.path, waiting: configuration.busyTimeout) {
                try DatabaseFile.open(path, configuration)
            }
        }
        files = try ContentFiles(
            directory: directory.appendingPathComponent("content", isDirectory: true),
            thresholds: configuration.thresholds, calls: calls, of: identity)
        locks = try FileLocks(directory: directory.appendingPathComponent("owners", isDirectory: true))
        bell = try CommitBell(directory: directory.appendingPathComponent("signal", isDirectory: true))
        folder = try translatingFileFailures { try OpenFolder(directory.path) }
        log = Locked(
            try translatingErrors(of: path) { [pool] in
                try pool.writeWithoutTransaction { db in
                    // A commit in progress may have found no other store on the folder, and is not logged. Wait for it,
                    // at least a second. All later commits find this store and are logged.
                    try db.execute(sql: "PRAGMA busy_timeout = \(Int(max(1, configuration.busyTimeout) * 1000))")
                    try db.inTransaction(.immediate) { .commit }
                    try db.execute(sql: "PRAGMA busy_timeout = \(Int(configuration.busyTimeout * 1000))")
                    return try CommitLog(writer: writer, db)
                }
            })
        finishErasing()
    }

    /// The files that hold large content.
    public var content: (any ContentStore)? { files }

    /// The locks of the processes on this store.
    public var liveness: (any OwnerLiveness)? { locks }

    /// The signal that announces commits of other processes. On Linux, it uses notifications about files. On other
    /// systems it polls every 250 ms.
    public var signal: (any StoreSignal)? { bell }

    // MARK: Writing

    /// Applies all writes in order, in one durable transaction. See ``/Hablare/RequestStore/commit(_:)``. Throws
    /// ``/Hablare/AIServiceError/Code/storageMissing`` if the store was deleted, moved or replaced after it was opened.
    public func commit(_ writes: [StoreWrite]) throws -> StoreCommit {
        let erases = writes.contains(where: \.erases)
        let (commit, released) = try transact { db in
            var receipts: [WriteReceipt] = []
            receipts.reserveCapacity(writes.count)
            var transaction = WriteTransaction(db, hasContent: files.has)
            for write in writes { receipts.append(try transaction.apply(write)) }
            if erases { try ErasureMark.set(db) }
            let commit = StoreCommit(receipts: receipts, changes: transaction.changes)
            return ((commit, transaction.releasedContent), ChangeRecord(of: commit.changes))
        }
        collect(released)
        if erases { erasure.withLock { $0 = .wanted } }
        finishErasing()
        return commit
    }

    /// Runs a transaction. If another store is open on the folder, also adds a row to the log of commits, which names
    /// the changed rows.
    ///
    /// If the disk has no space, deletes the older rows of the log and runs the transaction again. Other processes then
    /// have to read all rows that they execute or watch. The log therefore never makes a commit fail, and data can be
    /// deleted from a full store.
    private func transact<R>(_ body: (Database) throws -> (R, ChangeRecord)) throws -> R {
        try noticingDamage {
            try pool.writeWithoutTransaction { db in
                do {
                    return try transact(db, emptyingLog: false, body)
                } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
                    return try transact(db, emptyingLog: true, body)
                }
            }
        }
    }

    private func transact<R>(
        _ db: Database, emptyingLog: Bool, _ body: (Database) throws -> (R, ChangeRecord)
    ) throws -> R {
        var outcome: (result: R, seq: Int64?)?
        try db.inTransaction(.immediate) {
            if emptyingLog { try CommitLog.empty(db) }
            let (result, record) = try body(db)
            // Inside the transaction: a store that opens from now on reads what this one commits.
            outcome = (result, folder.mayHaveOthers ? try log.withLock { $0 }.add(record, db) : nil)
            // Checked last, while the transaction can still be rolled back.
            try identity.check()
            return .commit
        }
        guard let outcome else {
            throw AIServiceError(
                .storageFailed, "A transaction ended without a result. This is a fault of the store: report it.")
        }
        log.withLock { $0.committed(outcome.seq) }
        if let number = outcome.seq { bell.ring(number) }
        return outcome.result
    }

    /// Leases waiting flights to an owner, in one durable transaction. See ``/Hablare/RequestStore/claim(_:)``.
    public func claim(_ query: ClaimQuery) throws -> Claim {
        let (taken, nextDue) = try transact { db in
            let claim = try ClaimTransaction(db: db).take(query)
            return (claim, ChangeRecord(of: claim.taken.map { .flight($0.id, $0.lifecycle) }))
        }
        return Claim(flights: taken.map(claimed), nextDue: nextDue)
    }

    /// Returns a claimed flight. It contains its prompt, a reference to the content file of its prompt, or the error
    /// that prevented reading the row. Reads no content file, because it runs on the journal's thread, and all commits
    /// wait for this thread.
    private func claimed(_ flight: ClaimTransaction.Taken) -> ClaimedFlight {
        do {
            let columns = try flight.columns.get()
            let content = columns.promptContent
            return ClaimedFlight(
                id: flight.id, lifecycle: flight.lifecycle,
                request: content == nil ? try columns.request(reading: files) : columns.withoutPrompt,
                promptContent: content, origin: columns.origin.provider, triedSince: flight.triedSince,
                trace: columns.trace, submittedAt: columns.submittedAt, resumePoint: flight.resumePoint)
        } catch {
            let request =
                switch flight.columns {
                case .success(let columns): columns.withoutPrompt
                case .failure: AIRequest(id: flight.member ?? UUID(), prompt: .text(""))
                }
            return ClaimedFlight(
                id: flight.id, lifecycle: flight.lifecycle, request: request, triedSince: flight.triedSince,
                resumePoint: flight.resumePoint, failure: ClaimTransaction.unreadable(error))
        }
    }

    /// Returns the changes that other processes committed since the last call. See
    /// ``/Hablare/RequestStore/foreignChanges(where:)``. If another process deleted a request and could not erase its
    /// bytes, also empties the write-ahead log.
    public func foreignChanges(where isOfInterest: (ChangedRow) -> Bool) throws -> ForeignChanges {
        let log = log.withLock { $0 }
        let (news, isToErase) = try translatingErrors(of: path) {
            try pool.writeWithoutTransaction { db in
                (try log.news(db, where: isOfInterest), try ErasureMark.wanted(db) != nil)
            }
        }
        erasure.withLock { erasure in
            // A process that deleted has until the next check: two processes that empty the log at once block each
            // other.
            erasure = !isToErase ? .finished : erasure == .finished ? .noticed : .postponed
        }
        finishErasing()
        guard news.position != log.position else { return ForeignChanges() }
        // Last, so that the next call returns the same changes if the rows cannot be read.
        let changes =
            news.isComplete
            ? ForeignChanges(
                changes: try presentChanges(of: news.rows), mayWait: news.mayWait,
                touchesAnswers: news.touchesAnswers) : .unknown
        self.log.withLock { $0.caughtUp(to: news) }
        return changes
    }

    /// Closes the database. Do not use the store afterwards.
    ///
    /// - Throws: ``/Hablare/AIServiceError`` of category storage.
    public func close() throws {
        try translatingErrors(of: path) { try pool.close() }
    }
}

extension StoreWrite {
    /// Whether the write erases data. No file may contain the erased bytes afterwards.
    fileprivate var erases: Bool {
        if case .delete = self { true } else { false }
    }
}
