public import Foundation

/// The rule that decides whether a request accepts an existing answer, and whether its own answer is kept for other
/// requests.
///
/// The cache finds answers by their ``Fingerprint``, which contains the tenant, provider, model, prompt, parameters and
/// sample. The policy is not part of the fingerprint.
///
/// A new request joins a request for the same work that is in progress, if the two requests have the same policies for
/// streaming and unknown outcomes. The cache policy of the new request does not matter. The two requests receive the
/// same new answer. The cache policy of the first request decides whether the answer is kept for other requests, and
/// what its metadata reports about the cache.
///
/// ```swift
/// let cached = AIRequest(prompt: "Translate: tree", caching: .use(within: 86_400))  // at most a day old
/// let new = AIRequest(prompt: "Translate: tree", caching: .refresh)
/// ```
public struct CachePolicy: Sendable, Hashable, Codable {
    package enum Kind: Sendable, Hashable, Codable {
        case use(within: TimeInterval?)
        case refresh
        case bypass
    }

    package let kind: Kind

    /// The default. Uses an existing answer that is not older than ``CacheLimits/timeToLive``. If there is such an
    /// answer, the request is completed when it is submitted, and costs nothing. Otherwise the request is sent, and its
    /// answer is kept for other requests.
    public static let use = CachePolicy(kind: .use(within: nil))

    /// Returns the policy `use` with its own limit on the age of the answer.
    ///
    /// - Parameter seconds: The maximum age of the answer in seconds. `submit` refuses a negative value and NaN with
    ///   ``AIServiceError/Code/invalidRequest``.
    public static func use(within seconds: TimeInterval) -> CachePolicy { CachePolicy(kind: .use(within: seconds)) }

    /// Produces a new answer even if one exists. For other requests, the new answer replaces the existing answer.
    public static let refresh = CachePolicy(kind: .refresh)

    /// Produces a new answer even if one exists. The new answer is not kept for other requests.
    public static let bypass = CachePolicy(kind: .bypass)

    /// Whether an answer produced under this policy is kept for other requests.
    package var keepsAnswer: Bool { kind != .bypass }
}

extension CachePolicy {
    /// Returns the range of dates in which an answer must have been received to be used now. Returns `nil` if no cached
    /// answer is wanted.
    ///
    /// The range extends as far into the future as into the past. A date in the future is possible, because the clocks
    /// of machines that share a store differ a little. The limit is needed, because a clock may have been set back, and
    /// its answers must not stay young for ever.
    ///
    /// - Throws: ``AIServiceError`` with code ``AIServiceError/Code/invalidRequest`` if the age is negative or not a
    ///   number.
    func window(at now: Date, _ limits: CacheLimits, _ retention: Retention) throws(AIServiceError) -> ClosedRange<
        Date
    >? {
        guard case .use(let own) = kind else { return nil }
        if let own, !(own >= 0) {
            throw AIServiceError(
                .invalidRequest,
                "The request's maximum age of cached answers is negative. Set zero or more seconds, or another policy."
            )
        }
        let age = min(own ?? limits.timeToLive, retention.maximumAge, Self.longest)
        // An age of 0 accepts no answer, not even one of this very moment.
        guard age > 0 else { return nil }
        return now.addingTimeInterval(-age)...now.addingTimeInterval(age)
    }

    /// The maximum age: a hundred years. A longer age cannot be subtracted from a date.
    private static let longest: TimeInterval = 100 * 366 * 86_400
}

extension CachePolicy {
    /// The metadata about the cache in an answer that is produced under this policy.
    var note: [String: String] {
        switch kind {
        case .use: Self.missed
        case .refresh: Self.refreshed
        case .bypass: [:]
        }
    }

    // Created once, because nearly every answer has one of them.
    private static let missed = [AIResponseData.cacheKey: "miss"]
    private static let refreshed = [AIResponseData.cacheKey: "refresh"]
}
