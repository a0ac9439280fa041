public import Foundation

/// How long responses are kept: the newest ones, as many as the limits allow.
///
/// Past its age a response is never served, whether or not its bytes were collected yet. Past the other limits the
/// oldest are given up when the engine tidies up, every ``EngineConfiguration/pruneInterval``, and when
/// ``AIRequestManager/prune(_:)`` is called. What is given up is the content; that there was a response, when and at
/// what cost, stays, and so does the prompt, so that the request can be regenerated.
///
/// Some responses are protected, and neither age nor count nor size touches them: those of a job, those that were
/// pinned by ``AIRequestManager/pin(_:)``, and those that wait for their merge (``AIRequest/keepUntilMerged``). They
/// do not count towards the limits either.
public struct Retention: Sendable, Hashable {
    /// How long after it arrived a response may be read, in seconds. Default 7 days.
    public var maximumAge: TimeInterval
    /// The most responses that are kept, at least 1. Default 10,000.
    public var maximumCount: Int
    /// The most bytes that the kept responses have together, in the database and in content files. The newest response
    /// is kept whatever its size. Default 1 GiB.
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
        guard maximumAge >= 0 else {  // also what is no number
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
