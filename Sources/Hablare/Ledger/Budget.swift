package import Foundation

/// A limit on spending. All processes on the store that are configured with the budget share the limit.
///
/// The start of an attempt is written to the store before its call is sent. In the same transaction, the budget
/// reserves the attempt's maximum cost. If the budget has less left than the maximum cost, the call is not sent, and
/// the attempt fails with ``AIServiceError/Code/budgetExceeded``. When the attempt has ended, its actual cost replaces
/// the reserved amount. If the actual cost is unknown and the attempt may have been billed, the reserved amount counts
/// as spent.
///
/// For example, 20 dollars a month for everything, and 50 cents a day for drafts:
///
/// ```swift
/// let budgets = [
///     Budget("all", microDollars: 20_000_000),
///     Budget("drafts", microDollars: 500_000, period: .day, scope: .tag("draft"), unknownCosts: .refuse),
/// ]
/// ```
public struct Budget: Sendable, Hashable {
    /// The period of the limit. Days and months are in UTC. An attempt counts towards the period in which it began.
    public enum Period: String, Sendable, Hashable, CaseIterable {
        /// A day.
        case day
        /// A calendar month.
        case month
        /// All time: the amount spent never starts at 0 again.
        case total
    }

    /// The attempts that count towards the limit.
    public enum Scope: Sendable, Hashable {
        /// All attempts.
        case all
        /// The attempts at one provider. The provider must be registered in this process.
        case provider(ProviderID)
        /// The attempts of requests with one tag. The tag must have 1 to ``AIRequest/maximumTagLength`` bytes.
        case tag(String)
        /// The attempts of one job.
        case job(JobKey)
    }

    /// The action for a call whose maximum cost is unknown.
    public enum UnknownCosts: Sendable, Hashable {
        /// Send the call if the budget is not used up. When its cost is known after the call, the cost counts towards
        /// the budget. ``BudgetRecord/unknown`` counts the attempts whose cost stays unknown.
        case countAsZero
        /// Do not send the call.
        case refuse
    }

    /// The name under which the store records the amount spent. From 1 to 64 bytes of UTF-8, unique in a configuration.
    /// For example, `"drafts"`. If you rename a budget, its spent amount starts at 0.
    public var name: String
    /// The maximum amount to spend in a period, in millionths of a US dollar, 0 or more. For example, 5,000,000 for
    /// five dollars. With 0, only free calls are sent.
    public var limit: Int64
    /// The period of the limit. Default ``Period/month``. For example, `.day` if a server should not spend the amount
    /// of a month in a few days.
    public var period: Period
    /// The attempts that count towards the limit. Default ``Scope/all``. For example, `.provider("narrator")` or
    /// `.tag("customer-7")`.
    public var scope: Scope
    /// The action for a call whose maximum cost is unknown. Default ``UnknownCosts/countAsZero``. For example,
    /// `.refuse` if the limit must never be exceeded.
    public var unknownCosts: UnknownCosts

    /// Creates a budget.
    ///
    /// - Parameters:
    ///   - name: The name under which the store records the amount spent. From 1 to 64 bytes of UTF-8.
    ///   - limit: The limit in millionths of a US dollar: 5,000,000 is five dollars.
    ///   - period: The period of the limit.
    ///   - scope: The attempts that count towards the limit.
    ///   - unknownCosts: The action for a call whose maximum cost is unknown.
    public init(
        _ name: String, microDollars limit: Int64, period: Period = .month, scope: Scope = .all,
        unknownCosts: UnknownCosts = .countAsZero
    ) {
        self.name = name
        self.limit = limit
        self.period = period
        self.scope = scope
        self.unknownCosts = unknownCosts
    }

    static func check(_ budgets: [Budget], of registry: ProviderRegistry) throws(AIServiceError) {
        var names: Set<String> = []
        for budget in budgets {
            guard (1...64).contains(budget.name.utf8.count) else {
                throw AIServiceError(
                    .invalidConfiguration,
                    """
                    A budget's name must have between 1 and 64 bytes. Change the name.
                    """)
            }
            guard names.insert(budget.name).inserted else {
                throw AIServiceError(
                    .invalidConfiguration, "Two budgets have the name \(budget.name). Give each its own name.")
            }
            guard budget.limit >= 0 else {
                throw AIServiceError(
                    .invalidConfiguration, "The limit of budget \(budget.name) is negative. Set it to zero or more.")
            }
            try budget.scope.check(of: budget.name, in: registry)
        }
    }
}

extension Budget.Scope {
    /// Throws if no attempt of this process can match the scope. A typing error would otherwise create a budget without
    /// effect.
    fileprivate func check(of name: String, in registry: ProviderRegistry) throws(AIServiceError) {
        switch self {
        case .all: break
        case .provider(let id):
            guard registry.registration(of: id) == nil else { return }
            let known = registry.ids.map(\.rawValue).joined(separator: ", ")
            throw AIServiceError(
                .invalidConfiguration,
                """
                Budget \(name) is for provider \(id), which is not registered. Registered: \
                \(known.isEmpty ? "none" : known). Correct the name, or remove the budget if the provider is not \
                used.
                """
            )
        case .tag(let tag):
            guard !(1...AIRequest.maximumTagLength).contains(tag.utf8.count) else { return }
            throw AIServiceError(
                .invalidConfiguration,
                """
                Budget \(name) is for an invalid tag: a tag must have between 1 and \(AIRequest.maximumTagLength) \
                bytes. Use the tag of the requests.
                """
            )
        case .job(let job):
            guard !JobKey.lengths.contains(job.rawValue.utf8.count) else { return }
            throw AIServiceError(
                .invalidConfiguration,
                """
                Budget \(name) is for an invalid job: a job key must have between 1 and \(JobKey.lengths.upperBound) \
                bytes. Use the key of the job.
                """
            )
        }
    }
}

extension Budget.Period {
    package func start(containing date: Date) -> Date {
        switch self {
        case .day: UTCDay(containing: date).start
        case .month: UTCDay(containing: date).firstOfMonth.start
        case .total: UTCDay(number: 0).start
        }
    }

    /// Returns the end of the period that contains a date, or `nil` for the period ``Budget/Period/total``.
    package func end(containing date: Date) -> Date? {
        switch self {
        case .day: UTCDay(containing: date).next.start
        case .month: UTCDay(containing: date).firstOfNextMonth.start
        case .total: nil
        }
    }
}
