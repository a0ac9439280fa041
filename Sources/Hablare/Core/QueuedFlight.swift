package import Foundation

/// A flight that this process has leased, with its request. A flight is the shared work of equal requests. A queued
/// flight waits in its provider's lane (queue), or an attempt executes it.
package struct QueuedFlight: Sendable {
    /// The parts are in one heap object (`Box`), because a flight is copied often and every attempt's task holds it.
    private struct Parts: Sendable {
        let id: FlightID
        var lifecycle: FlightLifecycle
        var triedSince: Date?
        var isReserved = false
        let request: AIRequest
        let provider: ProviderID
        let origin: ProviderID
        let cost: Double
        let work: Fingerprint?
        let trace: TraceContext?
        let waitsSince: Date?
        let resumePoint: ResumePoint?
        var failure: AIServiceError?
    }

    private var parts: Box<Parts>

    package init(
        id: FlightID, lifecycle: FlightLifecycle, request: AIRequest, provider: ProviderID, origin: ProviderID? = nil,
        cost: Double = 0,
        triedSince: Date? = nil, work: Fingerprint? = nil, trace: TraceContext? = nil, waitsSince: Date? = nil,
        resumePoint: ResumePoint? = nil, failure: AIServiceError? = nil
    ) {
        parts = Box(
            Parts(
                id: id, lifecycle: lifecycle, triedSince: triedSince, request: request, provider: provider,
                origin: origin ?? provider, cost: cost, work: work, trace: trace, waitsSince: waitsSince,
                resumePoint: resumePoint, failure: failure))
    }

    func failing(with error: AIServiceError) -> QueuedFlight {
        var flight = self
        flight.parts.value.failure = error
        return flight
    }

    var reserved: QueuedFlight {
        var flight = self
        flight.parts.value.isReserved = true
        return flight
    }

    func started(as lifecycle: FlightLifecycle, at date: Date) -> QueuedFlight {
        var parts = parts.value
        parts.lifecycle = lifecycle
        parts.triedSince = parts.triedSince ?? date
        return QueuedFlight(parts)
    }

    private init(_ parts: Parts) {
        self.parts = Box(parts)
    }

    package var id: FlightID { parts.value.id }
    var key: AttemptKey { AttemptKey(flight: id, token: lifecycle.token) }
    package var lifecycle: FlightLifecycle {
        get { parts.value.lifecycle }
        set { parts.value.lifecycle = newValue }
    }
    package var triedSince: Date? { parts.value.triedSince }
    /// Whether the attempt's maximum cost is reserved in a budget.
    package var isReserved: Bool { parts.value.isReserved }
    package var request: AIRequest { parts.value.request }
    package var provider: ProviderID { parts.value.provider }
    var origin: ProviderID { parts.value.origin }
    /// The cost of the call in units of the account's rate limit.
    package var cost: Double { parts.value.cost }
    /// The fingerprint under which the cache finds the answer. `nil` if the flight was claimed from the store.
    var work: Fingerprint? { parts.value.work }
    package var trace: TraceContext? { parts.value.trace }
    /// The date since which the flight waits to be sent, if it is known.
    var waitsSince: Date? { parts.value.waitsSince }
    /// The earlier work that the attempt resumes, or `nil` if the attempt starts new work.
    package var resumePoint: ResumePoint? { parts.value.resumePoint }
    package var failure: AIServiceError? { parts.value.failure }
}
