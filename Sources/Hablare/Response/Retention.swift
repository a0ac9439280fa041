public import Foundation

/// How long responses are kept. Checked whenever a response is read, so an expired one is never served, whether or
/// not its bytes were collected yet.
public struct Retention: Sendable, Hashable {
    /// How long after it arrived a response may be read, in seconds. Default 7 days. Responses of a job are pinned:
    /// they stay until the job is removed.
    public var maximumAge: TimeInterval

    /// Creates a policy.
    public init(maximumAge: TimeInterval = 7 * 24 * 3600) {
        self.maximumAge = maximumAge
    }

    /// Whether a response may still be read.
    package func keeps(receivedAt: Date, isPinned: Bool, now: Date) -> Bool {
        isPinned || now < receivedAt.addingTimeInterval(maximumAge)
    }
}
