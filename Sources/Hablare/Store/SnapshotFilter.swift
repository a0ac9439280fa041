public import Foundation

/// A selection of requests to read, one page at a time.
///
/// ```swift
/// let failures = SnapshotFilter(phases: [.failed], limit: 100)
/// ```
public struct SnapshotFilter: Sendable, Hashable {
    /// The phases of the requests. `nil`: any phase.
    public var phases: Set<RequestPhase>?
    /// Whether to select only held requests (`true`) or only requests that are not held (`false`). `nil`: no such
    /// condition. A held request is pending.
    public var isHeld: Bool?
    /// Selects only requests that are not final and whose deadline is at or before this date. `nil`: no such condition.
    public var dueBy: Date?
    /// The job of the requests. With a job, the requests are in the order of their positions. `nil`: requests of any
    /// job, and requests without a job.
    public var job: JobKey?
    /// The UUIDs of the requests. `nil`: any UUID.
    public var ids: [UUID]?
    /// The maximum number of requests. Default 1,000. The manager refuses a negative number. A store returns no
    /// requests for a negative number.
    public var limit: Int
    /// The request after which the page begins.
    ///
    /// A deleted request has no position in its job any more. A page of the job after such a request is therefore
    /// empty. To read a job page by page, use ``continues(after:)``.
    public var after: UUID?
    /// The position in the job after which the page begins. No request needs to have this position. Takes precedence
    /// over ``after``.
    public var afterPosition: Int?

    /// Changes the filter to the next page. Pass the last request of the present page, even if this request has been
    /// deleted.
    public mutating func continues(after snapshot: RequestSnapshot) {
        after = snapshot.id
        afterPosition = snapshot.position
    }

    /// Whether ``afterPosition`` determines where the page begins. If `false`, ``after`` does.
    package var continuesByPosition: Bool { ids == nil && job != nil && afterPosition != nil }

    package func admits(_ snapshot: RequestSnapshot) -> Bool {
        if let phases, !phases.contains(snapshot.phase) { return false }
        if let isHeld, isHeld != (snapshot.waiting == .held) { return false }
        if let job, snapshot.job != job { return false }
        guard let dueBy else { return true }
        guard snapshot.phase == .pending || snapshot.phase == .executing else { return false }
        return snapshot.deadline.map { $0 <= dueBy } ?? false
    }

    /// Creates a filter.
    public init(
        phases: Set<RequestPhase>? = nil, isHeld: Bool? = nil, dueBy: Date? = nil, job: JobKey? = nil,
        ids: [UUID]? = nil, limit: Int = 1000, after: UUID? = nil
    ) {
        self.phases = phases
        self.isHeld = isHeld
        self.dueBy = dueBy
        self.job = job
        self.ids = ids
        self.limit = limit
        self.after = after
    }
}
