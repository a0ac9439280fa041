package import Foundation

/// A flight that this process holds and has not sent.
///
/// Passed from hand to hand many times, so what does not change is kept in one object: a copy retains that, and not
/// every part of the request.
package struct QueuedFlight: Sendable {
    private final class Content: Sendable {
        let request: AIRequest
        let provider: ProviderID
        let origin: ProviderID
        let cost: Double
        let work: Fingerprint?
        let trace: TraceContext?
        let waitsSince: Date?
        let failure: AIServiceError?

        init(
            request: AIRequest, provider: ProviderID, origin: ProviderID, cost: Double, work: Fingerprint?,
            trace: TraceContext?, waitsSince: Date?, failure: AIServiceError?
        ) {
            self.request = request
            self.provider = provider
            self.origin = origin
            self.cost = cost
            self.work = work
            self.trace = trace
            self.waitsSince = waitsSince
            self.failure = failure
        }
    }

    package let id: FlightID
    package var lifecycle: FlightLifecycle
    /// When the first attempt that counts was sent.
    package var triedSince: Date?
    /// Whether something was reserved for its attempt in a budget.
    package var isReserved = false
    private let content: Content

    package init(
        id: FlightID, lifecycle: FlightLifecycle, request: AIRequest, provider: ProviderID, origin: ProviderID? = nil,
        cost: Double = 0,
        triedSince: Date? = nil, work: Fingerprint? = nil, trace: TraceContext? = nil, waitsSince: Date? = nil,
        failure: AIServiceError? = nil
    ) {
        self.id = id
        self.lifecycle = lifecycle
        self.triedSince = triedSince
        content = Content(
            request: request, provider: provider, origin: origin ?? provider, cost: cost, work: work,
            trace: trace, waitsSince: waitsSince, failure: failure)
    }

    /// The flight, which cannot be sent for a reason.
    func failing(with error: AIServiceError) -> QueuedFlight {
        QueuedFlight(
            id: id, lifecycle: lifecycle, request: request, provider: provider, origin: origin, cost: cost,
            triedSince: triedSince, work: work, trace: trace, waitsSince: waitsSince, failure: error)
    }

    package var request: AIRequest { content.request }
    package var provider: ProviderID { content.provider }
    /// Whom it was submitted to.
    var origin: ProviderID { content.origin }
    /// What its call costs in units of the account's limit.
    package var cost: Double { content.cost }
    /// What its answer is found by; `nil` where it was claimed.
    var work: Fingerprint? { content.work }
    /// The trace that its request was submitted in.
    package var trace: TraceContext? { content.trace }
    /// Since when it waits to be sent, as far as that is known.
    var waitsSince: Date? { content.waitsSince }
    /// Why it cannot be sent: the attempt fails with this.
    package var failure: AIServiceError? { content.failure }
}
