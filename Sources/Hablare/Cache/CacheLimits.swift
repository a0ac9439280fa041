public import Foundation

/// The limits on the number, size and age of the answers in the cache. A later request for the same work can be
/// answered from the cache.
///
/// If an answer leaves the cache, it stays the response of the request that produced it, until ``Retention`` evicts the
/// response. If retention evicts an answer or a caller deletes it, the answer also leaves the cache.
///
/// For example, for translations that stay valid for a week:
///
/// ```swift
/// let limits = CacheLimits(timeToLive: 7 * 86_400, maximumCount: 100_000, maximumBytes: 2 << 30)
/// ```
public struct CacheLimits: Sendable, Hashable {
    /// The maximum age in seconds of an answer from the cache. A request may set its own maximum age with
    /// ``CachePolicy/use(within:)``. 0 or more. With 0, the cache answers no request. The age is checked whenever an
    /// answer is used. Default 3,600 (an hour). For example, 604,800 (a week) for embeddings, which do not change.
    public var timeToLive: TimeInterval
    /// The maximum number of answers in the cache of a store, at least 1. If there are more, the least recently used
    /// answers leave the cache. The cache may briefly contain an eighth more answers than this number. Default 10,000.
    /// For example, 100,000 for many small answers.
    public var maximumCount: Int
    /// The maximum total size of the answers in the cache in bytes, 0 or more. Default 256 MiB. For example, `2 << 30`
    /// (2 GiB) for speech and images.
    public var maximumBytes: Int64
    /// The maximum number of answers that this process also holds in memory, for
    /// ``AIRequestManager/cachedResponse(to:from:)``. 0 or more. With 0, no answer is held in memory. Default 1,000.
    /// For example, 0 on a server that never calls this method.
    public var memoryCount: Int
    /// The maximum size in bytes of the answers held in memory, 0 or more. Content files are not loaded into memory, so
    /// an answer with a content file takes little memory. Default 32 MiB. For example, `4 << 20` (4 MiB) in an app
    /// extension.
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
        guard timeToLive >= 0 else {  // also refuses an age that is not a number
            throw AIServiceError(
                .invalidConfiguration, "`cache.timeToLive` is negative. Set it to zero or more seconds.")
        }
        guard maximumCount >= 1 else {
            throw AIServiceError(.invalidConfiguration, "`cache.maximumCount` is less than 1. Set it to 1 or more.")
        }
        let natural = [
            ("maximumBytes", maximumBytes), ("memoryCount", Int64(memoryCount)), ("memoryBytes", Int64(memoryBytes)),
        ]
        for (name, value) in natural where value < 0 {
            throw AIServiceError(.invalidConfiguration, "`cache.\(name)` is negative. Set it to zero or more.")
        }
    }

    /// The number of new answers of a process after which the process checks the limits.
    var answersBetweenTrims: Int { max(1, maximumCount / 8) }
}
