public import Foundation

/// The interface between the engine and a database of requests.
///
/// A store keeps rows. The engine, and not the store, decides when a request is sent, retried or ended.
///
/// The writing methods are synchronous and throwing, and may block. The engine's journal calls ``commit(_:)``,
/// ``claim(_:)`` and ``foreignChanges(where:)`` from a single thread, so a store needs no queue. Any thread may call
/// the methods of ``StoreReading`` at the same time.
///
/// Several processes may share a store, on one machine or on several machines. Within a process, flight ids must ascend
/// in the order of arrival. The ids of flights of different processes may be in a different order than their commits.
/// Claims take the flights of one priority in the order of their ids.
///
/// Every conformer must pass the store contract suite in `HablareTestKit`.
public protocol RequestStore: StoreReading {
    /// Applies all writes in order, in one durable transaction. Returns a receipt for each write, and the changes that
    /// the writes made.
    ///
    /// When this method returns, all writes must be on disk, because the engine then acknowledges them. If one row
    /// cannot be written, the other writes of the commit must still succeed. The receipt of the failed write reports
    /// the failure, and this write changes nothing.
    ///
    /// A store on a server may lose its connection during the commit. It should reconnect and find out whether the
    /// transaction was committed. The caller of a submission waits meanwhile, so the store should stop after a time
    /// that this caller can accept, such as a few seconds. If the store cannot find out, it throws
    /// ``AIServiceError/Code/storageUncertain``. The process then reads all rows that it runs or watches. If the commit
    /// may have leased a flight, the process also ends its registration and registers again, as after a crash.
    ///
    /// - Throws: ``AIServiceError`` of category storage. Every code except ``AIServiceError/Code/storageUncertain``
    ///   guarantees that nothing was written.
    func commit(_ writes: [StoreWrite]) throws -> StoreCommit

    /// Leases waiting flights to an owner, in one durable transaction.
    ///
    /// A claim takes these steps:
    ///
    /// 1. It moves the provider's flights whose backoff has ended back to the waiting state.
    /// 2. It takes as many flights of each priority as ``ClaimQuery/shares`` gives (8 : 4 : 1), in the order of
    ///    arrival. It skips a flight if the deadlines of all its requests have passed, because
    ///    ``StoreWrite/expire(at:limit:)`` ends these requests.
    /// 3. If the limit is not reached, it takes more flights of the highest priorities that have more flights.
    ///
    /// The claim returns the flights ordered by urgency and then by arrival. It reads no content file, because it runs
    /// on the journal's thread. If a prompt is in ``content``, ``ClaimedFlight/promptContent`` refers to it.
    ///
    /// - Throws: ``AIServiceError`` of category storage. Every code except ``AIServiceError/Code/storageUncertain``
    ///   guarantees that no flight was leased.
    func claim(_ query: ClaimQuery) throws -> Claim

    /// The store of large content. `nil` if all content is in the database. The content may be on another machine: see
    /// ``ContentReading/location(of:)``.
    var content: (any ContentStore)? { get }

    /// Finds abandoned content, and removes it if `removing` is true.
    ///
    /// If a process dies while it writes a content file, or before it writes the row of the file, it leaves content
    /// behind. Content is abandoned if no row refers to it and no process has written it since `date`. This method must
    /// never remove content that a row refers to.
    ///
    /// This method blocks while it examines every content file. Between two files it must check whether the calling
    /// task is cancelled. If the task is cancelled, it throws `CancellationError`. Content that it has already removed
    /// stays removed.
    ///
    /// - Parameters:
    ///   - date: The date since which no process has written the content.
    ///   - removing: Whether the content is removed.
    /// - Returns: The number and size of the abandoned files.
    /// - Throws: ``AIServiceError`` of category storage; `CancellationError`.
    func abandonedContent(before date: Date, removing: Bool) throws -> AbandonedContent

    /// The signal of commits by other processes. `nil` if no other process can write to the store.
    var signal: (any StoreSignal)? { get }

    /// The check that finds out whether a process on this store is alive or dead. `nil` if there are no other
    /// processes.
    var liveness: (any OwnerLiveness)? { get }

    /// The store's own clock, which gives the dates of all its rows. `nil`, the default: the clock of this machine.
    ///
    /// A store that several machines share must have its own clock, because the clocks of the machines differ. The
    /// engine calls this function under its lock, so it must not block. Therefore measure the offset of the server's
    /// clock in advance.
    var date: (@Sendable () -> Date)? { get }

    /// The executor of calls to ``StoreReading``. `nil`, the default: the global executor.
    ///
    /// If reads of the store wait for a network, the store must provide an executor with a few threads that only the
    /// store uses. Otherwise slow reads delay the tasks of the whole process.
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
    /// A receipt for each write, in the order of the writes.
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

    /// Finds nothing, because the store keeps all content in the database.
    public func abandonedContent(before date: Date, removing: Bool) throws -> AbandonedContent { AbandonedContent() }
}

/// A signal that wakes a process when another process has written to the store.
public protocol StoreSignal: Sendable {
    /// Returns a sequence that yields after a commit of any process, if other processes must read the changes of the
    /// commit.
    ///
    /// One element may stand for many commits. The sequence may also yield an element without a commit. The sequence
    /// ends when the reading task is cancelled.
    func changes() -> AsyncStream<Void>
}
