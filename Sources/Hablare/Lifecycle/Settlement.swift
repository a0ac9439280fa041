public import Foundation

/// The recorded end of an attempt, with its effects on the flight and on the flight's requests.
public struct Settlement: Sendable {
    /// The end as the store recorded it. Its ``AttemptEnd/outcome`` can differ from the outcome that the process asked
    /// the store to record.
    public let end: AttemptEnd
    /// The state of the flight after the end.
    public let flight: FlightLifecycle
    /// The requests that became final with this end, in the order in which they joined the flight.
    public let finished: [UUID]
    /// The next provider, if the flight moved to another provider.
    public let diversion: AttemptEnd.Diversion?

    /// Creates a settlement.
    public init(
        end: AttemptEnd, flight: FlightLifecycle, finished: [UUID], diversion: AttemptEnd.Diversion? = nil
    ) {
        self.end = end
        self.flight = flight
        self.finished = finished
        self.diversion = diversion
    }

    /// The attempt's error. `nil` if the attempt did not fail.
    public var failure: AIServiceError? { end.outcome.failure }

    /// Whether the attempt's answer is put into the cache.
    public var entersCache: Bool {
        guard case .completed = end.outcome else { return false }
        return end.entersCache && !finished.isEmpty
    }

    /// Returns the status of one of the ``finished`` requests.
    ///
    /// If the flight was held or will be attempted again, only requests whose deadline has passed are finished. They
    /// fail with the error of the attempt. A held request itself stays pending.
    public func status(of id: UUID) -> RequestStatus {
        switch end.outcome {
        case .completed(let data): .completed(data.addressed(to: id))
        case .failed(let error), .postponed(let error, _, _), .diverted(let error, _, _), .held(let error):
            .failed(error)
        case .expired: .failed(.deadlineExceeded)
        case .interrupted: .failed(.interrupted)
        }
    }
}
