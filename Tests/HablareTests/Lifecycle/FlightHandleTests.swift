import Foundation
import HablareTestKit
import Testing

@testable import Hablare

/// The resume handle of a flight, event by event.
@Suite struct FlightHandleTests {
    private static let me = OwnerID(rawValue: 1)

    private static func flight(
        _ state: FlightLifecycle.State = .executing(me), losses: Int = 0, hasHandle: Bool = true
    ) -> FlightLifecycle {
        FlightLifecycle(
            state: state, token: 5, attempt: 3, generation: 2, uncounted: 1, losses: losses, hasHandle: hasHandle)
    }

    @Test("Only the running attempt sets or removes the resume handle, under its own token")
    func underWay() {
        let refusals: [(FlightLifecycle.State, FlightLifecycle.Refusal)] = [
            (.waiting, .staleToken), (.backingOff(until: .distantFuture), .staleToken), (.held, .staleToken),
            (.leased(Self.me), .staleToken), (.settled(.completed), .settled(.completed)),
            (.settled(.failed), .settled(.failed)), (.settled(.cancelled), .settled(.cancelled)),
        ]
        for (state, refusal) in refusals {
            #expect(throws: refusal) {
                var flight = Self.flight(state)
                try flight.handleStored(token: 5)
            }
            #expect(throws: refusal) {
                var flight = Self.flight(state)
                try flight.handleForgotten(token: 5)
            }
        }
        for token in [Int64(4), 6] {
            #expect(throws: FlightLifecycle.Refusal.staleToken) {
                var flight = Self.flight(hasHandle: false)
                try flight.handleStored(token: token)
            }
        }
    }

    @Test("An attempt that finds a resume handle stays in the same generation")
    func generation() throws {
        for hasHandle in [false, true] {
            var flight = Self.flight(.leased(Self.me), hasHandle: hasHandle)
            try flight.attemptStarted(token: 5)
            #expect(flight.attempt == 4 && flight.generation == (hasHandle ? 2 : 3))
        }
    }

    @Test("A resume handle stays until the flight is settled, changes provider, or removes it")
    func stays() throws {
        var kept: [FlightLifecycle] = []
        var flight = Self.flight()
        try flight.attemptPostponed(token: 5, until: .distantFuture)
        kept.append(flight)
        try flight.backoffEnded()
        kept.append(flight)
        flight = Self.flight()
        try flight.attemptHeld(token: 5)
        kept.append(flight)
        try flight.reopened()
        kept.append(flight)
        try flight.leased(by: Self.me)
        kept.append(flight)
        try flight.setAside(token: 6, until: .distantFuture)
        kept.append(flight)
        flight = Self.flight()
        try flight.released(token: 5, mayBeBilled: true)
        kept.append(flight)
        flight = Self.flight()
        flight.leaseBroken(.hold, mayRestart: false)
        kept.append(flight)
        #expect(kept.map(\.hasHandle) == kept.map { _ in true })
        var lost: [FlightLifecycle] = []
        for settlement in [FlightLifecycle.Outcome.completed, .failed] {
            flight = Self.flight()
            try flight.attemptEnded(token: 5, attempt: 3, as: settlement)
            lost.append(flight)
        }
        flight = Self.flight(.waiting)
        try flight.attemptEnded(token: 4, attempt: 3, as: .completed)
        lost.append(flight)
        for state in [FlightLifecycle.State.executing(Self.me), .waiting] {
            flight = Self.flight(state)
            flight.lastMemberLeft()
            lost.append(flight)
        }
        flight = Self.flight()
        try flight.attemptDiverted(token: 5)
        lost.append(flight)
        flight = Self.flight()
        try flight.handleForgotten(token: 5)
        lost.append(flight)
        #expect(lost.map(\.hasHandle) == lost.map { _ in false })
    }

    @Test("An attempt's work is wanted while the attempt runs or a resume handle refers to it")
    func isWanted() {
        let settled: [FlightLifecycle.State] = [.settled(.completed), .settled(.failed), .settled(.cancelled)]
        let open: [FlightLifecycle.State] = [
            .waiting, .backingOff(until: .distantFuture), .held, .leased(Self.me), .executing(Self.me),
        ]
        for hasHandle in [false, true] {
            for state in settled {
                #expect(!Self.flight(state, hasHandle: hasHandle).isWanted(workOf: 5, in: 2), "\(state)")
            }
            #expect(Self.flight(hasHandle: hasHandle).isWanted(workOf: 5, in: 2), "its own")
            for state in open {
                let flight = Self.flight(state, hasHandle: hasHandle)
                #expect(flight.isWanted(workOf: 4, in: 2) == hasHandle, "\(state): of an earlier attempt at it")
                #expect(!flight.isWanted(workOf: 4, in: 1), "\(state): of other work")
                if !flight.isExecuting { #expect(flight.isWanted(workOf: 5, in: 2) == hasHandle, "\(state)") }
            }
        }
    }

    @Test("A newer attempt accounts for the work that it resumes or that its successor can resume")
    func isAccounted() {
        let mine = Self.flight(hasHandle: false)
        func newer(
            _ state: FlightLifecycle.State, attempt: Int = 4, generation: Int = 2, hasHandle: Bool = true
        ) -> FlightLifecycle {
            FlightLifecycle(state: state, token: 6, attempt: attempt, generation: generation, hasHandle: hasHandle)
        }
        #expect(newer(.executing(Self.me), hasHandle: false).isAccounted(workOf: mine), "it may answer all the same")
        for state in [FlightLifecycle.State.waiting, .leased(Self.me), .held] {
            #expect(newer(state).isAccounted(workOf: mine))
            #expect(!newer(state, hasHandle: false).isAccounted(workOf: mine), "it was found to be gone")
            #expect(!newer(state, generation: 3).isAccounted(workOf: mine), "other work")
            #expect(newer(state, attempt: 3).isAccounted(workOf: mine), "the next attempt goes on with it")
            #expect(!newer(state, attempt: 3, hasHandle: false).isAccounted(workOf: mine), "no newer attempt")
        }
        for settlement in FlightLifecycle.Outcome.allCases {
            #expect(newer(.settled(settlement), hasHandle: false).isAccounted(workOf: mine))
            #expect(!newer(.settled(settlement), generation: 3, hasHandle: false).isAccounted(workOf: mine))
            #expect(!newer(.settled(settlement), attempt: 3, hasHandle: false).isAccounted(workOf: mine))
        }
    }

    @Test("A broken lease returns a flight with a resume handle to waiting, and ten losses hold it")
    func broken() {
        for policy in UnknownOutcomePolicy.allCases {
            for mayRestart in [false, true] {
                for losses in [0, 8, 9, 10] {
                    var flight = Self.flight(losses: losses)
                    #expect(flight.leaseBroken(policy, mayRestart: mayRestart) == 3)
                    #expect(flight.state == (losses >= 9 ? .held : .waiting))
                }
            }
        }
    }
}
