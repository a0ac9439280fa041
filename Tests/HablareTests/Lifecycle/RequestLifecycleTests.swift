import Foundation
import Testing

@testable import Hablare

@Suite struct RequestLifecycleTests {
    private func after(
        _ state: RequestLifecycle.State, _ event: (inout RequestLifecycle) -> RequestLifecycle.Verdict
    ) -> RequestLifecycle.State? {
        var request = RequestLifecycle(state: state)
        switch event(&request) {
        case .done: return request.state
        case .refused(let refused):
            #expect(refused == state && request.state == state, "a refusal says the state and leaves it")
            return nil
        }
    }

    @Test("A flight's end settles only a live request", arguments: RequestLifecycle.State.allCases)
    func settled(state: RequestLifecycle.State) {
        let live = state == .live
        let settlements: [(FlightLifecycle.Outcome, RequestLifecycle.State)] = [
            (.completed, .completed), (.failed, .failed), (.cancelled, .cancelled),
        ]
        for (settlement, expected) in settlements {
            let after = after(state) { $0.flightSettled(settlement) }
            #expect(after == (live ? expected : nil))
        }
    }

    @Test("Only a live request can be cancelled", arguments: RequestLifecycle.State.allCases)
    func cancelled(state: RequestLifecycle.State) {
        let after = after(state) { $0.cancelRequested() }
        #expect(after == (state == .live ? .cancelled : nil))
    }

    @Test(
        "A failed or cancelled request can be retried, and a live one only if it is held or backs off",
        arguments: RequestLifecycle.State.allCases)
    func retried(state: RequestLifecycle.State) {
        let owner = OwnerID(rawValue: 1)
        let flights: [(FlightLifecycle.State, Bool)] = [
            (.waiting, false), (.leased(owner), false), (.executing(owner), false),
            (.backingOff(until: .distantFuture), true), (.held, true), (.settled(.failed), false),
            (.settled(.cancelled), false), (.settled(.completed), false),
        ]
        for (flight, helpsLive) in flights {
            let after = after(state) {
                $0.retryRequested(FlightLifecycle(state: flight, token: 1, attempt: 1, generation: 1))
            }
            let isAllowed =
                switch state {
                case .live: helpsLive
                case .failed, .cancelled: true
                case .completed: false
                }
            #expect(after == (isAllowed ? .live : nil), "\(flight)")
        }
    }

    @Test("A live request has its flight's phase, and a final request its own")
    func phases() {
        let waiting = FlightLifecycle()
        let executing = FlightLifecycle(
            state: .executing(OwnerID(rawValue: 1)), token: 1, attempt: 1, generation: 1)
        let states = RequestLifecycle.State.allCases
        for state in [FlightLifecycle.State.held, .backingOff(until: .distantPast)] {
            let flight = FlightLifecycle(state: state, token: 1, attempt: 1, generation: 1)
            #expect(states.map { RequestPhase($0, flight) } == [.pending, .completed, .failed, .cancelled])
        }
        #expect(states.map { RequestPhase($0, waiting) } == [.pending, .completed, .failed, .cancelled])
        #expect(states.map { RequestPhase($0, executing) } == [.executing, .completed, .failed, .cancelled])
    }

    @Test("The stored numbers of the states never change")
    func codes() {
        #expect(RequestLifecycle.State.allCases.map(\.rawValue) == [0, 1, 2, 3])
        #expect(AttemptRecord.Outcome.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5])
        #expect(BillingState.allCases.map(\.rawValue) == [0, 1, 2, 3])
        #expect(Priority.allCases.map(\.rawValue) == [0, 1, 2])
        #expect(UnknownOutcomePolicy.allCases.map(\.rawValue) == [0, 1])
    }
}
