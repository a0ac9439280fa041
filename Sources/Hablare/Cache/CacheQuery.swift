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

extension CachePolicy {
    /// When an answer must have been received to be used now; `nil` where none is wanted.
    ///
    /// As far in the future as in the past: where several machines share a store their clocks differ a little, and an
    /// answer of a clock that was set back since must not be young for ever.
    ///
    /// - Throws: ``AIServiceError`` with code ``AIServiceError/Code/invalidRequest`` when the age is negative or no number.
    func window(at now: Date, _ limits: CacheLimits, _ retention: Retention) throws(AIServiceError) -> ClosedRange<
        Date
    >? {
        guard case .use(let own) = kind else { return nil }
        if let own, !(own >= 0) {
            throw AIServiceError(
                .invalidRequest,
                "The age of the answers that the request takes from the cache is negative. Give zero or more seconds, or another policy."
            )
        }
        let age = min(own ?? limits.timeToLive, retention.maximumAge, Self.longest)
        // Not one of this very moment where none is wanted.
        guard age > 0 else { return nil }
        return now.addingTimeInterval(-age)...now.addingTimeInterval(age)
    }

    /// A hundred years: what is longer cannot be counted from a date.
    private static let longest: TimeInterval = 100 * 366 * 86_400
}
