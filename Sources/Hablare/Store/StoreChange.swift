public import Foundation

/// A change that a commit made, for the engine and for all observers of its requests.
///
/// ``StoreWrite`` documents for each write which changes it makes, and in which order. A refused write makes none. A
/// store returns the changes of its own commits with their receipts (``RequestStore/commit(_:)``). It returns those of
/// other processes as the same type (``RequestStore/foreignChanges(where:)``). The journal passes them to the engine in
/// commit order, before any caller of the commit resumes.
public enum StoreChange: Sendable {
    /// A new request is on disk: with a flight of its own, as a member of a live flight, or answered from the cache.
    ///
    /// Only the committing process receives this case. Other processes read a ``request(_:of:_:)`` and a
    /// ``flight(_:_:)`` instead.
    case submitted(Submission, SubmissionReceipt)
    /// A request reached another phase, or was erased.
    case request(UUID, of: FlightID, RequestChange)
    /// A flight changed its state, and is now in this one.
    case flight(FlightID, FlightLifecycle)
    /// The end of an attempt was recorded.
    ///
    /// Only the committing process receives this case. Other processes read a ``flight(_:_:)`` instead, and a
    /// ``request(_:of:_:)`` for each request that became final.
    case settled(Settlement)
    /// Chunks were added to the output of a flight.
    case appended(FlightID)
    /// The pause of an account changed. It ends at this date; `nil` means that the pause is over.
    case account(AccountID, pausedUntil: Date?)
    /// A process was deregistered, and its leases were broken. The changes of its flights and their requests follow.
    case ownerRetired(OwnerID)
    /// Answers left the cache, or responses were evicted or deleted.
    case uncached
    /// A sweep of deadlines ended, and this is the earliest deadline of all live requests; `nil` if none has one. The
    /// date has passed if more requests were due than the limit of the sweep.
    case nextDeadline(Date?)
}

/// The phase that a request reached.
public enum RequestChange: Sendable, Hashable {
    /// The request is live and waits: it was retried, or another process read this state from its row.
    case pending
    /// The request is live and an attempt is in flight. A store returns this case only for a row that it reads, never
    /// from a commit.
    case executing
    /// The request has its answer, which the store keeps.
    case completed
    /// The request failed. Read the error from the store if it is `nil`.
    case failed(AIServiceError?)
    /// The request was cancelled.
    case cancelled
    /// The request was deleted. If it was live, the same commit ``cancelled`` it before.
    case erased
}

/// A row that a commit changed. Other processes read the row to learn of the change.
public enum ChangedRow: Sendable, Hashable {
    /// A request.
    case request(UUID)
    /// A flight, or its output.
    case flight(FlightID)
    /// An account's pause.
    case account(AccountID)
}

/// The changes that other processes committed since the last call to ``RequestStore/foreignChanges(where:)``.
public struct ForeignChanges: Sendable {
    /// The changes of the rows of interest, which describe the current state of those rows.
    public var changes: [StoreChange]
    /// Whether flights that did not wait before may wait now.
    public var mayWait: Bool
    /// Whether answers of the cache may have changed.
    public var touchesAnswers: Bool
    /// Whether the changes are complete. If `false`, the store has already deleted some records, and the engine must
    /// read every row of interest.
    public var isComplete: Bool

    /// Creates changes; none by default.
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

    /// Unknown changes: the engine must read every row of interest.
    public static let unknown = ForeignChanges(mayWait: true, touchesAnswers: true, isComplete: false)
}
