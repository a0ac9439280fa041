public import Foundation

/// The limits on how many responses are kept, and for how long. The newest responses are kept, as many as the limits
/// allow.
///
/// A response that is older than ``maximumAge`` is never served, even if its content has not been evicted yet. The
/// oldest responses that exceed the other limits are evicted every ``EngineConfiguration/pruneInterval`` by the engine,
/// and by ``AIRequestManager/prune(_:)``. Eviction removes the content. The record of the response, its date and its
/// cost stay, and so does the prompt, so the request can be regenerated.
///
/// Protected responses are not subject to age, count or size, and do not count towards the limits. These are the
/// responses of a job, those pinned by ``AIRequestManager/pin(_:)``, and those that await their merge
/// (``AIRequest/keepUntilMerged``).
///
/// For example, 30 days of a server's responses, up to 10 GiB:
///
/// ```swift
/// let retention = Retention(maximumAge: 30 * 86_400, maximumCount: 50_000, maximumBytes: 10 << 30)
/// ```
public struct Retention: Sendable, Hashable {
    /// The time after its arrival for which a response may be read, in seconds, 0 or more. Default 7 days. For example,
    /// 3,600 for an app that copies each response into its own data at once.
    public var maximumAge: TimeInterval
    /// The maximum number of kept responses, at least 1. Default 10,000. For example, 50,000 on a server.
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
            throw AIServiceError(.invalidConfiguration, "`retention.maximumAge` is negative. Give it zero or more.")
        }
        guard maximumCount >= 1 else {
            throw AIServiceError(.invalidConfiguration, "`retention.maximumCount` is less than 1. Give it 1 or more.")
        }
        guard maximumBytes >= 0 else {
            throw AIServiceError(.invalidConfiguration, "`retention.maximumBytes` is negative. Give it zero or more.")
        }
    }
}
