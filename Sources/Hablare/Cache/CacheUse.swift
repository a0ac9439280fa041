public import Foundation

/// The part that the cache had in a response.
public enum CacheUse: Sendable, Hashable {
    /// The response is the answer to an earlier request. `age` is the age of the answer in whole seconds when this
    /// request was submitted. No call was sent for this request, and ``AIResponseData/usage`` is empty.
    case hit(age: Int)
    /// The cache had no answer that was young enough. The response was produced for this request, or for another
    /// request that shared the same call.
    case miss
    /// The cache was not searched, because the request's policy is ``CachePolicy/refresh``.
    case refresh
}

extension AIResponseData {
    /// The key in ``metadata`` whose value is `hit`, `miss` or `refresh` (see ``CacheUse``). Absent under
    /// ``CachePolicy/bypass``.
    public static let cacheKey = "cache"
    /// The key in ``metadata`` whose value is the age of an answer from the cache, in whole seconds.
    public static let cacheAgeKey = "cacheAge"

    /// The part that the cache had in this response, read from ``metadata``. `nil` under ``CachePolicy/bypass``.
    public var cacheUse: CacheUse? {
        switch metadata[Self.cacheKey] {
        case "hit": .hit(age: metadata[Self.cacheAgeKey].flatMap { Int($0) } ?? 0)
        case "miss": .miss
        case "refresh": .refresh
        default: nil
        }
    }

    /// Returns this response in the form in which a request receives it from the cache: with the metadata of a cache
    /// hit, and without usage.
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
