public import Foundation

/// The plan of an ElevenLabs account, and how much of the plan is used.
public struct ElevenLabsSubscription: Sendable, Hashable {
    /// The plan's name, such as `free` or `creator`.
    public let plan: String
    /// The number of credits used in the current period.
    public let usedCredits: Int64
    /// The number of credits that the plan includes per period.
    public let includedCredits: Int64
    /// The start of the next period; `nil` if the service does not report it.
    public let resetsAt: Date?
    /// Whether the account may use more credits than the plan includes, at extra cost.
    public let mayExceed: Bool

    /// The number of included credits that remain in the current period.
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
