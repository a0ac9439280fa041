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
    /// At most so many. Default 1,000.
    public var limit: Int
    /// Continues after this request.
    public var after: UUID?

    /// Whether a request is one of those, wherever it stands.
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
