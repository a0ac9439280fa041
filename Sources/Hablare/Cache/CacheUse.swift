public import Foundation

/// What the cache had to do with a response.
public enum CacheUse: Sendable, Hashable {
    /// It is the answer to another request, so many whole seconds old when this one was submitted. Nothing was sent, and
    /// ``AIResponseData/usage`` says that nothing was used.
    case hit(age: Int)
    /// It was made for this request, or one that it shared a call with: nothing in the cache was young enough.
    case miss
    /// It was made because the request asked for a new one.
    case refresh
}

extension AIResponseData {
    /// The key in ``metadata`` that says what the cache had to do with it: `hit`, `miss` or `refresh`; absent under
    /// ``CachePolicy/bypass``.
    public static let cacheKey = "cache"
    /// The key in ``metadata`` that says how old an answer from the cache was, in whole seconds.
    public static let cacheAgeKey = "cacheAge"

    /// What the cache had to do with it, as ``metadata`` says; `nil` under ``CachePolicy/bypass``.
    public var cacheUse: CacheUse? {
        switch metadata[Self.cacheKey] {
        case "hit": .hit(age: metadata[Self.cacheAgeKey].flatMap { Int($0) } ?? 0)
        case "miss": .miss
        case "refresh": .refresh
        default: nil
        }
    }

    /// The response of a request that found it in the cache.
    ///
    /// - Parameter age: How old it was then, in seconds.
    public func fromCache(age: TimeInterval) -> AIResponseData {
        var metadata = metadata
        metadata[Self.cacheKey] = "hit"
        metadata[Self.cacheAgeKey] = String(Int(max(0, min(age, 1e12))))
        return AIResponseData(
            requestID: requestID, providerID: providerID, result: result, metadata: metadata, receivedAt: receivedAt,
            usage: Usage(costMicroDollars: 0))
    }
}
