public import Foundation

/// The interface between the engine and a database of requests.
///
/// A store only keeps rows. The engine decides when a request is sent, retried or ended.
///
/// The methods that write are synchronous, may throw and may block. The engine's journal calls ``commit(_:)``,
/// ``claim(_:)`` and ``foreignChanges(where:)`` from a single thread, so a store needs no queue for writes. Any thread
/// may call the methods of ``StoreReading`` at the same time.
///
/// Several processes may share a store, on one machine or on several machines. The ids of flights of one process must
/// ascend in the order of arrival. The ids of flights of different processes need not be in the order of their commits.
/// Claims take the flights of one priority in the order of their ids.
///
/// Every store must pass the store contract suite in `HablareTestKit`.
public protocol RequestStore: StoreReading {
    /// Applies all writes in order, in one durable transaction. Returns a receipt for each write, and the changes that
    /// the writes made.
    ///
    /// When this method returns, all writes must be on disk. The engine then acknowledges them to its callers. If one
    /// row cannot be written, the other writes of the commit must succeed nevertheless. The receipt of the failed write
    /// reports the failure, and the failed write must change nothing.
    ///
    /// If the store uses a server, it may lose its connection during the commit. It should then reconnect, and find out
    /// whether the transaction was committed. Meanwhile, callers that submitted requests wait. Therefore the store
    /// should stop after a time that these callers can accept, such as a few seconds. If the store cannot find out
    /// whether the transaction was committed, it throws ``AIServiceError/Code/storageUncertain``. The process then
    /// reads all rows of the requests that it runs or watches. If the commit may have leased a flight, the process also
    /// ends its registration and registers again, as after a crash.
    ///
    /// - Throws: ``AIServiceError`` of category storage. After an error with any other code than
    ///   ``AIServiceError/Code/storageUncertain``, the store must not have written anything.
    func commit(_ writes: [StoreWrite]) throws -> StoreCommit

    /// Leases waiting flights to a process, in one durable transaction.
    ///
    /// A claim has these steps:
    ///
    /// 1. Flights of the provider whose backoff has ended become waiting flights.
    /// 2. The store takes as many flights of each priority as ``ClaimQuery/shares`` gives (8 : 4 : 1), in the order of
    ///    arrival. It skips a flight if the deadlines of all its requests have passed. ``StoreWrite/expire(at:limit:)``
    ///    later ends these requests.
    /// 3. If fewer flights than the limit were taken, the store takes more flights of the highest priorities that
    ///    have more.
    ///
    /// The claim returns the flights ordered by urgency and then by arrival. A claim reads no content file, because it
    /// runs on the journal's thread. If a prompt is in ``content``, ``ClaimedFlight/promptContent`` refers to its file.
    ///
    /// - Throws: ``AIServiceError`` of category storage. After an error with any other code than
    ///   ``AIServiceError/Code/storageUncertain``, the store must not have leased a flight.
    func claim(_ query: ClaimQuery) throws -> Claim

    /// The store of large content, or `nil` if all content is in the database. The content may be on another machine:
    /// see ``ContentReading/location(of:)``.
    var content: (any ContentStore)? { get }

    /// Finds abandoned content. Removes it if `removing` is true.
    ///
    /// Content is left behind if a process dies before it writes the row that refers to the content file. It counts as
    /// abandoned if no row refers to it and no process has written it since `date`. This method must never remove
    /// content that a row refers to.
    ///
    /// The method blocks while it examines all content files. Between two files it must check whether the calling task
    /// is cancelled. If the task is cancelled, it throws `CancellationError`. Content that was removed before stays
    /// removed.
    ///
    /// - Parameters:
    ///   - date: Content that was written after this date is not abandoned.
    ///   - removing: Whether the content is removed.
    /// - Returns: The number and size of the abandoned files.
    /// - Throws: ``AIServiceError`` of category storage; `CancellationError`.
    func abandonedContent(before date: Date, removing: Bool) throws -> AbandonedContent

    /// The signal that announces commits by other processes, or `nil` if no other process can write to the store.
    var signal: (any StoreSignal)? { get }

    /// Finds out whether a process on this store is alive or dead. `nil` if only one process can use the store.
    var liveness: (any OwnerLiveness)? { get }

    /// The store's own clock. The dates of all rows come from it. With `nil`, the default, the dates come from the
    /// clock of this machine.
    ///
    /// A store for several machines must have its own clock, because the clocks of machines differ. The engine calls
    /// this function under its lock, so it must not block. If the clock is on a server, measure its difference from
    /// this machine's clock in advance.
    var date: (@Sendable () -> Date)? { get }

    /// The executor for the methods of ``StoreReading``. With `nil`, the default, they run on the global executor.
    ///
    /// If reading the store waits for a network, the store must provide an executor with a few threads that no other
    /// code uses. Otherwise slow reads delay all tasks of the process.
    var readExecutor: (any TaskExecutor)? { get }

    /// Returns the changes that other processes committed since the last call.
    ///
    /// The first call returns the changes since the store was opened. The journal calls this method from its own
    /// thread.
    ///
    /// - Parameter isOfInterest: A function that returns whether this process runs or watches a row. The store must
    ///   read only rows for which it returns `true`.
    /// - Throws: ``AIServiceError`` of category storage. After an error, the next call must return the same changes.
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
    /// Returns `nil`: dates come from the clock of this machine.
    public var date: (@Sendable () -> Date)? { nil }

    /// Returns `nil`: reads run on the global executor.
    public var readExecutor: (any TaskExecutor)? { nil }

    package func gone(among owners: [OwnerRecord], at date: Date) throws -> Set<OwnerID> {
        guard let liveness else { return owners.withEndedLeases(at: date) }
        return owners.isEmpty ? [] : try liveness.gone(among: owners, at: date)
    }

    /// Finds nothing, because the store keeps all content in the database.
    public func abandonedContent(before date: Date, removing: Bool) throws -> AbandonedContent { AbandonedContent() }
}

/// Wakes a process when another process has written to the store.
public protocol StoreSignal: Sendable {
    /// Returns a sequence that yields an element after a commit of any process if other processes must read the changes
    /// of the commit.
    ///
    /// One element may announce many commits. The sequence may also yield an element without a commit. The sequence
    /// ends when the reading task is cancelled.
    func changes() -> AsyncStream<Void>
}
