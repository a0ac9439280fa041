public import Foundation

/// The recorded end of an attempt, with what follows from it for the flight and its members.
public struct Settlement: Sendable {
    /// The end as the store took it: ``AttemptEnd/outcome`` is the outcome that counts.
    public let end: AttemptEnd
    /// The flight afterwards.
    public let flight: FlightLifecycle
    /// The requests that became final, in the order of the flight's members.
    public let finished: [UUID]
    /// The provider that is asked next, where that is another one.
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

    /// Why the attempt failed; `nil` where it did not.
    public var failure: AIServiceError? { end.outcome.failure }

    /// Whether an answer entered the cache.
    public var entersCache: Bool {
        guard case .completed = end.outcome else { return false }
        return end.entersCache && !finished.isEmpty
    }

    /// The status of a request that became final with it.
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
