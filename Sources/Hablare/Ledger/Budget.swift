package import Foundation

/// What may be spent at most: kept by all processes of a store together that are configured with the budget.
///
/// Before an attempt is sent, the most that it can cost is reserved in the store, in the transaction that journals the
/// attempt; a call that does not fit is not sent, and fails as ``AIServiceError/Code/budgetExceeded``. When the attempt
/// has ended, what it cost takes the reservation's place. Where that is not known although it was billed, or may have
/// been, the reservation stays spent.
public struct Budget: Sendable, Hashable {
    /// For which time the limit is. Days and months are those of UTC, and an attempt counts where it began.
    public enum Period: String, Sendable, Hashable, CaseIterable {
        /// A day.
        case day
        /// A month of the calendar.
        case month
        /// All time.
        case total
    }

    /// Which attempts count.
    public enum Scope: Sendable, Hashable {
        /// All of them.
        case all
        /// Those of one provider.
        case provider(ProviderID)
        /// Those of requests with a tag.
        case tag(String)
        /// Those of one job.
        case job(JobKey)
    }

    /// What to do with a call of which nobody can say what it costs at most.
    public enum UnknownCosts: Sendable, Hashable {
        /// Send it while anything of the budget is left. It counts from when its cost is known; the budget says how many
        /// attempts of unknown cost it has.
        case countAsZero
        /// Do not send it.
        case refuse
    }

    /// Its name, by which the store knows what was spent. Between 1 and 64 bytes.
    public var name: String
    /// The most that may be spent in a period, in millionths of a US dollar; 0 or more.
    public var limit: Int64
    /// For which time the limit is. Default ``Period/month``.
    public var period: Period
    /// Which attempts count. Default ``Scope/all``.
    public var scope: Scope
    /// What to do with a call of unknown cost. Default ``UnknownCosts/countAsZero``.
    public var unknownCosts: UnknownCosts

    /// Creates a budget.
    ///
    /// - Parameters:
    ///   - name: Its name, by which the store knows what was spent. Between 1 and 64 bytes.
    ///   - limit: The limit in millionths of a US dollar: 5,000,000 is five dollars.
    ///   - period: For which time the limit is.
    ///   - scope: Which attempts count.
    ///   - unknownCosts: What to do with a call of unknown cost.
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

    /// Refuses what cannot work.
    static func check(_ budgets: [Budget]) throws(AIServiceError) {
        var names: Set<String> = []
        for budget in budgets {
            guard (1...64).contains(budget.name.utf8.count) else {
                throw AIServiceError(.invalidConfiguration, "A budget's name has between 1 and 64 bytes. Name it anew.")
            }
            guard names.insert(budget.name).inserted else {
                throw AIServiceError(
                    .invalidConfiguration, "Two budgets are called \(budget.name). Give each a name of its own.")
            }
            guard budget.limit >= 0 else {
                throw AIServiceError(
                    .invalidConfiguration, "The limit of budget \(budget.name) is negative. Give it zero or more.")
            }
        }
    }
}

extension Budget.Period {
    /// When the period that a date lies in begins; the first of January 1970 for all time.
    package func start(containing date: Date) -> Date {
        switch self {
        case .day: UTCDay(containing: date).start
        case .month: UTCDay(containing: date).firstOfMonth.start
        case .total: UTCDay(number: 0).start
        }
    }

    /// When the period that a date lies in ends; `nil` for all time.
    package func end(containing date: Date) -> Date? {
        switch self {
        case .day: UTCDay(containing: date).next.start
        case .month: UTCDay(containing: date).firstOfNextMonth.start
        case .total: nil
        }
    }
}
