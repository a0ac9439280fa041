public import Foundation

/// An attempt in the ledger, the record of all attempts and their costs.
public struct AttemptRecord: Sendable, Hashable, Codable {
    /// The way in which an attempt ended.
    public enum Outcome: Int, Sendable, Hashable, Codable, CaseIterable {
        /// The provider answered.
        case completed = 0
        /// The attempt failed.
        case failed = 1
        /// The attempt was stopped because its requests were cancelled.
        case cancelled = 2
        /// The attempt was stopped because the process shut down.
        case interrupted = 3
        /// The process died during the attempt, so its outcome is unknown.
        case lost = 4
        /// The answer came too late to be used.
        case discarded = 5
    }

    /// The attempt's number, from 1.
    public var attempt: Int
    /// The fencing token of the attempt: the number of the lease under which it was sent.
    public var token: Int64
    /// The way in which the attempt ended.
    public var outcome: Outcome
    /// The error of a failed attempt.
    public var error: AIServiceError?
    /// Whether the provider may have billed the attempt.
    public var billing: BillingState
    /// The usage of the attempt.
    public var usage: Usage
    /// The provider of the attempt. When a store first records the attempt, it fills in the provider of the flight.
    public var provider: ProviderID?
    /// The model of the attempt. When a store first records the attempt, it fills in the model of the flight.
    public var model: String?
    /// The date at which the attempt was sent.
    public var startedAt: Date
    /// The date at which the attempt ended or was found to be lost.
    public var endedAt: Date

    /// Whether the attempt was not sent because a budget did not have enough left.
    package var wasRefusedByBudget: Bool { billing == .neverSent && error?.code == .budgetExceeded }

    /// Returns whether this record replaces the earlier record of the same attempt.
    ///
    /// Usually the later record is more accurate and replaces the earlier one. However, a billed attempt stays billed
    /// if the later record only says that a process stopped waiting for it.
    package func replaces(_ earlier: AttemptRecord) -> Bool {
        outcome == .completed || earlier.billing.rawValue < BillingState.billed.rawValue
            || billing.rawValue >= BillingState.billed.rawValue
    }

    /// Creates the record of an attempt that is stopped because no request waits for its answer any more.
    public init(
        stopped attempt: Int, token: Int64, as settlement: FlightLifecycle.Outcome, startedAt: Date, endedAt: Date
    ) {
        self.init(
            attempt: attempt, token: token, outcome: settlement == .failed ? .failed : .cancelled,
            error: settlement == .failed ? .deadlineExceeded : nil, billing: .maybeBilled, startedAt: startedAt,
            endedAt: endedAt)
    }

    /// Creates a record.
    public init(
        attempt: Int, token: Int64, outcome: Outcome, error: AIServiceError? = nil, billing: BillingState,
        usage: Usage = Usage(), provider: ProviderID? = nil, model: String? = nil, startedAt: Date, endedAt: Date
    ) {
        self.attempt = attempt
        self.token = token
        self.outcome = outcome
        self.error = error
        self.billing = billing
        self.usage = usage
        self.provider = provider
        self.model = model
        self.startedAt = startedAt
        self.endedAt = endedAt
    }
}

/// Whether a provider may have billed an attempt.
public enum BillingState: Int, Sendable, Hashable, CaseIterable, Codable {
    /// The attempt was not billed: it was never sent, or the provider refused it.
    case neverSent = 0
    /// It is unknown whether the provider billed the attempt.
    case maybeBilled = 1
    /// The attempt was billed: the provider did the work.
    case billed = 2
    /// The attempt was billed, but the answer came too late to be used.
    case billedDiscarded = 3
}
