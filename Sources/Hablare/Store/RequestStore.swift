public import Foundation

/// Where requests live: the seam between the engine and a database.
///
/// Synchronous and throwing on purpose: the engine's journal calls ``commit(_:)``, ``claim(_:)`` and
/// ``foreignChanges(where:)`` from one thread of its own, so a store needs no queue. ``StoreReading`` may be called from any
/// thread at the same time.
///
/// Several processes may share a store, on one machine or on many. Ids of flights ascend in the order of arrival within a
/// process; the flights of two processes may be numbered in another order than that in which they were committed. The
/// requests of one class are taken in the order of their flights' ids.
///
/// Every conformer passes the store contract suite in `HablareTestKit`.
public protocol RequestStore: StoreReading {
    /// Writes all writes in one durable transaction, in order. Returns a receipt for each, and the changes that they made.
    ///
    /// On return everything is on disk. A row that cannot be written gets a receipt that says so, leaves no trace and
    /// makes no change; the others are written.
    ///
    /// A store behind a network may lose its connection during the commit. It should connect again and look whether the
    /// transaction was made, for as long as a caller can wait. Where that does not succeed either, it throws
    /// ``AIServiceError/Code/storageUncertain``. The process then reads all rows that it runs or watches. If the commit may
    /// have leased a flight, it also ends its registration and continues under a new one, as after a crash.
    ///
    /// - Throws: ``AIServiceError`` of category storage. With every code but
    ///   ``AIServiceError/Code/storageUncertain``, nothing was written.
    func commit(_ writes: [StoreWrite]) throws -> StoreCommit

    /// Takes waiting flights for an owner, in one durable transaction. Flights whose back-off has ended wait again
    /// beforehand. Of each class as many as
    /// ``ClaimQuery/shares`` says (8:4:1), the rest of the limit from the most urgent classes that have more; within a
    /// class in order of arrival. Answers in order of urgency, then of arrival. Reads no content: where a prompt is in
    /// ``content``, the answer says where, see ``ClaimedFlight/promptContent``.
    ///
    /// - Throws: ``AIServiceError`` of category storage. With every code but
    ///   ``AIServiceError/Code/storageUncertain``, nothing was taken.
    func claim(_ query: ClaimQuery) throws -> Claim

    /// The place of large content; `nil` when the store keeps all content inline. It need not be on this machine: see
    /// ``ContentReading/location(of:)``.
    var content: (any ContentStore)? { get }

    /// Finds, and removes if told to, what a process left behind that died between a content file and its row, or while
    /// it wrote a file: content that no row refers to and that nobody has written since a date. Never removes what a row
    /// refers to. Blocks for the time of looking at every content file, unless the task that calls it is cancelled: a
    /// store asks between files, and throws `CancellationError`. What was removed by then stays removed.
    ///
    /// - Throws: ``AIServiceError`` of category storage; `CancellationError`.
    func abandonedContent(before date: Date, removing: Bool) throws -> AbandonedContent

    /// Tells of commits that other processes made; `nil` when the store has no other processes.
    var signal: (any StoreSignal)? { get }

    /// Tells living processes on this store from dead ones; `nil` when there are no others.
    var liveness: (any OwnerLiveness)? { get }

    /// The store's own time, by which all its rows are dated; `nil`, the default, where that is the time of this machine. A
    /// store that is shared by several machines must have one, because their clocks differ.
    ///
    /// Called under the engine's lock: it must not block. A store measures its server's offset beforehand.
    var date: (@Sendable () -> Date)? { get }

    /// The threads that ``StoreReading`` is called on; `nil`, the default, for those of the global executor. A store whose
    /// reads wait for a network must have threads of its own, a few, or slow reads hold up the tasks of the whole process.
    var readExecutor: (any TaskExecutor)? { get }

    /// Returns the changes that other processes committed since the last call; the first call counts from the opening of
    /// the store. Called from the journal's thread.
    ///
    /// - Parameter isOfInterest: Whether anyone here runs or watches a row. Only these rows are read.
    /// - Throws: ``AIServiceError`` of category storage; the next call returns the same changes then.
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
    /// The time of this machine.
    public var date: (@Sendable () -> Date)? { nil }

    /// The threads of the global executor.
    public var readExecutor: (any TaskExecutor)? { nil }

    package func gone(among owners: [OwnerRecord], at date: Date) throws -> Set<OwnerID> {
        guard let liveness else { return owners.withEndedLeases(at: date) }
        return owners.isEmpty ? [] : try liveness.gone(among: owners, at: date)
    }

    /// None: of a store that keeps all content inline.
    public func abandonedContent(before date: Date, removing: Bool) throws -> AbandonedContent { AbandonedContent() }
}

/// Wakes a process when another one has written to the store.
public protocol StoreSignal: Sendable {
    /// A sequence that yields after a commit that others have to learn of, by any process: one element for many commits,
    /// and perhaps one for none. Ends when its task is cancelled.
    func changes() -> AsyncStream<Void>
}
