/// The only writer of a store, and the only teller of what was written. What arrives while one commit runs goes into the
/// next one together: group commit.
///
/// It never sleeps to fill a batch. Entries are committed in the order they arrived, so a cancellation and an outcome of
/// the same request are decided by which came first. The changes of each commit go to the listener before any caller of
/// that commit resumes, in commit order. A failed commit fails all who waited for it.
package final class Journal: Sendable {
    /// The most writes of one commit, so that one huge submission does not hold up the others for long.
    package static let maximumBatch = 4096

    /// Called with the result of an entry, on the journal's thread; it must not block.
    package typealias Completion<R> = @Sendable (Result<R, any Error>) -> Void

    fileprivate enum Entry: Sendable {
        case write(StoreWrite, CheckedContinuation<WriteReceipt, any Error>)
        case writes([StoreWrite], Completion<[WriteReceipt]>)
        case claim(ClaimQuery, Completion<Claim>)
        case foreignChanges(CheckedContinuation<Void, any Error>)
        case state([ChangedRow], CheckedContinuation<Void, any Error>)
        case marker(CheckedContinuation<Void, Never>)
    }

    /// What the drain needs, apart from the journal so that the driver does not keep the journal alive.
    fileprivate final class Core: Sendable {
        let store: any RequestStore
        let meters: JournalMeters?
        let pending = Guarded<[Entry]>([])
        /// Whether all rows of interest are to be read: others committed more than the store can tell, or the outcome of a
        /// commit of this process is unknown.
        let mustReadAll = Guarded(false)

        init(store: any RequestStore, meters: JournalMeters?) {
            self.store = store
            self.meters = meters
        }
    }

    private let core: Core
    private let driver: any CommitDriver

    /// Creates a journal, which commits nothing before ``start(telling:)``.
    package init(store: any RequestStore, driver: any CommitDriver, meters: JournalMeters? = nil) {
        core = Core(store: store, meters: meters)
        self.driver = driver
    }

    /// Begins to commit. To be called once.
    ///
    /// - Parameter listener: Hears of every commit; not kept alive.
    package func start(telling listener: (any CommitListener)? = nil) {
        driver.start { [core, weak listener] in core.drain(telling: listener) }
    }

    deinit {
        driver.stop()
    }

    /// Makes writes durable and returns their receipts. The writes of one call are in one commit.
    ///
    /// Not cancellable: what was handed over may be on disk the next moment, so the caller has to know.
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

    /// Takes waiting flights, and calls back with them in commit order. Prompts that are in files are not read:
    /// ``reading(_:date:isWanted:)`` does that.
    package func claim(_ query: ClaimQuery, then completion: @escaping Completion<Claim>) {
        enqueue(.claim(query, completion))
    }

    /// Has the listener hear of what other processes committed since the last call.
    package func noticeOthers() async throws {
        try await withCheckedThrowingContinuation { enqueue(.foreignChanges($0)) }
    }

    /// Has the listener hear of the present state of rows, in the order of the commits: of what changes them later it hears
    /// later.
    package func tellState(of rows: [ChangedRow]) async throws {
        try await withCheckedThrowingContinuation { enqueue(.state(rows, $0)) }
    }

    /// Waits until the listener has heard of everything that this journal had committed, or was asked to commit, by now.
    package func commitsTold() async {
        await withCheckedContinuation { enqueue(.marker($0)) }
    }

    /// Where prompts are that are not in the store's rows.
    var content: (any ContentReading)? { core.store.content }

    /// Reads the store off the caller's actor: a read may wait for the disk, and the main actor never does.
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
    /// Whether it leaves open whether a commit was made.
    var isUncertain: Bool { (self as? AIServiceError)?.code == .storageUncertain }
}

/// Hears of commits, on the journal's thread. Commits do not overlap: each is announced, then over.
package protocol CommitListener: AnyObject, Sendable {
    /// These are about to be written. May change how submissions are written.
    func willCommit(_ writes: inout [StoreWrite])

    /// They are on disk.
    func committed(_ commit: StoreCommit, of writes: [StoreWrite])

    /// They are not, and nothing of them is; where the error is ``AIServiceError/Code/storageUncertain``, they may be.
    func commitFailed(_ writes: [StoreWrite], with error: any Error)

    func isOfInterest(_ row: ChangedRow) -> Bool

    var rowsOfInterest: [ChangedRow] { get }

    func heard(_ news: ForeignChanges)
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

    fileprivate func drain(telling listener: (any CommitListener)?) {
        var group = Group()
        func flush() {
            commit(&group, telling: listener)
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
                    completion(Result { try claim(query, telling: listener) })
                case .foreignChanges(let waiter):
                    flush()
                    waiter.resume(with: Result { try noticeOthers(telling: listener) })
                case .state(let rows, let waiter):
                    flush()
                    waiter.resume(
                        with: Result {
                            listener?.heard(ForeignChanges(changes: try store.presentChanges(of: rows)))
                        })
                case .marker(let waiter):
                    flush()
                    waiter.resume()
                }
            }
            flush()
            do {
                try readAllIfUncertain(telling: listener)
            } catch {
                // The next commit looks again, and fails with the error if it cannot.
            }
        }
    }

    private func claim(_ query: ClaimQuery, telling listener: (any CommitListener)?) throws -> Claim {
        try readAllIfUncertain(telling: listener)
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

    /// Reads the rows of interest after a commit whose outcome is unknown. Nothing else is written before.
    private func readAllIfUncertain(telling listener: (any CommitListener)?) throws {
        if mustReadAll.withLock({ $0 }) { try noticeOthers(telling: listener) }
    }

    private func noticeOthers(telling listener: (any CommitListener)?) throws {
        var news = try store.foreignChanges { listener?.isOfInterest($0) ?? false }
        // The store does not tell it again.
        if !news.isComplete { mustReadAll.withLock { $0 = true } }
        if mustReadAll.withLock({ $0 }) {
            news = .unknown
            if let listener { news.changes = try store.presentChanges(of: listener.rowsOfInterest) }
            mustReadAll.withLock { $0 = false }
        }
        if !news.isEmpty { listener?.heard(news) }
    }

    private func commit(_ writes: [StoreWrite]) throws -> StoreCommit {
        let commit = try noticingUncertainty {
            guard let meters else { return try store.commit(writes) }
            return try meters.measuringCommit(of: writes.count) { try store.commit(writes) }
        }
        guard commit.receipts.count == writes.count else {
            throw AIServiceError(
                .storageFailed,
                "The store answered \(writes.count) writes with \(commit.receipts.count) receipts. Report this store.")
        }
        return commit
    }

    private func commit(_ group: inout Group, telling listener: (any CommitListener)?) {
        guard !group.waiters.isEmpty else { return }
        let commit: StoreCommit
        var isPlaced = false
        do {
            try readAllIfUncertain(telling: listener)
            listener?.willCommit(&group.writes)
            isPlaced = true
            commit = try self.commit(group.writes)
        } catch {
            if isPlaced { listener?.commitFailed(group.writes, with: error) }
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
