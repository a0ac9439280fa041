/// Counts over a store.
public struct StoreStatistics: Sendable, Hashable {
    /// Requests by phase.
    public var requests: [RequestPhase: Int]
    /// Attempts that ended, failed and lost ones included.
    public var attempts: Int
    /// What all attempts used; cost counts only attempts whose cost is known.
    public var usage: Usage
    /// Answers in the cache.
    public var cachedAnswers: Int
    /// How many bytes they have together.
    public var cachedBytes: Int64

    /// Creates counts.
    public init(
        requests: [RequestPhase: Int] = [:], attempts: Int = 0, usage: Usage = Usage(), cachedAnswers: Int = 0,
        cachedBytes: Int64 = 0
    ) {
        self.requests = requests
        self.attempts = attempts
        self.usage = usage
        self.cachedAnswers = cachedAnswers
        self.cachedBytes = cachedBytes
    }
}
