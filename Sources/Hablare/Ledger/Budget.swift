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
        /// Those of one provider, which must be registered in this process.
        case provider(ProviderID)
        /// Those of requests with a tag, of 1 to ``AIRequest/maximumTagLength`` bytes.
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

    static func check(_ budgets: [Budget], of registry: ProviderRegistry) throws(AIServiceError) {
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
            try budget.scope.check(of: budget.name, in: registry)
        }
    }
}

extension Budget.Scope {
    /// Refuses a scope that no attempt of this process can be in: a slip of the pen would be a budget without effect.
    fileprivate func check(of name: String, in registry: ProviderRegistry) throws(AIServiceError) {
        switch self {
        case .all: break
        case .provider(let id):
            guard registry.registration(of: id) == nil else { return }
            let known = registry.ids.map(\.rawValue).joined(separator: ", ")
            throw AIServiceError(
                .invalidConfiguration,
                "Budget \(name) is for provider \(id), which is not registered. Registered: \(known.isEmpty ? "none" : known). Correct the name, or leave the budget out where the provider is not used."
            )
        case .tag(let tag):
            guard !(1...AIRequest.maximumTagLength).contains(tag.utf8.count) else { return }
            throw AIServiceError(
                .invalidConfiguration,
                "Budget \(name) is for a tag that no request can have: a tag has between 1 and \(AIRequest.maximumTagLength) bytes. Use the tag of the requests."
            )
        case .job(let job):
            guard !JobKey.lengths.contains(job.rawValue.utf8.count) else { return }
            throw AIServiceError(
                .invalidConfiguration,
                "Budget \(name) is for a job that cannot exist: a job key has between 1 and \(JobKey.lengths.upperBound) bytes. Use the key of the job."
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

    /// When the period that a date lies in ends; `nil` for all time.
    package func end(containing date: Date) -> Date? {
        switch self {
        case .day: UTCDay(containing: date).next.start
        case .month: UTCDay(containing: date).firstOfNextMonth.start
        case .total: nil
        }
    }
}
