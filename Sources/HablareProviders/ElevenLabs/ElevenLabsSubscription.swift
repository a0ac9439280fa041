public import Foundation

/// What an account at ElevenLabs has.
public struct ElevenLabsSubscription: Sendable, Hashable {
    /// The plan: `free`, `creator` …
    public let plan: String
    /// How many credits were used in this period.
    public let usedCredits: Int64
    /// How many the plan gives in a period.
    public let includedCredits: Int64
    /// When the next period begins; `nil` where that is not said.
    public let resetsAt: Date?
    /// Whether more than the plan gives may be used, and paid for.
    public let mayExceed: Bool

    /// How many credits are left in this period, without those that would be paid for.
    public var creditsLeft: Int64 { max(0, includedCredits - usedCredits) }

    /// Creates a subscription.
    public init(
        plan: String, usedCredits: Int64, includedCredits: Int64, resetsAt: Date? = nil, mayExceed: Bool = false
    ) {
        self.plan = plan
        self.usedCredits = max(0, usedCredits)
        self.includedCredits = max(0, includedCredits)
        self.resetsAt = resetsAt
        self.mayExceed = mayExceed
    }
}
