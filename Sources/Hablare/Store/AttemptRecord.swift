public import Foundation

/// An attempt as the ledger has it.
public struct AttemptRecord: Sendable, Hashable, Codable {
    /// How an attempt ended.
    public enum Outcome: Int, Sendable, Hashable, Codable, CaseIterable {
        /// With the answer.
        case completed = 0
        /// With an error.
        case failed = 1
        /// By the request's cancellation.
        case cancelled = 2
        /// By the shutdown of its process.
        case interrupted = 3
        /// Its process died; nobody knows how it ended.
        case lost = 4
        /// With an answer that came too late.
        case discarded = 5
    }

    /// Which attempt of the request, from 1.
    public var attempt: Int
    /// The fencing token it was sent under.
    public var token: Int64
    /// How it ended.
    public var outcome: Outcome
    /// Why it failed.
    public var error: AIServiceError?
    /// Whether the provider may have billed it.
    public var billing: BillingState
    /// What was used.
    public var usage: Usage
    /// The provider that it was for. Stores write down that of the flight when they first hear of the attempt.
    public var provider: ProviderID?
    /// The model that it was for. Stores write down that of the flight when they first hear of the attempt.
    public var model: String?
    /// When it was sent.
    public var startedAt: Date
    /// When it ended, or was found lost.
    public var endedAt: Date

    /// Whether it was not made, because a budget had too little left for it.
    package var wasRefusedByBudget: Bool { billing == .neverSent && error?.code == .budgetExceeded }

    /// Whether the line takes the place of an earlier one of the same attempt. A later word is a better one, but what is
    /// known to be done is not taken back by somebody who only gave up waiting for it.
    package func replaces(_ earlier: AttemptRecord) -> Bool {
        outcome == .completed || earlier.billing.rawValue < BillingState.billed.rawValue
            || billing.rawValue >= BillingState.billed.rawValue
    }

    /// The record of an attempt that is stopped because nobody waits for its outcome any more.
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
    /// Not billed: it was never sent, or the provider refused it.
    case neverSent = 0
    /// Nobody knows.
    case maybeBilled = 1
    /// It was done.
    case billed = 2
    /// It was done, and its answer came too late to be used.
    case billedDiscarded = 3
}
