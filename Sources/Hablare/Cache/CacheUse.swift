public import Foundation

/// The role of the cache in a response.
public enum CacheUse: Sendable, Hashable {
    /// The response is the answer to an earlier request. `age` is the age of the answer in whole seconds when this
    /// request was submitted. No call was sent for this request, and ``AIResponseData/usage`` is empty.
    case hit(age: Int)
    /// The cache had no answer young enough. The response was produced for this request, or for another request that
    /// shared the same call.
    case miss
    /// The response was produced because the request asked for a new answer.
    case refresh
}

extension AIResponseData {
    /// The key in ``metadata`` for the role of the cache: `hit`, `miss` or `refresh`. Absent under
    /// ``CachePolicy/bypass``.
    public static let cacheKey = "cache"
    /// The key in ``metadata`` for the age of an answer from the cache, in whole seconds.
    public static let cacheAgeKey = "cacheAge"

    /// The role of the cache as recorded in ``metadata``. `nil` under ``CachePolicy/bypass``.
    public var cacheUse: CacheUse? {
        switch metadata[Self.cacheKey] {
        case "hit": .hit(age: metadata[Self.cacheAgeKey].flatMap { Int($0) } ?? 0)
        case "miss": .miss
        case "refresh": .refresh
        default: nil
        }
    }

    /// Returns this response in the form in which a request receives it from the cache.
    ///
    /// - Parameter age: The age of the response when the request was submitted, in seconds.
    public func fromCache(age: TimeInterval) -> AIResponseData {
        var metadata = metadata
        metadata[Self.cacheKey] = "hit"
        metadata[Self.cacheAgeKey] = String(Int(max(0, min(age, 1e12))))
        return AIResponseData(
            requestID: requestID, providerID: providerID, result: result, metadata: metadata, receivedAt: receivedAt,
            usage: Usage(costMicroDollars: 0))
    }
}
