public import Foundation

/// The start of an attempt that counts towards budgets, as it is written to the store.
public struct AttemptStart: Sendable, Hashable {
    /// The flight of the attempt.
    public var flight: FlightID
    /// The transition of the flight (the shared work of equal requests) from leased to executing.
    public var transition: FlightTransition
    /// The date of the start.
    public var startedAt: Date
    /// The charges to budgets. If one budget refuses the attempt, the attempt is not sent, and no budget is charged.
    public var charges: [BudgetCharge]

    /// Creates a start.
    public init(flight: FlightID, transition: FlightTransition, startedAt: Date, charges: [BudgetCharge]) {
        self.flight = flight
        self.transition = transition
        self.startedAt = startedAt
        self.charges = charges
    }
}

/// The charge of one attempt in flight to one budget.
public struct BudgetCharge: Sendable, Hashable {
    /// The name of the budget.
    public var budget: String
    /// The first moment of the budget's period towards which the attempt counts.
    public var period: Date
    /// The limit of the budget in micro-dollars.
    public var limit: Int64
    /// The maximum cost of the attempt in micro-dollars, or `nil` if it is unknown.
    public var bound: Int64?
    /// Whether the budget refuses attempts of unknown maximum cost.
    public var refusesUnknown: Bool
    /// The job whose attempts are charged, or `nil` if the attempts of all jobs are charged. If the flight does not
    /// belong to this job, the attempt is not charged.
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

/// The budget that does not allow an attempt to be sent.
public struct BudgetRefusal: Sendable, Hashable {
    /// The name of the budget that does not have enough left for the attempt.
    public var budget: String
    /// The amount left of the budget in micro-dollars.
    public var left: Int64

    /// Creates a refusal.
    public init(budget: String, left: Int64) {
        self.budget = budget
        self.left = left
    }
}

/// The amount spent of a budget in one period, as recorded in the store.
public struct BudgetRecord: Sendable, Hashable {
    /// The name of the budget.
    public var budget: String
    /// The first moment of the period. For ``Budget/Period/total`` it is 1 January 1970.
    public var period: Date
    /// The amount that was spent or is reserved by attempts in flight, in micro-dollars.
    public var spent: Int64
    /// The number of attempts that count as 0 because their cost is unknown.
    public var unknown: Int

    /// Creates a record.
    public init(budget: String, period: Date, spent: Int64, unknown: Int) {
        self.budget = budget
        self.period = period
        self.spent = spent
        self.unknown = unknown
    }
}
