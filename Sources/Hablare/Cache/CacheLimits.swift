public import Foundation

/// How long and how many answers are found by later requests for the same work.
///
/// What drops out of the cache is still the response of the request it was made for, for as long as ``Retention`` keeps
/// it; what retention gives up, or somebody deletes, drops out of the cache.
public struct CacheLimits: Sendable, Hashable {
    /// How old an answer may be for a request that does not say, in seconds. Looked at whenever an answer is used.
    /// Default 3,600 (an hour); 0 uses none.
    public var timeToLive: TimeInterval
    /// The most answers of a store, at least 1; those that were not used for longest drop out. For a moment there may be
    /// an eighth more. Default 10,000.
    public var maximumCount: Int
    /// The most bytes that these answers have together. Default 256 MiB.
    public var maximumBytes: Int64
    /// The most answers that this process also holds in memory, for ``AIRequestManager/cachedResponse(to:from:)``; 0 holds
    /// none. Default 1,000.
    public var memoryCount: Int
    /// The most bytes of memory for them; content files are not loaded and count little. Default 32 MiB.
    public var memoryBytes: Int

    /// Creates limits.
    public init(
        timeToLive: TimeInterval = 3600, maximumCount: Int = 10_000, maximumBytes: Int64 = 256 << 20,
        memoryCount: Int = 1000, memoryBytes: Int = 32 << 20
    ) {
        self.timeToLive = timeToLive
        self.maximumCount = maximumCount
        self.maximumBytes = maximumBytes
        self.memoryCount = memoryCount
        self.memoryBytes = memoryBytes
    }

    func check() throws(AIServiceError) {
        guard timeToLive >= 0 else {  // also what is no number
            throw AIServiceError(.invalidConfiguration, "`cache.timeToLive` is negative. Give it zero or more seconds.")
        }
        guard maximumCount >= 1 else {
            throw AIServiceError(.invalidConfiguration, "`cache.maximumCount` is less than 1. Give it 1 or more.")
        }
        let natural = [
            ("maximumBytes", maximumBytes), ("memoryCount", Int64(memoryCount)), ("memoryBytes", Int64(memoryBytes)),
        ]
        for (name, value) in natural where value < 0 {
            throw AIServiceError(.invalidConfiguration, "`cache.\(name)` is negative. Give it zero or more.")
        }
    }

    /// After how many new answers of a process the limits are looked at.
    var answersBetweenTrims: Int { max(1, maximumCount / 8) }
}
