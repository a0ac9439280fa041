public import Foundation

/// A fact that a commit made true, for the engine that runs requests and for everyone who watches them.
///
/// ``StoreWrite`` says for each write which changes it makes, in this order; a refused write makes none. A store returns
/// the changes of its own commits with their receipts (``RequestStore/commit(_:)``), and reads those of
/// other processes back as the same type (``RequestStore/foreignChanges(where:)``). The journal hands them to the engine
/// in commit order, before any caller of the commit resumes.
public enum StoreChange: Sendable {
    /// A new request is on disk: with a flight of its own, as a member of a live one, or answered from the cache.
    ///
    /// Only the committing process sees this case. Others read back a ``request(_:of:_:)`` and a ``flight(_:_:)``.
    case submitted(Submission, SubmissionReceipt)
    /// A request reached another phase, or was erased.
    case request(UUID, of: FlightID, RequestChange)
    /// A flight moved, and is now in this state.
    case flight(FlightID, FlightLifecycle)
    /// The end of an attempt was recorded.
    ///
    /// Only the committing process sees this case. Others read back a ``flight(_:_:)`` and a ``request(_:of:_:)`` for
    /// each request that became final.
    case settled(Settlement)
    /// Chunks were added to the output of a flight.
    case appended(FlightID)
    /// An account is paused until a date, or not any more.
    case account(AccountID, pausedUntil: Date?)
    /// A process was deregistered, and its leases were broken. The flights and requests concerned follow.
    case ownerRetired(OwnerID)
    /// Answers left the cache, or responses were evicted or deleted.
    case uncached
    /// The earliest deadline of any live request after a sweep, which has passed where more were due than the sweep was
    /// to end; `nil` where none has one.
    case nextDeadline(Date?)
}

/// The phase that a request reached.
public enum RequestChange: Sendable, Hashable {
    /// It is live and waits: it was retried, or others learn of it.
    case pending
    /// It is live and an attempt is under way. Only read back.
    case executing
    /// It has its answer, which the store keeps.
    case completed
    /// It failed. The error is `nil` where it has to be read from the store.
    case failed(AIServiceError?)
    /// It was cancelled.
    case cancelled
    /// It was deleted. One that was live was ``cancelled`` before, in the same commit.
    case erased
}

/// A row that a commit changed, by which other processes read the change back.
public enum ChangedRow: Sendable, Hashable {
    /// A request.
    case request(UUID)
    /// A flight, or its output.
    case flight(FlightID)
    /// An account's pause.
    case account(AccountID)
}

/// The changes that other processes committed since the last look.
public struct ForeignChanges: Sendable {
    /// The changes of the rows that were of interest, as these rows are now.
    public var changes: [StoreChange]
    /// Whether flights may wait that did not before.
    public var mayWait: Bool
    /// Whether answers of the cache may have changed.
    public var touchesAnswers: Bool
    /// Whether these are all. `false` where the store has already dropped the record of some: then every row of
    /// interest has to be read.
    public var isComplete: Bool

    /// Creates changes; none unless given.
    public init(
        changes: [StoreChange] = [], mayWait: Bool = false, touchesAnswers: Bool = false, isComplete: Bool = true
    ) {
        self.changes = changes
        self.mayWait = mayWait
        self.touchesAnswers = touchesAnswers
        self.isComplete = isComplete
    }

    /// Whether another process has committed anything.
    public var isEmpty: Bool { changes.isEmpty && !mayWait && !touchesAnswers && isComplete }

    /// Unknown changes: every row of interest has to be read.
    public static let unknown = ForeignChanges(mayWait: true, touchesAnswers: true, isComplete: false)
}
