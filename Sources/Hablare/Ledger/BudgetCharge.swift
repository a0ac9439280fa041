public import Foundation

/// An attempt that is about to be sent and counts against budgets, as it goes to the store.
public struct AttemptStart: Sendable, Hashable {
    /// The flight.
    public var flight: FlightID
    /// The flight's move, from leased to executing.
    public var transition: FlightTransition
    /// When.
    public var startedAt: Date
    /// What it may count against. All of these take it, or it is charged to none.
    public var charges: [BudgetCharge]

    /// Creates a start.
    public init(flight: FlightID, transition: FlightTransition, startedAt: Date, charges: [BudgetCharge]) {
        self.flight = flight
        self.transition = transition
        self.startedAt = startedAt
        self.charges = charges
    }
}

/// What an attempt counts for in one budget, while it is under way.
public struct BudgetCharge: Sendable, Hashable {
    /// The budget's name.
    public var budget: String
    /// When the period begins in which it counts.
    public var period: Date
    /// The budget's limit in micro-dollars.
    public var limit: Int64
    /// The most that the attempt can cost, in micro-dollars; `nil`: nobody knows.
    public var bound: Int64?
    /// Whether the budget takes no attempt of which nobody knows what it can cost.
    public var refusesUnknown: Bool
    /// Counts only if the flight belongs to this job. `nil`: in any case.
    public var job: JobKey?

    /// Creates a charge.
    public init(
        budget: String, period: Date, limit: Int64, bound: Int64?, refusesUnknown: Bool = false, job: JobKey? = nil
    ) {
        self.budget = budget
        self.period = period
        self.limit = limit
        self.bound = bound
        self.refusesUnknown = refusesUnknown
        self.job = job
    }
}

/// Why an attempt is not to be sent.
public struct BudgetRefusal: Sendable, Hashable {
    /// The budget that it does not fit into.
    public var budget: String
    /// What is left of the budget, in micro-dollars.
    public var left: Int64

    /// Creates a refusal.
    public init(budget: String, left: Int64) {
        self.budget = budget
        self.left = left
    }
}

/// What is spent of a budget in one period, as the store has it.
public struct BudgetRecord: Sendable, Hashable {
    /// The budget's name.
    public var budget: String
    /// When the period begins; the first of January 1970 for a budget of all time.
    public var period: Date
    /// What is spent, or reserved by attempts under way, in micro-dollars.
    public var spent: Int64
    /// How many attempts count for nothing because nobody knows what they cost.
    public var unknown: Int

    /// Creates a record.
    public init(budget: String, period: Date, spent: Int64, unknown: Int) {
        self.budget = budget
        self.period = period
        self.spent = spent
        self.unknown = unknown
    }
}
