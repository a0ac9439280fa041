import Foundation
import HablareSupport

/// The only writer of a store. It also reports the changes of its commits. All entries that arrive during one commit go
/// into the next commit together.
///
/// The journal never waits to fill a batch. It commits entries in the order of arrival. If a cancellation and an
/// outcome of the same request arrive, the first of them therefore wins. The listener receives the changes of each
/// commit in commit order, before any caller of that commit resumes. If a commit fails, all its callers get the error.
package final class Journal: Sendable {
    /// The maximum number of writes in a commit. It prevents that one huge submission delays other callers for long.
    package static let maximumBatch = 4096

    /// A function that receives the result of an entry on the journal's thread. It must not block.
    package typealias Completion<R> = @Sendable (Result<R, any Error>) -> Void

    fileprivate enum Entry: Sendable {
        case write(StoreWrite, CheckedContinuation<WriteReceipt, any Error>)
        case writes([StoreWrite], Completion<[WriteReceipt]>)
        case claim(ClaimQuery, Completion<Claim>)
        case foreignChanges(CheckedContinuation<Void, any Error>)
        case state([ChangedRow], CheckedContinuation<Void, any Error>)
        case marker(CheckedContinuation<Void, Never>)
    }

    /// The part of the journal that the drain needs. It is separate so that the driver does not keep the journal alive.
    fileprivate final class Core: Sendable {
        let store: any RequestStore
        let meters: JournalMeters?
        let pending = Locked<[Entry]>([])
        /// Whether the journal must read all rows of interest. It must if the store no longer has all changes of other
        /// processes, or if a commit of this process has an unknown outcome.
        let mustReadAll = Locked(false)

        init(store: any RequestStore, meters: JournalMeters?) {
            self.store = store
            self.meters = meters
        }
    }

    private let core: Core
    private let driver: any CommitDriver

    /// Creates a journal. It commits nothing before ``start(notifying:)``.
    package init(store: any RequestStore, driver: any CommitDriver, meters: JournalMeters? = nil) {
        core = Core(store: store, meters: meters)
        self.driver = driver
    }

    /// Starts to commit. Call it once.
    ///
    /// - Parameter listener: The listener, which receives every commit. Not retained.
    package func start(notifying listener: (any CommitListener)? = nil) {
        driver.start { [core, weak listener] in core.drain(notifying: listener) }
    }

    deinit {
        driver.stop()
    }

    /// Makes writes durable in one commit and returns their receipts.
    ///
    /// This method cannot be cancelled, because the writes may already be on disk, and the caller needs the receipts.
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

    /// Claims waiting flights and passes them to `completion` in commit order. Does not read prompts that are in files.
    /// To read them, call ``reading(_:date:isWanted:)``.
    package func claim(_ query: ClaimQuery, then completion: @escaping Completion<Claim>) {
        enqueue(.claim(query, completion))
    }

    /// Passes the changes that other processes committed since the last call to the listener.
    package func readForeignChanges() async throws {
        try await withCheckedThrowingContinuation { enqueue(.foreignChanges($0)) }
    }

    /// Passes the present state of rows to the listener. The listener receives this state in commit order: after all
    /// earlier changes of the rows and before all later changes.
    package func tellState(of rows: [ChangedRow]) async throws {
        try await withCheckedThrowingContinuation { enqueue(.state(rows, $0)) }
    }

    /// Waits until the listener has received all changes of the writes that were passed to this journal before this
    /// call.
    package func commitsTold() async {
        await withCheckedContinuation { enqueue(.marker($0)) }
    }

    /// The store of prompts that are not in rows.
    var content: (any ContentReading)? { core.store.content }

    /// Returns the error for a request that the store does not find. The request is unknown, or the store is damaged
    /// and the request may have been submitted.
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

    /// Reads the store outside the caller's actor. A read may wait for the disk, and the main actor must not wait.
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

/// A listener to commits, called on the journal's thread. Commits do not overlap: a commit ends before the next commit
/// is announced.
package protocol CommitListener: AnyObject, Sendable {
    /// Announces that the writes are about to be committed. The listener may change how submissions are written.
    func willCommit(_ writes: inout [StoreWrite])

    /// Reports that the writes are on disk.
    func committed(_ commit: StoreCommit, of writes: [StoreWrite])

    /// Reports that a commit failed and none of the writes is on disk. If the error is
    /// ``AIServiceError/Code/storageUncertain``, the writes may be on disk.
    func commitFailed(_ writes: [StoreWrite], with error: any Error)

    /// Returns whether the listener runs or watches the flight or request of a row.
    func isOfInterest(_ row: ChangedRow) -> Bool

    /// All rows for which ``isOfInterest(_:)`` is true.
    var rowsOfInterest: [ChangedRow] { get }

    /// Reports changes that other processes committed, or the present state of rows.
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

    /// Reads the rows of interest after a commit of unknown outcome, before anything else is written.
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
