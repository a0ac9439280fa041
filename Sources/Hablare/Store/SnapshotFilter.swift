public import Foundation

/// Which requests to read.
public struct SnapshotFilter: Sendable, Hashable {
    /// Only these phases; `nil`: all.
    public var phases: Set<RequestPhase>?
    /// Only those that are held (`true`) or not (`false`); `nil`: all. A held request is pending.
    public var isHeld: Bool?
    /// Only those that are not final and whose deadline is this date, or earlier; `nil`: all.
    public var dueBy: Date?
    /// Only this job's, in the order of their positions.
    public var job: JobKey?
    /// Only these requests.
    public var ids: [UUID]?
    /// At most so many; the manager refuses a negative number, and a store answers it with none. Default 1,000.
    public var limit: Int
    /// Continues after this request. Of a job's, one that was deleted since has no position any more, and nothing follows
    /// it: pages of a job continue with ``continues(after:)``.
    public var after: UUID?
    /// Of a job: continues after this position, whether a request still has it or not; goes before ``after``.
    public var afterPosition: Int?

    /// Continues after a request that was read, the last one of a page; also where it was deleted meanwhile.
    public mutating func continues(after snapshot: RequestSnapshot) {
        after = snapshot.id
        afterPosition = snapshot.position
    }

    /// Whether ``afterPosition`` says where to continue, and not ``after``.
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
