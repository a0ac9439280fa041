public import Foundation

/// A wish for permits to send calls, from an account's shared limit.
public struct PermitRequest: Sendable, Hashable {
    /// Whose limit.
    public var account: AccountID
    /// The limit.
    public var limit: RateLimit
    /// What each call costs in units, in the order in which they are to be sent.
    public var costs: [Double]

    /// Creates a wish.
    public init(account: AccountID, limit: RateLimit, costs: [Double]) {
        self.account = account
        self.limit = limit
        self.costs = costs
    }
}

/// What was granted of a ``PermitRequest``.
public struct PermitGrant: Sendable, Hashable {
    /// The costs of the calls that may be sent: the first ones of the wish.
    public var costs: [Double]
    /// When the next one can be granted; `nil` when all were.
    public var next: Date?
    /// Whether nothing is known that limits the account: neither a rate nor a pause. Then any number of calls may be sent
    /// for as long as permits last, until the provider says otherwise. Default `false`.
    public var isUnlimited: Bool

    /// Creates a grant.
    public init(costs: [Double], next: Date?, isUnlimited: Bool = false) {
        self.costs = costs
        self.next = next
        self.isUnlimited = isUnlimited
    }
}

/// What a process learned of an account.
public struct AccountReport: Sendable, Hashable {
    /// Whether the provider fails.
    public enum Failing: Sendable, Hashable {
        /// Nothing new.
        case unchanged
        /// It fails, and is left alone until a date.
        case until(Date)
        /// It works again.
        case over
    }

    /// Whose account.
    public var account: AccountID
    /// What the provider said of its limits.
    public var limits: ReportedLimits?
    /// Until when the provider wants no calls of the account.
    public var pausedUntil: Date?
    /// Whether a person lifts the account's pause.
    public var liftsPause: Bool
    /// Whether the provider fails.
    public var failing: Failing

    /// Creates a report.
    public init(
        account: AccountID, limits: ReportedLimits? = nil, pausedUntil: Date? = nil, liftsPause: Bool = false,
        failing: Failing = .unchanged
    ) {
        self.account = account
        self.limits = limits
        self.pausedUntil = pausedUntil
        self.liftsPause = liftsPause
        self.failing = failing
    }
}

/// An account as the store has it.
public struct AccountRecord: Sendable, Hashable {
    /// Its id.
    public var id: AccountID
    /// The providers whose calls use up its limits, as their last submissions said, in order.
    public var providers: [ProviderID]
    package var budget: AccountBudget

    package init(id: AccountID, providers: [ProviderID], budget: AccountBudget) {
        self.id = id
        self.providers = providers
        self.budget = budget
    }
}
