public import Foundation

/// A query that sums attempts in the ledger, the record of all attempts and their costs. The sums can be in groups. If
/// a budget refused an attempt, the attempt was never sent, and no sum includes it.
///
/// ```swift
/// let lastDay = LedgerQuery(by: .model, from: Date().addingTimeInterval(-86_400), provider: "openai", tag: "drafts")
/// ```
public struct LedgerQuery: Sendable, Hashable {
    /// The property by which attempts are grouped.
    public enum Grouping: String, Sendable, Hashable, CaseIterable {
        /// The provider.
        case provider
        /// The requested model.
        case model
        /// The tag. An attempt counts under each tag of its request, so the sums of all tags together can exceed the
        /// total.
        case tag
        /// The job.
        case job
        /// The day, in UTC, on which the attempt began.
        case day
    }

    /// The property to group by. If it is `nil`, the report has no groups, only the total.
    public var grouping: Grouping?
    /// The beginning of the period: attempts that started on this date or later are included. `nil` means no limit.
    public var from: Date?
    /// The end of the period: attempts that started before this date are included. `nil` means no limit.
    public var to: Date?
    /// The provider of the attempts. `nil` means any provider.
    public var provider: ProviderID?
    /// The job of the requests. `nil` means requests of any job and requests without a job.
    public var job: JobKey?
    /// A tag of the requests. `nil` means requests with any tags and requests without tags.
    public var tag: String?

    /// Creates a query. By default, it asks for the total of all attempts.
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
    /// The number of attempts, including failed attempts.
    public var attempts: Int
    /// The number of attempts that ended with an error or were lost with their process.
    public var failed: Int
    /// The number of attempts that were billed, including attempts whose answer was discarded.
    public var billed: Int
    /// The number of attempts that were billed and whose answer was discarded.
    public var discarded: Int
    /// The number of attempts that may have been billed.
    public var maybeBilled: Int
    /// The number of attempts that may have been billed and whose cost is unknown. Attempts that were certainly billed,
    /// but whose cost is unknown, are included. ``usage`` does not include the cost of these attempts.
    public var withoutCost: Int
    /// The total usage. Its cost is the sum of the known costs. It is `nil` if no attempt has a known cost.
    public var usage: Usage
    /// The total duration of the attempts.
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

/// A row of a report.
public struct LedgerRow: Sendable, Hashable {
    /// The value by which the row is grouped: the provider, the model, the tag, the job, or the day (`2026-11-21`).
    /// `nil` for the attempts without such a value.
    public var key: String?
    /// The sum over the attempts of the row.
    public var sum: LedgerSum

    /// Creates a row.
    public init(key: String?, sum: LedgerSum) {
        self.key = key
        self.sum = sum
    }
}

/// The result of a ``LedgerQuery``.
public struct LedgerReport: Sendable, Hashable {
    /// The rows, sorted by their keys. The row without a key is last. Empty if the query has no grouping.
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
