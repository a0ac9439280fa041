public import Foundation

/// The limits on the number, size and age of the kept responses. The store keeps the newest responses up to these
/// limits.
///
/// A response that is older than ``maximumAge`` is never returned, even if its content has not been evicted yet. If
/// ``maximumCount`` or ``maximumBytes`` is exceeded, the oldest responses are evicted. The engine evicts responses
/// every ``EngineConfiguration/pruneInterval``. To evict them at once, call ``AIRequestManager/prune(_:)``. Eviction
/// removes only the content. The record of the response, its date, its cost and the prompt stay. You can therefore
/// submit the request again with ``AIRequestManager/regenerate(_:)``.
///
/// Protected responses are kept regardless of the limits, and do not count towards the limits. These responses are
/// protected:
///
/// - the responses of a job, which is a list of requests with a key (``JobKey``)
/// - the responses that are pinned by ``AIRequestManager/pin(_:)``
/// - the responses that await their merge (``AIRequest/keepUntilMerged``)
///
/// For example, 30 days of a server's responses, up to 10 GiB:
///
/// ```swift
/// let retention = Retention(maximumAge: 30 * 86_400, maximumCount: 50_000, maximumBytes: 10 << 30)
/// ```
public struct Retention: Sendable, Hashable {
    /// The maximum age of a response, in seconds since its arrival. Older responses cannot be read. 0 or more. Default
    /// 7 days. For example, 3,600 for an app that copies each response into its own data at once.
    public var maximumAge: TimeInterval
    /// The maximum number of kept responses, at least 1. Unusable answers that the store keeps (``KeptAnswer``) also
    /// count. Default 10,000. For example, 50,000 on a server.
    public var maximumCount: Int
    /// The maximum total size of the kept responses in bytes, in the database and in content files, 0 or more. The
    /// newest response is kept regardless of its size. Default 1 GiB. For example, `100 << 20` (100 MiB) on a phone.
    public var maximumBytes: Int64

    /// Creates a policy.
    public init(
        maximumAge: TimeInterval = 7 * 24 * 3600, maximumCount: Int = 10_000, maximumBytes: Int64 = 1 << 30
    ) {
        self.maximumAge = maximumAge
        self.maximumCount = maximumCount
        self.maximumBytes = maximumBytes
    }

    package func keeps(receivedAt: Date, isProtected: Bool, now: Date) -> Bool {
        isProtected || now < receivedAt.addingTimeInterval(maximumAge)
    }

    func check() throws(AIServiceError) {
        guard maximumAge >= 0 else {  // also refuses an age that is not a number
            throw AIServiceError(.invalidConfiguration, "`retention.maximumAge` is negative. Set it to zero or more.")
        }
        guard maximumCount >= 1 else {
            throw AIServiceError(.invalidConfiguration, "`retention.maximumCount` is less than 1. Set it to 1 or more.")
        }
        guard maximumBytes >= 0 else {
            throw AIServiceError(.invalidConfiguration, "`retention.maximumBytes` is negative. Set it to zero or more.")
        }
    }
}
