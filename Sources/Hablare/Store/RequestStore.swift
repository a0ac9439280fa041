public import Foundation

/// The interface between the engine and a database of requests.
///
/// A store keeps rows. It does not decide when a request is sent, retried or ended: the engine does.
///
/// The writing methods are synchronous and throwing, and may block. The engine's journal calls ``commit(_:)``,
/// ``claim(_:)`` and ``foreignChanges(where:)`` from one thread of its own, so a store needs no queue. Any thread may
/// call the methods of ``StoreReading`` at the same time.
///
/// Several processes may share a store, on one machine or on many. Flight ids must ascend in the order of arrival
/// within a process. Flights of different processes may be numbered in another order than that of their commits. Claims
/// take the flights of one priority in the order of their ids.
///
/// Every conformer must pass the store contract suite in `HablareTestKit`.
public protocol RequestStore: StoreReading {
    /// Applies all writes in order, in one durable transaction. Returns a receipt for each, and the changes that they
    /// made.
    ///
    /// When this method returns, all writes must be on disk, because the engine acknowledges them right away. A row
    /// that cannot be written must not fail the others of the commit. Its receipt reports the failure, and it changes
    /// nothing.
    ///
    /// A store behind a network may lose its connection during the commit. It should reconnect and find out whether the
    /// transaction was made, for as long as a caller can wait. If it cannot find out, it throws
    /// ``AIServiceError/Code/storageUncertain``. The process then reads all rows that it runs or watches. If the commit
    /// may have leased a flight, the process also ends its registration and continues under a new one, as after a
    /// crash.
    ///
    /// - Throws: ``AIServiceError`` of category storage. Every code but ``AIServiceError/Code/storageUncertain``
    ///   promises that nothing was written.
    func commit(_ writes: [StoreWrite]) throws -> StoreCommit

    /// Leases waiting flights to an owner, in one durable transaction.
    ///
    /// A claim takes these steps:
    ///
    /// 1. It moves the provider's flights whose backoff has ended back to the waiting state.
    /// 2. It takes as many flights of each priority as ``ClaimQuery/shares`` gives (8 : 4 : 1), in the order of
    ///    arrival. It skips a flight whose members are all past their deadlines, because
    ///    ``StoreWrite/expire(at:limit:)`` ends them.
    /// 3. It fills the rest of the limit with flights of the highest priorities that have more.
    ///
    /// It returns the flights in order of urgency, then of arrival. It reads no content file, because it runs on the
    /// journal's thread. If a prompt is in ``content``, ``ClaimedFlight/promptContent`` refers to it.
    ///
    /// - Throws: ``AIServiceError`` of category storage. Every code but ``AIServiceError/Code/storageUncertain``
    ///   promises that nothing was taken.
    func claim(_ query: ClaimQuery) throws -> Claim

    /// The store of large content; `nil` if all content is inline. Content need not be on this machine: see
    /// ``ContentReading/location(of:)``.
    var content: (any ContentStore)? { get }

    /// Finds abandoned content, and removes it if `removing` is true.
    ///
    /// A process that dies while it writes a content file, or between the file and its row, leaves content behind.
    /// Content is abandoned if no row refers to it and no process has written it since a date. This method must never
    /// remove content that a row refers to.
    ///
    /// It blocks while it looks at every content file. Between files it must check whether the calling task is
    /// cancelled, and then throws `CancellationError`. Content that it has already removed stays removed.
    ///
    /// - Parameters:
    ///   - date: The date since which no process has written the content.
    ///   - removing: Whether the content is removed.
    /// - Returns: The number and size of the abandoned files.
    /// - Throws: ``AIServiceError`` of category storage; `CancellationError`.
    func abandonedContent(before date: Date, removing: Bool) throws -> AbandonedContent

    /// The signal of commits by other processes; `nil` if no other process can write to the store.
    var signal: (any StoreSignal)? { get }

    /// The check that tells living processes on this store from dead ones; `nil` if there are no other processes.
    var liveness: (any OwnerLiveness)? { get }

    /// The store's own clock, which dates all its rows; `nil`, the default: the clock of this machine.
    ///
    /// A store that several machines share must have one, because their clocks differ. The engine calls it under its
    /// lock, so it must not block: measure the offset of the server's clock beforehand.
    var date: (@Sendable () -> Date)? { get }

    /// The executor of calls to ``StoreReading``; `nil`, the default: the global executor.
    ///
    /// A store whose reads wait for a network must provide a few threads of its own. Otherwise slow reads hold up the
    /// tasks of the whole process.
    var readExecutor: (any TaskExecutor)? { get }

    /// Returns the changes that other processes committed since the last call.
    ///
    /// The first call returns the changes since the store was opened. The journal calls this method from its own
    /// thread.
    ///
    /// - Parameter isOfInterest: A function that returns whether this process runs or watches a row. The store must
    ///   read only such rows.
    /// - Throws: ``AIServiceError`` of category storage. The next call must then return the same changes.
    func foreignChanges(where isOfInterest: (ChangedRow) -> Bool) throws -> ForeignChanges
}

/// The result of a commit.
public struct StoreCommit: Sendable {
    /// A receipt for each write, in their order.
    public var receipts: [WriteReceipt]
    /// The changes, in the order of the writes that made them.
    public var changes: [StoreChange]

    /// Creates a result.
    public init(receipts: [WriteReceipt], changes: [StoreChange] = []) {
        self.receipts = receipts
        self.changes = changes
    }

    /// The recorded ends of attempts, in the order of their writes.
    package var settlements: [Settlement] {
        changes.compactMap { if case .settled(let settlement) = $0 { settlement } else { nil } }
    }
}

extension RequestStore {
    /// `nil`: the clock of this machine.
    public var date: (@Sendable () -> Date)? { nil }

    /// `nil`: the global executor.
    public var readExecutor: (any TaskExecutor)? { nil }

    package func gone(among owners: [OwnerRecord], at date: Date) throws -> Set<OwnerID> {
        guard let liveness else { return owners.withEndedLeases(at: date) }
        return owners.isEmpty ? [] : try liveness.gone(among: owners, at: date)
    }

    /// Finds nothing, because the store keeps all content inline.
    public func abandonedContent(before date: Date, removing: Bool) throws -> AbandonedContent { AbandonedContent() }
}

/// A signal that wakes a process when another one has written to the store.
public protocol StoreSignal: Sendable {
    /// Returns a sequence that yields after each commit, by any process, that other processes must learn of.
    ///
    /// One element may stand for many commits, and an element may come without a commit. The sequence ends when its
    /// task is cancelled.
    func changes() -> AsyncStream<Void>
}
