/// The only writer of a store. What arrives while one commit runs goes into the next one together: group commit.
///
/// Nobody sleeps to fill a batch. Entries are committed in the order they arrived, so a cancellation and an outcome
/// of the same request are decided by who came first. A failed commit fails all who waited for it.
package final class Journal: Sendable {
    /// The most writes of one commit, so that one huge submission does not hold up the others for long.
    package static let maximumBatch = 4096

    fileprivate enum Entry: Sendable {
        case write(StoreWrite, CheckedContinuation<WriteReceipt, any Error>)
        case writes([StoreWrite], CheckedContinuation<[WriteReceipt], any Error>)
        case claim(ClaimQuery, CheckedContinuation<Claim, any Error>)
        case foreignCommits(CheckedContinuation<Bool, any Error>)
    }

    /// What the drain needs, apart from the journal so that the driver does not keep the journal alive.
    fileprivate final class Core: Sendable {
        let store: any RequestStore
        let meters: JournalMeters?
        let pending = Guarded<[Entry]>([])

        init(store: any RequestStore, meters: JournalMeters?) {
            self.store = store
            self.meters = meters
        }
    }

    private let core: Core
    private let driver: any CommitDriver

    package init(store: any RequestStore, driver: any CommitDriver, meters: JournalMeters? = nil) {
        let core = Core(store: store, meters: meters)
        self.core = core
        self.driver = driver
        driver.start { core.drain() }
    }

    deinit {
        driver.stop()
    }

    /// Makes writes durable and answers with their receipts. The writes of one call are in one commit.
    ///
    /// Not cancellable: what was handed over may be on disk the next moment, so the caller has to know.
    package func commit(_ writes: [StoreWrite]) async throws -> [WriteReceipt] {
        try await withCheckedThrowingContinuation { enqueue(.writes(writes, $0)) }
    }

    /// Makes one write durable and answers with its receipt.
    package func commit(_ write: StoreWrite) async throws -> WriteReceipt {
        try await withCheckedThrowingContinuation { enqueue(.write(write, $0)) }
    }

    /// Takes waiting flights. Prompts that are in files are not read: ``claimReading(_:date:isWanted:)`` does that.
    package func claim(_ query: ClaimQuery) async throws -> Claim {
        try await withCheckedThrowingContinuation { enqueue(.claim(query, $0)) }
    }

    /// Where prompts are that are not in the store's rows.
    var content: (any ContentReading)? { core.store.content }

    /// Whether another process has committed since the last call.
    package func hasForeignCommits() async throws -> Bool {
        try await withCheckedThrowingContinuation { enqueue(.foreignCommits($0)) }
    }

    /// Reads the store off the caller's actor: a read may wait for the disk, and the main actor never does.
    @concurrent func read<R: Sendable>(_ read: @Sendable (any StoreReading) throws -> R) async throws -> R {
        try read(core.store)
    }

    /// How many calls wait for the next run of the drain.
    package var waiting: Int { core.pending.withLock { $0.count } }

    private func enqueue(_ entry: Entry) {
        let wasEmpty = core.pending.withLock { pending in
            pending.append(entry)
            return pending.count == 1
        }
        if wasEmpty { driver.signal() }
    }
}

extension Journal.Core {
    /// What goes into one commit, and who waits for it.
    private struct Group {
        enum Waiter {
            case one(CheckedContinuation<WriteReceipt, any Error>)
            case some(CheckedContinuation<[WriteReceipt], any Error>, Int)
        }

        var writes: [StoreWrite] = []
        var waiters: [Waiter] = []

        mutating func removeAll() {
            writes.removeAll(keepingCapacity: true)
            waiters.removeAll(keepingCapacity: true)
        }
    }

    /// Works off what waits. Runs on the driver.
    fileprivate func drain() {
        var group = Group()
        func flush() {
            commit(group)
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
                case .writes(let writes, let waiter):
                    if !group.waiters.isEmpty, group.writes.count + writes.count > Journal.maximumBatch { flush() }
                    group.writes += writes
                    group.waiters.append(.some(waiter, writes.count))
                case .claim(let query, let waiter):
                    flush()
                    waiter.resume(with: Result { try claim(query) })
                case .foreignCommits(let waiter):
                    flush()
                    waiter.resume(with: Result { try store.hasForeignCommits() })
                }
            }
            flush()
        }
    }

    private func claim(_ query: ClaimQuery) throws -> Claim {
        guard let meters else { return try store.claim(query) }
        return try meters.measuringClaim { try store.claim(query) }
    }

    private func commit(_ writes: [StoreWrite]) throws -> [WriteReceipt] {
        guard let meters else { return try store.commit(writes) }
        return try meters.measuringCommit(of: writes.count) { try store.commit(writes) }
    }

    private func commit(_ group: Group) {
        guard !group.waiters.isEmpty else { return }
        do {
            let receipts = try commit(group.writes)
            guard receipts.count == group.writes.count else {
                throw AIServiceError(
                    .storageFailed,
                    "The store answered \(group.writes.count) writes with \(receipts.count) receipts. Report this store."
                )
            }
            var next = 0
            for waiter in group.waiters {
                switch waiter {
                case .one(let waiter):
                    waiter.resume(returning: receipts[next])
                    next += 1
                case .some(let waiter, let count):
                    waiter.resume(returning: Array(receipts[next..<next + count]))
                    next += count
                }
            }
        } catch {
            for waiter in group.waiters {
                switch waiter {
                case .one(let waiter): waiter.resume(throwing: error)
                case .some(let waiter, _): waiter.resume(throwing: error)
                }
            }
        }
    }
}
