import Foundation
import Hablare
import HablareTestKit

extension EngineEvent {
    /// Returns the end of an attempt with an outcome, the new state of its flight, and its finished requests.
    static func ended(
        _ outcome: AttemptEnd.Outcome, _ flight: FlightLifecycle.State, finishing finished: [UUID] = [],
        to next: ProviderID? = nil
    ) -> EngineEvent {
        EngineEvent(
            Settlement(
                end: .test(outcome), flight: FlightLifecycle(state: flight, token: 1, attempt: 1, generation: 1),
                finished: finished,
                diversion: next.map { AttemptEnd.Diversion(to: FallbackTarget($0), account: "second") }))
    }
}

extension AttemptEnd {
    /// Returns the end of an attempt of request 1 by the provider `p`.
    static func test(_ outcome: Outcome) -> AttemptEnd {
        AttemptEnd(
            flight: FlightID(rawValue: 1), request: StoreWorkbench.id(1), provider: "p",
            lifecycle: FlightLifecycle(), outcome: outcome, billing: .neverSent,
            startedAt: StoreWorkbench.date(0), endedAt: StoreWorkbench.date(1))
    }
}
