public import Foundation

/// Whether an answer that was made for another request is good enough for this one.
///
/// Answers are found by their ``Fingerprint``: the same tenant, provider, model, prompt, parameters and sample. Not part
/// of the fingerprint. A request that finds another one for the same work still on its way, under the same policies of
/// streaming and unknown outcomes, follows it whatever its own policy is: that answer is new to both. Whether it is kept
/// for others, and what the metadata says of the cache, is as the one that came first has it.
public struct CachePolicy: Sendable, Hashable, Codable {
    package enum Kind: Sendable, Hashable, Codable {
        case use(within: TimeInterval?)
        case refresh
        case bypass
    }

    package let kind: Kind

    /// An answer that is there, and not older than ``CacheLimits/timeToLive``, is the request's: it is completed when
    /// it is submitted, and costs nothing. Else it is sent, and its answer kept for others. The default.
    public static let use = CachePolicy(kind: .use(within: nil))

    /// The same with a limit of the request's own on the answer's age.
    ///
    /// - Parameter seconds: How old the answer may be, in seconds. `submit` refuses a negative number, and one that is
    ///   none, with ``AIServiceError/Code/invalidRequest``.
    public static func use(within seconds: TimeInterval) -> CachePolicy { CachePolicy(kind: .use(within: seconds)) }

    /// A new answer is made whatever is there, and takes its place for others.
    public static let refresh = CachePolicy(kind: .refresh)

    /// A new answer is made whatever is there, and is not kept for others.
    public static let bypass = CachePolicy(kind: .bypass)

    /// Whether an answer made under this policy is kept for others.
    package var keepsAnswer: Bool { kind != .bypass }
}

extension CachePolicy {
    /// When an answer must have been received to be used now; `nil` where none is wanted.
    ///
    /// As far in the future as in the past: where several machines share a store their clocks differ a little, and an
    /// answer of a clock that was set back since must not be young for ever.
    ///
    /// - Throws: ``AIServiceError`` with code ``AIServiceError/Code/invalidRequest`` when the age is negative or no number.
    func window(at now: Date, _ limits: CacheLimits, _ retention: Retention) throws(AIServiceError) -> ClosedRange<
        Date
    >? {
        guard case .use(let own) = kind else { return nil }
        if let own, !(own >= 0) {
            throw AIServiceError(
                .invalidRequest,
                "The age of the answers that the request takes from the cache is negative. Give zero or more seconds, or another policy."
            )
        }
        let age = min(own ?? limits.timeToLive, retention.maximumAge, Self.longest)
        // Not one of this very moment where none is wanted.
        guard age > 0 else { return nil }
        return now.addingTimeInterval(-age)...now.addingTimeInterval(age)
    }

    /// A hundred years: what is longer cannot be counted from a date.
    private static let longest: TimeInterval = 100 * 366 * 86_400
}

extension CachePolicy {
    /// What the metadata of an answer that is made under this policy says.
    var note: [String: String] {
        switch kind {
        case .use: Self.missed
        case .refresh: Self.refreshed
        case .bypass: [:]
        }
    }

    // Made once: nearly every answer has one of them.
    private static let missed = [AIResponseData.cacheKey: "miss"]
    private static let refreshed = [AIResponseData.cacheKey: "refresh"]
}
