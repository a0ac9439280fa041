/// Counts over a store.
public struct StoreStatistics: Sendable, Hashable {
    /// Requests by phase.
    public var requests: [RequestPhase: Int]
    /// Attempts that ended, failed and lost ones included.
    public var attempts: Int
    /// What all attempts used; cost counts only attempts whose cost is known.
    public var usage: Usage

    /// Creates counts.
    public init(requests: [RequestPhase: Int] = [:], attempts: Int = 0, usage: Usage = Usage()) {
        self.requests = requests
        self.attempts = attempts
        self.usage = usage
    }
}
