public import Foundation

/// Asks a store for an answer to some work.
public struct CacheQuery: Sendable, Hashable {
    /// The work.
    public var fingerprint: Fingerprint
    /// When the answer must have been received.
    public var window: ClosedRange<Date>

    /// Creates a question.
    public init(fingerprint: Fingerprint, window: ClosedRange<Date>) {
        self.fingerprint = fingerprint
        self.window = window
    }
}

/// An answer that was made for another request.
public struct CachedAnswer: Sendable, Hashable {
    /// The flight that made it.
    public var flight: FlightID
    /// The answer, as the response of the request that led the flight.
    public var response: AIResponseData

    /// Creates an answer.
    public init(flight: FlightID, response: AIResponseData) {
        self.flight = flight
        self.response = response
    }
}

/// Which answers of the cache are meant.
public enum CacheSelection: Sendable, Hashable {
    /// All of them.
    case everything
    /// Those to requests that were submitted to a provider, and those that it gave in another's place.
    case provider(ProviderID)
    /// The same of one model; `nil` for requests that named none.
    case model(String?, of: ProviderID)
    /// Those made for requests with a tag.
    case tag(String)
    /// The answer to this work.
    case fingerprint(Fingerprint)
    /// The answer of one flight, if it is there.
    case answer(FlightID)
}
