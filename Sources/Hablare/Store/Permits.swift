public import Foundation

/// A request for permits. A permit allows one call within the rate limit that all processes share for an account.
public struct PermitRequest: Sendable, Hashable {
    /// The account.
    public var account: AccountID
    /// The limit.
    public var limit: RateLimit
    /// The cost of each call in units, in the order of sending.
    public var costs: [Double]

    /// Creates a request.
    public init(account: AccountID, limit: RateLimit, costs: [Double]) {
        self.account = account
        self.limit = limit
        self.costs = costs
    }
}

/// The permits granted for a ``PermitRequest``.
public struct PermitGrant: Sendable, Hashable {
    /// The costs of the calls that may be sent: the first calls of the request, in the same order.
    public var costs: [Double]
    /// The date on which the next call may be permitted. The value is `nil` if all calls were permitted.
    public var next: Date?
    /// Whether the account has no known limit and is not paused. If so, the process may send any number of calls until
    /// the permits expire or the provider reports a limit. Default `false`.
    public var isUnlimited: Bool

    /// Creates a grant.
    public init(costs: [Double], next: Date?, isUnlimited: Bool = false) {
        self.costs = costs
        self.next = next
        self.isUnlimited = isUnlimited
    }
}

/// New facts about an account that a process reports to the store.
public struct AccountReport: Sendable, Hashable {
    /// A change of the provider's health.
    public enum Failing: Sendable, Hashable {
        /// Nothing changed.
        case unchanged
        /// The provider fails. No call is sent to the provider before this date.
        case until(Date)
        /// The provider works again.
        case over
    }

    /// The account.
    public var account: AccountID
    /// The limits that the provider reported.
    public var limits: ReportedLimits?
    /// The date before which the provider accepts no calls for the account.
    public var pausedUntil: Date?
    /// Whether the report ends the account's pause, because a user asked for it.
    public var liftsPause: Bool
    /// The change of the provider's health.
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

/// An account in the store.
public struct AccountRecord: Sendable, Hashable {
    /// The account's id.
    public var id: AccountID
    /// The providers whose calls use this account, according to their last submissions, in order.
    public var providers: [ProviderID]
    package var budget: AccountBudget

    package init(id: AccountID, providers: [ProviderID], budget: AccountBudget) {
        self.id = id
        self.providers = providers
        self.budget = budget
    }
}
