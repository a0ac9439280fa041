public import Foundation

/// A query for a cached answer. The fingerprint identifies the work that the answer is for.
public struct CacheQuery: Sendable, Hashable {
    /// The fingerprint of the work to be answered.
    public var fingerprint: Fingerprint
    /// The range of dates at which the answer must have been received.
    public var window: ClosedRange<Date>

    /// Creates a query.
    public init(fingerprint: Fingerprint, window: ClosedRange<Date>) {
        self.fingerprint = fingerprint
        self.window = window
    }
}

/// An answer that was produced for another request.
public struct CachedAnswer: Sendable, Hashable {
    /// The flight that produced the answer. A flight is the shared work of equal requests.
    public var flight: FlightID
    /// The answer, as the response of the first request of the flight.
    public var response: AIResponseData

    /// Creates an answer.
    public init(flight: FlightID, response: AIResponseData) {
        self.flight = flight
        self.response = response
    }
}

/// A selection of answers in the cache.
public enum CacheSelection: Sendable, Hashable {
    /// All answers.
    case everything
    /// The answers to requests that were submitted to a provider, and the answers that this provider gave as a fallback
    /// for another provider.
    case provider(ProviderID)
    /// The part of the answers of ``provider(_:)`` that one model gave. If the model is `nil`, the selection is the
    /// answers to requests that name no model.
    case model(String?, of: ProviderID)
    /// The answers produced for requests with a tag.
    case tag(String)
    /// The answer to the work with this fingerprint.
    case fingerprint(Fingerprint)
    /// The answer of one flight, if the flight has an answer.
    case answer(FlightID)
}
