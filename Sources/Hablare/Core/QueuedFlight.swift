package import Foundation

/// A flight that this process has leased, with its request: queued in a lane, or being executed by an attempt.
package struct QueuedFlight: Sendable {
    /// In an object of their own: a flight passes from hand to hand, and every attempt's task holds it.
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
        let remembered: RememberedWork?
        var failure: AIServiceError?
    }

    private var parts: Boxed<Parts>

    package init(
        id: FlightID, lifecycle: FlightLifecycle, request: AIRequest, provider: ProviderID, origin: ProviderID? = nil,
        cost: Double = 0,
        triedSince: Date? = nil, work: Fingerprint? = nil, trace: TraceContext? = nil, waitsSince: Date? = nil,
        remembered: RememberedWork? = nil, failure: AIServiceError? = nil
    ) {
        parts = Boxed(
            Parts(
                id: id, lifecycle: lifecycle, triedSince: triedSince, request: request, provider: provider,
                origin: origin ?? provider, cost: cost, work: work, trace: trace, waitsSince: waitsSince,
                remembered: remembered, failure: failure))
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
        self.parts = Boxed(parts)
    }

    package var id: FlightID { parts.value.id }
    var key: AttemptKey { AttemptKey(flight: id, token: lifecycle.token) }
    package var lifecycle: FlightLifecycle {
        get { parts.value.lifecycle }
        set { parts.value.lifecycle = newValue }
    }
    package var triedSince: Date? { parts.value.triedSince }
    /// Whether something was reserved for its attempt in a budget.
    package var isReserved: Bool { parts.value.isReserved }
    package var request: AIRequest { parts.value.request }
    package var provider: ProviderID { parts.value.provider }
    var origin: ProviderID { parts.value.origin }
    /// What its call costs in units of the account's limit.
    package var cost: Double { parts.value.cost }
    /// What its answer is found by; `nil` where it was claimed.
    var work: Fingerprint? { parts.value.work }
    package var trace: TraceContext? { parts.value.trace }
    /// Since when it waits to be sent, as far as that is known.
    var waitsSince: Date? { parts.value.waitsSince }
    /// What its attempt goes on with; `nil` where it begins anew.
    package var remembered: RememberedWork? { parts.value.remembered }
    package var failure: AIServiceError? { parts.value.failure }
}
