public import Foundation

/// Which attempts to add up, and by what. What a budget refused was not made, and counts in no sum.
public struct LedgerQuery: Sendable, Hashable {
    /// By what attempts are added up.
    public enum Grouping: String, Sendable, Hashable, CaseIterable {
        /// By provider.
        case provider
        /// By the model that was asked for.
        case model
        /// By tag. An attempt counts under each tag of its request, so these sums add up to more than the total.
        case tag
        /// By job.
        case job
        /// By the day, in UTC, on which an attempt began.
        case day
    }

    /// By what; `nil`: all in one sum, the total.
    public var grouping: Grouping?
    /// Only attempts that began then or later.
    public var from: Date?
    /// Only attempts that began earlier.
    public var to: Date?
    /// Only attempts at this provider.
    public var provider: ProviderID?
    /// Only attempts at requests of this job.
    public var job: JobKey?
    /// Only attempts at requests with this tag.
    public var tag: String?

    /// Creates a query. Default: the total of everything.
    public init(
        by grouping: Grouping? = nil, from: Date? = nil, to: Date? = nil, provider: ProviderID? = nil,
        job: JobKey? = nil, tag: String? = nil
    ) {
        self.grouping = grouping
        self.from = from
        self.to = to
        self.provider = provider
        self.job = job
        self.tag = tag
    }
}

/// The sum over attempts.
public struct LedgerSum: Sendable, Hashable {
    /// How many attempts, failed ones included.
    public var attempts: Int
    /// How many of them failed: ended with an error, or were lost with their process.
    public var failed: Int
    /// How many were billed, discarded ones included.
    public var billed: Int
    /// How many were billed and their answer discarded.
    public var discarded: Int
    /// How many may have been billed, which nobody knows.
    public var maybeBilled: Int
    /// How many were billed, or may have been, and nobody knows what they cost: the gaps of the cost.
    public var withoutCost: Int
    /// What was used. Its cost is `nil` where no attempt's is known, and else the sum of those that are.
    public var usage: Usage
    /// How long the attempts took together.
    public var duration: Duration

    /// Creates a sum.
    public init(
        attempts: Int = 0, failed: Int = 0, billed: Int = 0, discarded: Int = 0, maybeBilled: Int = 0,
        withoutCost: Int = 0, usage: Usage = Usage(), duration: Duration = .zero
    ) {
        self.attempts = attempts
        self.failed = failed
        self.billed = billed
        self.discarded = discarded
        self.maybeBilled = maybeBilled
        self.withoutCost = withoutCost
        self.usage = usage
        self.duration = duration
    }
}

/// One line of a report.
public struct LedgerRow: Sendable, Hashable {
    /// The provider, model, tag or job, or the day as `2026-11-21`; `nil` for attempts that have none.
    public var key: String?
    /// The sum over its attempts.
    public var sum: LedgerSum

    /// Creates a row.
    public init(key: String?, sum: LedgerSum) {
        self.key = key
        self.sum = sum
    }
}

/// What a ``LedgerQuery`` comes to.
public struct LedgerReport: Sendable, Hashable {
    /// The sums in the order of their keys, that of attempts without one last. Empty without a grouping.
    public var rows: [LedgerRow]
    /// The sum over all attempts of the query, each counted once.
    public var total: LedgerSum

    /// Creates a report.
    public init(rows: [LedgerRow], total: LedgerSum) {
        self.rows = rows
        self.total = total
    }

    /// Creates a report from sums in any order.
    package init(unordered rows: [LedgerRow], total: LedgerSum) {
        self.init(
            rows: rows.sorted { one, other in
                guard let key = one.key else { return false }
                guard let otherKey = other.key else { return true }
                return key.utf8.lexicographicallyPrecedes(otherKey.utf8)
            }, total: total)
    }
}
