public import Foundation

/// The rule for the answer cache: whether a request accepts an existing answer, and whether its own answer is kept for
/// other requests.
///
/// The cache finds answers by their ``Fingerprint``, which contains the tenant, provider, model, prompt, parameters,
/// sample and fallback chain. The policy is not part of the fingerprint.
///
/// If a request for the same work is in progress, a new request joins it, so that one call answers the two requests.
/// They must have the same policies for streaming and for unknown outcomes. The new request's cache policy has no
/// effect in this case. The cache policy of the first request decides whether the answer is kept for other requests,
/// and which cache entries its metadata has.
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

    /// Uses an existing answer that is not older than ``CacheLimits/timeToLive``. This is the default. If there is such
    /// an answer, the request is completed when it is submitted, and costs nothing. Otherwise the request is sent, and
    /// its answer is kept for other requests.
    public static let use = CachePolicy(kind: .use(within: nil))

    /// Returns the policy ``use`` with a different maximum age of the answer.
    ///
    /// - Parameter seconds: The maximum age of the answer in seconds. `submit` refuses a negative value and NaN with
    ///   ``AIServiceError/Code/invalidRequest``.
    public static func use(within seconds: TimeInterval) -> CachePolicy { CachePolicy(kind: .use(within: seconds)) }

    /// Calls the provider even if the cache has an answer. The new answer replaces the cached answer.
    public static let refresh = CachePolicy(kind: .refresh)

    /// Calls the provider even if the cache has an answer. The new answer is not put into the cache.
    public static let bypass = CachePolicy(kind: .bypass)

    /// Whether an answer produced under this policy is kept for other requests.
    package var keepsAnswer: Bool { kind != .bypass }
}

extension CachePolicy {
    /// Returns the range of dates in which a cached answer must have been received to be used now. Returns `nil` if the
    /// policy accepts no cached answer.
    ///
    /// The range extends as far into the future as into the past. Dates in the future are possible, because the clocks
    /// of machines that share a store differ a little. The range into the future is limited: if a clock is set back, an
    /// answer with a date far in the future would otherwise stay young for ever.
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

    /// The maximum age: a hundred years. Dates cannot be computed for a longer age.
    private static let longest: TimeInterval = 100 * 366 * 86_400
}

extension CachePolicy {
    /// The entries about the cache in the metadata of an answer that is produced under this policy.
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
