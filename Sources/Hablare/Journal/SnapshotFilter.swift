public import Foundation

/// Which requests to read.
public struct SnapshotFilter: Sendable, Hashable {
    /// Only these phases; `nil`: all.
    public var phases: Set<RequestPhase>?
    /// Only those that are held (`true`) or not (`false`); `nil`: all. A held request is pending.
    public var isHeld: Bool?
    /// Only this job's, in the order of their positions.
    public var job: JobKey?
    /// Only these requests.
    public var ids: [UUID]?
    /// At most so many. Default 1,000.
    public var limit: Int
    /// Continues after this request.
    public var after: UUID?

    /// Creates a filter.
    public init(
        phases: Set<RequestPhase>? = nil, isHeld: Bool? = nil, job: JobKey? = nil, ids: [UUID]? = nil,
        limit: Int = 1000, after: UUID? = nil
    ) {
        self.phases = phases
        self.isHeld = isHeld
        self.job = job
        self.ids = ids
        self.limit = limit
        self.after = after
    }
}
