public import Foundation

/// A selection of requests to read, one page at a time.
///
/// ```swift
/// let failures = SnapshotFilter(phases: [.failed], limit: 100)
/// ```
public struct SnapshotFilter: Sendable, Hashable {
    /// The phases of the requests. `nil` means any phase.
    public var phases: Set<RequestPhase>?
    /// Whether to select only held requests (`true`) or only requests that are not held (`false`). `nil` selects held
    /// requests and all other requests. Held requests have the phase pending.
    public var isHeld: Bool?
    /// Selects only requests that are not final and whose deadline is at or before this date. `nil` means that
    /// deadlines do not matter.
    public var dueBy: Date?
    /// The job of the requests. If a job is given, the requests are in the order of their positions. `nil` means
    /// requests of any job and requests without a job.
    public var job: JobKey?
    /// The UUIDs of the requests. `nil` means any UUID.
    public var ids: [UUID]?
    /// The maximum number of requests. Default 1,000. The manager refuses a negative number. A store returns no
    /// requests for a negative number.
    public var limit: Int
    /// The last request of the previous page.
    ///
    /// If this request was deleted, it no longer has a position in its job, and the next page of the job is empty. To
    /// avoid this, use ``continues(after:)`` to read a job page by page.
    public var after: UUID?
    /// The last position in the job that was on the previous page. No request needs to have this position. If this
    /// value is given, ``after`` is ignored.
    public var afterPosition: Int?

    /// Changes the filter to the next page. Pass the last request of the current page, even if this request has been
    /// deleted meanwhile.
    public mutating func continues(after snapshot: RequestSnapshot) {
        after = snapshot.id
        afterPosition = snapshot.position
    }

    /// Whether ``afterPosition`` determines where the page begins. If the value is `false`, ``after`` determines it.
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
