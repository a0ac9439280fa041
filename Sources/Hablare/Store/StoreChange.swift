public import Foundation

/// A change that a commit made to the store. The engine receives the changes, and passes them to callers that watch
/// requests.
///
/// For each write, ``StoreWrite`` documents which changes it makes and in which order. A refused write makes no
/// changes. ``RequestStore/commit(_:)`` returns the changes of this process's commits, with the receipts.
/// ``RequestStore/foreignChanges(where:)`` returns the changes of other processes. The journal passes the changes to
/// the engine in commit order, before any caller of the commit resumes.
public enum StoreChange: Sendable {
    /// A new request is on disk. It has a new flight (the shared work of equal requests), joined the flight of an equal
    /// request, or was answered from the cache.
    ///
    /// Only the process that made the commit receives this case. Other processes receive a ``request(_:of:_:)`` and a
    /// ``flight(_:_:)`` instead.
    case submitted(Submission, SubmissionReceipt)
    /// A request reached another phase, or was erased.
    case request(UUID, of: FlightID, RequestChange)
    /// A flight changed its state. The case contains the new state.
    case flight(FlightID, FlightLifecycle)
    /// The end of an attempt was recorded.
    ///
    /// Only the process that made the commit receives this case. Other processes receive a ``flight(_:_:)`` instead,
    /// and a ``request(_:of:_:)`` for each request that became final.
    case settled(Settlement)
    /// Chunks were added to the output of a flight.
    case appended(FlightID)
    /// The pause of an account changed. The pause ends at this date. `nil` means that there is no pause any more.
    case account(AccountID, pausedUntil: Date?)
    /// A process was deregistered, and its leases were broken. For each flight of this process, further changes follow.
    case ownerRetired(OwnerID)
    /// Answers left the cache, or responses were evicted or deleted.
    case uncached
    /// A sweep has ended requests whose deadlines have passed. The date is the earliest deadline of all live requests.
    /// It is `nil` if no live request has a deadline. This date may already have passed, because a sweep ends only a
    /// limited number of requests.
    case nextDeadline(Date?)
}

/// The phase that a request reached.
public enum RequestChange: Sendable, Hashable {
    /// The request is live and waits. It was retried, or another process read the state from the row of the request.
    case pending
    /// The request is live and an attempt is in flight. A store returns this case only when it reads a row, never as a
    /// change of a commit.
    case executing
    /// The request has its answer. The store keeps the answer.
    case completed
    /// The request failed. If the error is `nil`, the receiver must read it from the store.
    case failed(AIServiceError?)
    /// The request was cancelled.
    case cancelled
    /// The request was deleted. If the request was live, the same commit also cancelled it.
    case erased
}

/// A row that a commit changed. Other processes read the row to learn the change.
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
    /// The changes of the rows that this process runs or watches. They describe the current state of the rows, not each
    /// step.
    public var changes: [StoreChange]
    /// Whether flights may have begun to wait since the previous call of ``RequestStore/foreignChanges(where:)``. A
    /// flight is the work of one or several equal requests.
    public var mayWait: Bool
    /// Whether answers of the cache may have changed.
    public var touchesAnswers: Bool
    /// Whether the changes are complete. If `false`, the store has already deleted some records of changes, and the
    /// engine must read every row that the process executes or watches.
    public var isComplete: Bool

    /// Creates changes. By default there are none.
    public init(
        changes: [StoreChange] = [], mayWait: Bool = false, touchesAnswers: Bool = false, isComplete: Bool = true
    ) {
        self.changes = changes
        self.mayWait = mayWait
        self.touchesAnswers = touchesAnswers
        self.isComplete = isComplete
    }

    /// Whether there are no changes that the engine needs.
    public var isEmpty: Bool { changes.isEmpty && !mayWait && !touchesAnswers && isComplete }

    /// The value for changes that are not known: the engine must read every row that the process executes or watches.
    public static let unknown = ForeignChanges(mayWait: true, touchesAnswers: true, isComplete: false)
}
