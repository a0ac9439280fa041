public import Foundation

/// The end of an attempt as it goes to the store, with everything that is recorded in the same commit.
public struct AttemptEnd: Sendable {
    /// What came of an attempt.
    public enum Outcome: Sendable {
        /// An answer, its content already in a content file if it is large.
        case completed(AIResponseData)
        /// A failure.
        case failed(AIServiceError)
        /// A failure after which another attempt follows, not before a date.
        case postponed(AIServiceError, until: Date)
        /// Nobody knows how it ended, and no other attempt follows without somebody's word.
        case held(AIServiceError)
        /// It was stopped because this process shuts down; the flight waits again.
        case interrupted
    }

    /// The flight.
    public var flight: FlightID
    /// Its one member.
    public var request: UUID
    /// The provider.
    public var provider: ProviderID
    /// The flight as the attempt had it, executing.
    public var lifecycle: FlightLifecycle
    /// What came of it.
    public var outcome: Outcome
    /// Whether the request streams: the chunks of its earlier generations go when it is completed, and those of this
    /// one stay readable, their bytes being the response's.
    public var isStreaming: Bool
    /// Whether the provider may have been paid.
    public var billing: BillingState
    /// When it was sent.
    public var startedAt: Date
    /// When it ended.
    public var endedAt: Date

    /// Creates an end.
    public init(
        flight: FlightID, request: UUID, provider: ProviderID, lifecycle: FlightLifecycle, outcome: Outcome,
        isStreaming: Bool = false, billing: BillingState, startedAt: Date, endedAt: Date
    ) {
        self.flight = flight
        self.request = request
        self.provider = provider
        self.lifecycle = lifecycle
        self.outcome = outcome
        self.isStreaming = isStreaming
        self.billing = billing
        self.startedAt = startedAt
        self.endedAt = endedAt
    }
}
