public import Foundation
import GRDB
public import Hablare
import HablareFileErrors
import HablareFiles
import HablareStores

/// The embedded store: one SQLite database, a folder of content files, and a lock for each living process.
///
/// Durable to the letter: write-ahead log with `synchronous=FULL` (full sync on Apple platforms), content files and
/// their folders synced before a row refers to them. Several processes of one machine may share it; a network file
/// system may not hold it.
public final class SQLiteStore: RequestStore {
    /// How a store is opened.
    public struct Configuration: Sendable {
        /// Which content is kept in files.
        public var thresholds: ContentThresholds
        /// The most bytes the database file may have; `nil`: as the disk allows. Reaching it is
        /// ``/Hablare/AIServiceError/Code/storageFull``. Content files do not count.
        public var maximumDatabaseSize: Int?
        /// How long to wait, in seconds, while another process holds the write lock, before a write fails as
        /// ``/Hablare/AIServiceError/Code/storageBusy``. 0 or more; more than 2,147,483 (24 days) is taken for that.
        /// Default 10.
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

        /// The most that SQLite can wait: its milliseconds have 32 bits.
        private static let longestTimeout: TimeInterval = 2_147_483

        /// As it can be worked with. Refuses what cannot work.
        func checked() throws(AIServiceError) -> Configuration {
            guard busyTimeout >= 0 else {  // which not a number is not
                throw AIServiceError(
                    .invalidConfiguration, "The busy timeout is negative or not a number. Give it 0 seconds or more.")
            }
            var checked = self
            checked.busyTimeout = min(busyTimeout, Self.longestTimeout)
            return checked
        }
    }

    /// The folder of the store.
    public let directory: URL
    let pool: DatabasePool
    private let identity: DatabaseIdentity
    let files: ContentFiles
    let locks: FileLocks
    let bell: CommitBell
    /// What this store knows of the log of commits.
    let log: Guarded<CommitLog>
    /// Content that lost a reference and could not be looked after yet.
    let uncollected = Guarded<Set<ContentReference>>([])
    /// Whether what was deleted may still be in the write-ahead log, as far as this process knows: ``ErasureMark`` is
    /// what counts. What another one deleted, and is about to erase, is noticed first.
    enum Erasure { case finished, noticed, wanted, postponed }
    /// What is known of damage.
    let damage = Guarded(KnownDamage())
    /// At first what a process may have left that ended before it could empty the log.
    let erasure = Guarded(Erasure.postponed)
    /// How long a deletion waits for those who read an older state, in milliseconds.
    static let patience = 100
    /// The folder, which tells whether another store is open on it.
    private let folder: OpenFolder
    let busyTimeout: TimeInterval
    let path: String

    /// Opens the store in a folder, which is created if it is missing; migrates it to the present schema.
    ///
    /// - Throws: ``/Hablare/AIServiceError``: `invalidConfiguration`, `storageReadOnly`, `storageFull`,
    ///   `storageCorrupt`, `storageTooNew`, `storageBusy` or `storageFailed`. A store that cannot be opened is not changed.
    public convenience init(directory: URL, configuration: Configuration = Configuration()) throws {
        try self.init(directory: directory, configuration: configuration, calls: .system)
    }

    /// - Parameters:
    ///   - calls: How its content files become durable.
    ///   - writer: The number of this store in the log of commits, which no other open store has.
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
        pool = try translatingErrors(of: path) { [path] in
            try FileLock.whileHeld(on: directory.path, waiting: configuration.busyTimeout) {
                try DatabaseFile.open(path, configuration)
            }
        }
        identity = try DatabaseIdentity(ofFileAt: path)
        files = try ContentFiles(
            directory: directory.appendingPathComponent("content", isDirectory: true),
            thresholds: configuration.thresholds, calls: calls)
        locks = try FileLocks(directory: directory.appendingPathComponent("owners", isDirectory: true))
        bell = try CommitBell(directory: directory.appendingPathComponent("signal", isDirectory: true))
        folder = try translatingFileFailures { try OpenFolder(directory.path) }
        log = Guarded(
            try translatingErrors(of: path) { [pool] in
                try pool.writeWithoutTransaction { db in
                    // A commit that is under way may have found no other store on the folder. It is waited for, a
                    // second at least; all later ones find this store, and are logged.
                    try db.execute(sql: "PRAGMA busy_timeout = \(Int(max(1, configuration.busyTimeout) * 1000))")
                    try db.inTransaction(.immediate) { .commit }
                    try db.execute(sql: "PRAGMA busy_timeout = \(Int(configuration.busyTimeout * 1000))")
                    return try CommitLog(writer: writer, db)
                }
            })
        finishErasing()
    }

    /// Where large content is kept.
    public var content: (any ContentStore)? { files }

    /// The locks of the processes on this store.
    public var liveness: (any OwnerLiveness)? { locks }

    /// Tells of commits that changed what others may look at; by file notification on Linux, elsewhere by looking every
    /// 250 ms.
    public var signal: (any StoreSignal)? { bell }

    // MARK: Writing

    /// See ``/Hablare/RequestStore/commit(_:)``. Throws ``/Hablare/AIServiceError/Code/storageMissing`` where the store was
    /// deleted, moved or replaced since it was opened.
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

    /// Runs a transaction, and adds the rows that it changed to the log of commits, unless no other store is open on the
    /// folder.
    ///
    /// Where there is no room, it is run once more without the older rows of the log: other processes then read
    /// everything, and the log never costs a commit. A full store must delete.
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
            // In the transaction: a store that is opened from now on reads what this one commits.
            outcome = (result, folder.mayHaveOthers ? try log.withLock { $0 }.add(record, db) : nil)
            // As late as it can be taken back.
            try identity.check()
            return .commit
        }
        guard let outcome else {
            throw AIServiceError(.storageFailed, "A transaction ended without a result. Report this store.")
        }
        log.withLock { $0.committed(outcome.seq) }
        if let number = outcome.seq { bell.ring(number) }
        return outcome.result
    }

    /// See ``/Hablare/RequestStore/claim(_:)``.
    public func claim(_ query: ClaimQuery) throws -> Claim {
        let (taken, nextDue) = try transact { db in
            let claim = try ClaimTransaction(db: db).take(query)
            return (claim, ChangeRecord(of: claim.taken.map { .flight($0.id, $0.lifecycle) }))
        }
        return Claim(flights: taken.map(claimed), nextDue: nextDue)
    }

    /// A flight that was taken, with its prompt, or where that is, or with the reason why there is none. Files are not
    /// read here, on the journal's thread, which everybody's commits wait for.
    private func claimed(_ flight: ClaimTransaction.Taken) -> ClaimedFlight {
        do {
            let columns = try flight.columns.get()
            let content = columns.promptContent
            return ClaimedFlight(
                id: flight.id, lifecycle: flight.lifecycle,
                request: content == nil ? try columns.request(reading: files) : columns.withoutPrompt,
                promptContent: content, origin: columns.origin.provider, triedSince: flight.triedSince,
                trace: columns.trace, submittedAt: columns.submittedAt, remembered: flight.remembered)
        } catch {
            let request =
                switch flight.columns {
                case .success(let columns): columns.withoutPrompt
                case .failure: AIRequest(id: flight.member ?? UUID(), prompt: .text(""))
                }
            return ClaimedFlight(
                id: flight.id, lifecycle: flight.lifecycle, request: request, triedSince: flight.triedSince,
                remembered: flight.remembered, failure: ClaimTransaction.unreadable(error))
        }
    }

    /// See ``/Hablare/RequestStore/foreignChanges(where:)``.
    /// Also empties the write-ahead log of what other processes deleted and could not erase.
    public func foreignChanges(where isOfInterest: (ChangedRow) -> Bool) throws -> ForeignChanges {
        let log = log.withLock { $0 }
        let (news, isToErase) = try translatingErrors(of: path) {
            try pool.writeWithoutTransaction { db in
                (try log.news(db, where: isOfInterest), try ErasureMark.wanted(db) != nil)
            }
        }
        erasure.withLock { erasure in
            // Whoever deleted has until the next look: two who empty the log at once are in each other's way.
            erasure = !isToErase ? .finished : erasure == .finished ? .noticed : .postponed
        }
        finishErasing()
        guard news.position != log.position else { return ForeignChanges() }
        // Last, so that the next call returns the same changes where the rows cannot be read.
        let changes =
            news.isComplete
            ? ForeignChanges(
                changes: try presentChanges(of: news.rows), mayWait: news.mayWait,
                touchesAnswers: news.touchesAnswers) : .unknown
        self.log.withLock { $0.caughtUp(to: news) }
        return changes
    }

    /// Closes the database. Nothing may use the store afterwards.
    ///
    /// - Throws: ``/Hablare/AIServiceError`` of category storage.
    public func close() throws {
        try translatingErrors(of: path) { try pool.close() }
    }
}

extension StoreWrite {
    /// Whether its bytes are to be gone from every file when it is done.
    fileprivate var erases: Bool {
        if case .delete = self { true } else { false }
    }
}
