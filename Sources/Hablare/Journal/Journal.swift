import Foundation
import HablareSupport

/// The only writer of a store in this process. It also reports the changes that its commits make. Entries that arrive
/// during a commit are written together in the next commit.
///
/// The journal does not wait for more entries: if it is idle, it commits an entry at once. It commits entries in the
/// order of arrival. Therefore, if a cancellation and an outcome of the same request arrive, the first of the two takes
/// effect. For each commit, the listener receives the changes before any caller of that commit continues. It receives
/// commits in their order. If a commit fails, all its callers get the error.
package final class Journal: Sendable {
    /// The maximum number of writes in a commit. With this limit, one huge submission does not delay other callers for
    /// long.
    package static let maximumBatch = 4096

    /// A function that receives the result of an entry. The journal calls it on its thread. It must not block.
    package typealias Completion<R> = @Sendable (Result<R, any Error>) -> Void

    fileprivate enum Entry: Sendable {
        case write(StoreWrite, CheckedContinuation<WriteReceipt, any Error>)
        case writes([StoreWrite], Completion<[WriteReceipt]>)
        case claim(ClaimQuery, Completion<Claim>)
        case foreignChanges(CheckedContinuation<Void, any Error>)
        case state([ChangedRow], CheckedContinuation<Void, any Error>)
        case marker(CheckedContinuation<Void, Never>)
    }

    /// The part of the journal that the drain needs. It is a separate object so that the driver does not keep the
    /// journal alive.
    fileprivate final class Core: Sendable {
        let store: any RequestStore
        let meters: JournalMeters?
        let pending = Locked<[Entry]>([])
        /// Whether the journal must read all rows that this process runs or watches. There are two possible reasons.
        /// The store no longer has the record of all changes by other processes. Or a commit of this process has an
        /// unknown outcome.
        let mustReadAll = Locked(false)

        init(store: any RequestStore, meters: JournalMeters?) {
            self.store = store
            self.meters = meters
        }
    }

    private let core: Core
    private let driver: any CommitDriver

    /// Creates a journal. The journal commits nothing before ``start(notifying:)``.
    package init(store: any RequestStore, driver: any CommitDriver, meters: JournalMeters? = nil) {
        core = Core(store: store, meters: meters)
        self.driver = driver
    }

    /// Starts to commit. Call this method once.
    ///
    /// - Parameter listener: The listener to all commits. The journal does not retain it.
    package func start(notifying listener: (any CommitListener)? = nil) {
        driver.start { [core, weak listener] in core.drain(notifying: listener) }
    }

    deinit {
        driver.stop()
    }

    /// Writes to the store in one commit, and returns the receipt of each write.
    ///
    /// This method ignores cancellation, because the writes may already be on disk, and the caller needs the receipts.
    package func commit(_ writes: [StoreWrite]) async throws -> [WriteReceipt] {
        try await withCheckedThrowingContinuation { continuation in
            commit(writes) { continuation.resume(with: $0) }
        }
    }

    package func commit(_ write: StoreWrite) async throws -> WriteReceipt {
        try await withCheckedThrowingContinuation { enqueue(.write(write, $0)) }
    }

    package func commit(_ writes: [StoreWrite], then completion: @escaping Completion<[WriteReceipt]>) {
        enqueue(.writes(writes, completion))
    }

    /// Leases waiting flights to this process, and passes them to `completion` in commit order. Prompts in content
    /// files are not read. To read them, call ``reading(_:date:isWanted:)``.
    package func claim(_ query: ClaimQuery, then completion: @escaping Completion<Claim>) {
        enqueue(.claim(query, completion))
    }

    /// Reads the changes that other processes have committed since the last call, and passes them to the listener.
    package func readForeignChanges() async throws {
        try await withCheckedThrowingContinuation { enqueue(.foreignChanges($0)) }
    }

    /// Reads the current state of rows, and passes it to the listener. The listener receives this state after all
    /// earlier changes of the rows and before all later changes.
    package func tellState(of rows: [ChangedRow]) async throws {
        try await withCheckedThrowingContinuation { enqueue(.state(rows, $0)) }
    }

    /// Waits until the listener has received all changes of the writes that were passed to this journal before this
    /// call.
    package func commitsTold() async {
        await withCheckedContinuation { enqueue(.marker($0)) }
    }

    /// The store of prompts that are too large for the database.
    var content: (any ContentReading)? { core.store.content }

    /// Returns the error for a request that the store does not find. If the store is damaged, the error says so,
    /// because the request may have been lost.
    func notFound(_ id: UUID) async -> AIServiceError {
        do {
            _ = try await read { try $0.snapshot(of: id) }
        } catch let error as AIServiceError where error.code == .storageCorrupt {
            return error
        } catch {
            return .unknown(id)
        }
        return .unknown(id)
    }

    /// Reads the store outside the caller's actor. A read may wait for the disk. The main actor must not wait for the
    /// disk.
    package func read<R: Sendable>(_ read: @Sendable (any StoreReading) throws -> R) async throws -> R {
        try await readStore { try read($0) }
    }

    func readStore<R: Sendable>(_ read: @Sendable (any RequestStore) throws -> R) async throws -> R {
        guard let executor = core.store.readExecutor else { return try await readConcurrently(read) }
        return try await withTaskExecutorPreference(executor) { try await readConcurrently(read) }
    }

    @concurrent private func readConcurrently<R: Sendable>(
        _ read: @Sendable (any RequestStore) throws -> R
    ) async throws -> R {
        try read(core.store)
    }

    package var waiting: Int { core.pending.withLock { $0.count } }

    private func enqueue(_ entry: Entry) {
        let wasEmpty = core.pending.withLock { pending in
            pending.append(entry)
            return pending.count == 1
        }
        if wasEmpty { driver.signal() }
    }
}

extension Error {
    /// Whether the outcome of a commit is unknown after this error.
    var isUncertain: Bool { (self as? AIServiceError)?.code == .storageUncertain }
}

/// Listens to commits. The journal calls its methods on the journal's thread. The journal finishes one commit before it
/// announces the next commit.
package protocol CommitListener: AnyObject, Sendable {
    /// Announces that the writes will now be committed. The listener may change how submissions are written, for
    /// example whether an attempt starts in the same commit.
    func willCommit(_ writes: inout [StoreWrite])

    /// Reports that the writes are on disk.
    func committed(_ commit: StoreCommit, of writes: [StoreWrite])

    /// Reports that a commit failed and that none of its writes is on disk. There is one exception: after
    /// ``AIServiceError/Code/storageUncertain``, the writes may be on disk.
    func commitFailed(_ writes: [StoreWrite], with error: any Error)

    /// Returns whether this process runs or watches the flight or request of a row.
    func isOfInterest(_ row: ChangedRow) -> Bool

    /// All rows for which ``isOfInterest(_:)`` is true.
    var rowsOfInterest: [ChangedRow] { get }

    /// Reports changes that other processes committed, or the current state of rows.
    func received(_ news: ForeignChanges)
}

extension Journal.Core {
    private struct Group {
        enum Waiter {
            case one(CheckedContinuation<WriteReceipt, any Error>)
            case several(Journal.Completion<[WriteReceipt]>, Int)
        }

        var writes: [StoreWrite] = []
        var waiters: [Waiter] = []

        mutating func removeAll() {
            writes.removeAll(keepingCapacity: true)
            waiters.removeAll(keepingCapacity: true)
        }
    }

    fileprivate func drain(notifying listener: (any CommitListener)?) {
        var group = Group()
        func flush() {
            commit(&group, notifying: listener)
            group.removeAll()
        }
        while true {
            let entries = pending.withLock { pending in
                defer { pending.removeAll(keepingCapacity: pending.count <= Journal.maximumBatch) }
                return pending
            }
            meters?.roundBegan(waiting: entries.count)
            guard !entries.isEmpty else { return }
            for entry in entries {
                switch entry {
                case .write(let write, let waiter):
                    if group.writes.count >= Journal.maximumBatch { flush() }
                    group.writes.append(write)
                    group.waiters.append(.one(waiter))
                case .writes(let writes, let completion):
                    if !group.waiters.isEmpty, group.writes.count + writes.count > Journal.maximumBatch { flush() }
                    group.writes += writes
                    group.waiters.append(.several(completion, writes.count))
                case .claim(let query, let completion):
                    flush()
                    completion(Result { try claim(query, notifying: listener) })
                case .foreignChanges(let waiter):
                    flush()
                    waiter.resume(with: Result { try readForeignChanges(notifying: listener) })
                case .state(let rows, let waiter):
                    flush()
                    waiter.resume(
                        with: Result {
                            listener?.received(ForeignChanges(changes: try store.presentChanges(of: rows)))
                        })
                case .marker(let waiter):
                    flush()
                    waiter.resume()
                }
            }
            flush()
            do {
                try readAllIfUncertain(notifying: listener)
            } catch {
                // The next commit tries again, and fails with the error if that fails.
            }
        }
    }

    private func claim(_ query: ClaimQuery, notifying listener: (any CommitListener)?) throws -> Claim {
        try readAllIfUncertain(notifying: listener)
        return try noticingUncertainty {
            guard let meters else { return try store.claim(query) }
            return try meters.measuringClaim { try store.claim(query) }
        }
    }

    private func noticingUncertainty<R>(_ transaction: () throws -> R) throws -> R {
        do {
            return try transaction()
        } catch {
            if error.isUncertain { mustReadAll.withLock { $0 = true } }
            throw error
        }
    }

    /// If a commit has an unknown outcome, reads all rows of interest before the journal writes anything else.
    private func readAllIfUncertain(notifying listener: (any CommitListener)?) throws {
        if mustReadAll.withLock({ $0 }) { try readForeignChanges(notifying: listener) }
    }

    private func readForeignChanges(notifying listener: (any CommitListener)?) throws {
        var news = try store.foreignChanges { listener?.isOfInterest($0) ?? false }
        // The store does not return these changes again, even if the reading below fails.
        if !news.isComplete { mustReadAll.withLock { $0 = true } }
        if mustReadAll.withLock({ $0 }) {
            news = .unknown
            if let listener { news.changes = try store.presentChanges(of: listener.rowsOfInterest) }
            mustReadAll.withLock { $0 = false }
        }
        if !news.isEmpty { listener?.received(news) }
    }

    private func commit(_ writes: [StoreWrite]) throws -> StoreCommit {
        let commit = try noticingUncertainty {
            guard let meters else { return try store.commit(writes) }
            return try meters.measuringCommit(of: writes.count) { try store.commit(writes) }
        }
        guard commit.receipts.count == writes.count else {
            throw AIServiceError(
                .storageFailed,
                "The store answered \(writes.count) writes with \(commit.receipts.count) receipts. This is a fault of the store: report it."
            )
        }
        return commit
    }

    private func commit(_ group: inout Group, notifying listener: (any CommitListener)?) {
        guard !group.waiters.isEmpty else { return }
        let commit: StoreCommit
        var isAddressed = false
        do {
            try readAllIfUncertain(notifying: listener)
            listener?.willCommit(&group.writes)
            isAddressed = true
            commit = try self.commit(group.writes)
        } catch {
            if isAddressed { listener?.commitFailed(group.writes, with: error) }
            for waiter in group.waiters {
                switch waiter {
                case .one(let waiter): waiter.resume(throwing: error)
                case .several(let completion, _): completion(.failure(error))
                }
            }
            return
        }
        listener?.committed(commit, of: group.writes)
        var next = 0
        for waiter in group.waiters {
            switch waiter {
            case .one(let waiter):
                waiter.resume(returning: commit.receipts[next])
                next += 1
            case .several(let completion, let count):
                completion(.success(Array(commit.receipts[next..<next + count])))
                next += count
            }
        }
    }
}
