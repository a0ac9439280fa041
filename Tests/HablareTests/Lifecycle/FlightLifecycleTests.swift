import Foundation
import HablareTestKit
import Testing

@testable import Hablare

/// A table of every event in every state. ``FlightHistoryTests`` checks what holds over any history.
@Suite struct FlightLifecycleTests {
    private static let me = OwnerID(rawValue: 1)
    private static let other = OwnerID(rawValue: 2)
    private static let soon = Date(timeIntervalSince1970: 60)
    private static let later = Date(timeIntervalSince1970: 90)
    private static let settled: [FlightLifecycle.State] = [
        .settled(.completed), .settled(.failed), .settled(.cancelled),
    ]
    private static let states: [FlightLifecycle.State] =
        [.waiting, .backingOff(until: soon), .held, .leased(me), .executing(me)] + settled
    /// The refusals of an event in the three settled states.
    private static let over: [Outcome] = [
        .failure(.settled(.completed)), .failure(.settled(.failed)), .failure(.settled(.cancelled)),
    ]

    /// Returns a flight with token 5, attempt 3, generation 2, one uncounted attempt and one loss.
    private static func flight(_ state: FlightLifecycle.State) -> FlightLifecycle {
        FlightLifecycle(state: state, token: 5, attempt: 3, generation: 2, uncounted: 1, losses: 1)
    }

    private typealias Outcome = Result<FlightLifecycle, FlightLifecycle.Refusal>

    private static func after(
        _ state: FlightLifecycle.State, _ event: (inout FlightLifecycle) throws(FlightLifecycle.Refusal) -> Void
    ) -> Outcome {
        var flight = flight(state)
        do throws(FlightLifecycle.Refusal) {
            try event(&flight)
            return .success(flight)
        } catch {
            #expect(flight == Self.flight(state), "a refusal changes nothing")
            return .failure(error)
        }
    }

    private static func success(
        _ state: FlightLifecycle.State, token: Int64 = 5, attempt: Int = 3, generation: Int = 2, uncounted: Int = 1,
        losses: Int = 1
    ) -> Outcome {
        .success(
            FlightLifecycle(
                state: state, token: token, attempt: attempt, generation: generation, uncounted: uncounted,
                losses: losses))
    }

    private static func check(
        _ expected: [Outcome], _ event: (inout FlightLifecycle) throws(FlightLifecycle.Refusal) -> Void
    ) {
        #expect(expected.count == states.count)
        for (state, expected) in zip(states, expected) {
            let result = after(state, event)
            #expect(result == expected, "\(state)")
        }
    }

    @Test("Only a waiting flight is leased, not one that backs off or is held")
    func leased() {
        let expected: [Outcome] = [
            Self.success(.leased(Self.other), token: 6), .failure(.outOfOrder), .failure(.outOfOrder),
            .failure(.alreadyLeased), .failure(.alreadyLeased),
        ]
        Self.check(expected + Self.over) { flight throws(FlightLifecycle.Refusal) in try flight.leased(by: Self.other) }
    }

    @Test("An attempt starts only on a leased flight and under its current token", arguments: [Int64(4), 5, 6])
    func started(token: Int64) {
        let current = token == 5
        let expected: [Outcome] = [
            .failure(.staleToken), .failure(.staleToken), .failure(.staleToken),
            current ? Self.success(.executing(Self.me), attempt: 4, generation: 3) : .failure(.staleToken),
            current ? .failure(.outOfOrder) : .failure(.staleToken),
        ]
        Self.check(expected + Self.over) { flight throws(FlightLifecycle.Refusal) in
            try flight.attemptStarted(token: token)
        }
    }

    @Test(
        "An attempt settles its flight under the current token, and later only by a late success",
        arguments: [(Int64(5), 3), (4, 3), (4, 2), (5, 2)], FlightLifecycle.Outcome.allCases)
    func ended(end: (token: Int64, attempt: Int), settlement: FlightLifecycle.Outcome) {
        let isLateSuccess = settlement == .completed && end.attempt == 3
        let late: Outcome = isLateSuccess ? Self.success(.settled(.completed)) : .failure(.staleToken)
        let expected: [Outcome] = [
            late, late, late, late, end.token == 5 ? Self.success(.settled(settlement)) : .failure(.staleToken),
        ]
        Self.check(expected + Self.over) { flight throws(FlightLifecycle.Refusal) in
            try flight.attemptEnded(token: end.token, attempt: end.attempt, as: settlement)
        }
    }

    @Test("A success of an attempt that was never sent is refused")
    func neverSent() {
        var flight = FlightLifecycle()
        #expect(throws: FlightLifecycle.Refusal.staleToken) {
            try flight.attemptEnded(token: 0, attempt: 0, as: .completed)
        }
    }

    @Test(
        "Only the running attempt is postponed or held, which resets the losses in a row",
        arguments: [Int64(4), 5])
    func stopped(token: Int64) {
        func expected(_ state: FlightLifecycle.State) -> [Outcome] {
            let executing = token == 5 ? Self.success(state, losses: 0) : .failure(.staleToken)
            return Array(repeating: .failure(.staleToken), count: 4) + [executing] + Self.over
        }
        Self.check(expected(.backingOff(until: Self.later))) { flight throws(FlightLifecycle.Refusal) in
            try flight.attemptPostponed(token: token, until: Self.later)
        }
        Self.check(expected(.held)) { flight throws(FlightLifecycle.Refusal) in try flight.attemptHeld(token: token) }
    }

    @Test("Only a flight that backs off can end its backoff")
    func backoffEnded() {
        let refused = Array(repeating: Outcome.failure(.outOfOrder), count: 6)
        Self.check([.failure(.outOfOrder), Self.success(.waiting)] + refused) {
            flight throws(FlightLifecycle.Refusal) in try flight.backoffEnded()
        }
    }

    @Test("A release returns a flight to waiting, and a stopped attempt does not count", arguments: [Int64(4), 5])
    func released(token: Int64) throws {
        let leased: Outcome = token == 5 ? Self.success(.waiting) : .failure(.staleToken)
        let executing: Outcome = token == 5 ? Self.success(.waiting, uncounted: 2) : .failure(.staleToken)
        let expected: [Outcome] = [
            .failure(.staleToken), .failure(.staleToken), .failure(.staleToken), leased, executing,
        ]
        Self.check(expected + Self.over) { flight throws(FlightLifecycle.Refusal) in try flight.released(token: token) }
        var unsent = Self.flight(.leased(Self.me))
        var sent = Self.flight(.executing(Self.me))
        let attempts = try (unsent.released(token: 5), sent.released(token: 5))
        #expect(attempts.0 == nil && attempts.1 == 3)
    }

    @Test("Only the lease holder defers a flight, and only before it is sent", arguments: [Int64(4), 5])
    func setAside(token: Int64) {
        let date = Date(timeIntervalSince1970: 9)
        let current = token == 5
        let expected: [Outcome] = [
            .failure(.staleToken), .failure(.staleToken), .failure(.staleToken),
            current ? Self.success(.backingOff(until: date)) : .failure(.staleToken),
            .failure(current ? .outOfOrder : .staleToken),
        ]
        Self.check(expected + Self.over) { flight throws(FlightLifecycle.Refusal) in
            try flight.setAside(token: token, until: date)
        }
    }

    @Test("Too many stopped attempts in a row that may have been billed hold a flight")
    func stoppedAgainAndAgain() throws {
        var flight = FlightLifecycle()
        for loss in 1...FlightLifecycle.maximumLosses {
            // An attempt stopped before it could be billed neither counts nor resets the losses.
            for mayBeBilled in [false, true] {
                try flight.leased(by: Self.me)
                try flight.attemptStarted(token: flight.token)
                try flight.released(token: flight.token, mayBeBilled: mayBeBilled)
                #expect(flight.tries == 0)
                let isHeld = mayBeBilled && loss == FlightLifecycle.maximumLosses
                #expect(flight.state == (isHeld ? .held : .waiting))
            }
        }
    }

    @Test("A broken lease does not count the lost attempt, and its flight waits or is held")
    func broken() {
        for policy in UnknownOutcomePolicy.allCases {
            for state in Self.states {
                var flight = Self.flight(state)
                let lost = flight.leaseBroken(policy)
                switch state {
                case .leased:
                    #expect(lost == nil)
                    #expect(Outcome.success(flight) == Self.success(.waiting))
                case .executing:
                    #expect(lost == 3)
                    let next = policy == .hold ? FlightLifecycle.State.held : .waiting
                    #expect(Outcome.success(flight) == Self.success(next, uncounted: 2, losses: 2))
                case .waiting, .backingOff, .held, .settled:
                    #expect(lost == nil)
                    #expect(flight == Self.flight(state))
                }
            }
        }
    }

    @Test("Too many losses in a row hold a flight under any policy")
    func manyLosses() {
        for losses in 0..<FlightLifecycle.maximumLosses + 2 {
            var flight = FlightLifecycle(
                state: .executing(Self.me), token: 20, attempt: 20, generation: 20, uncounted: 0, losses: losses)
            flight.leaseBroken(.runAgain)
            #expect(flight.state == (losses + 1 < FlightLifecycle.maximumLosses ? .waiting : .held))
        }
    }

    @Test("The last member's exit or expiry settles a flight", arguments: [FlightLifecycle.Outcome.cancelled, .failed])
    func memberLeft(settlement: FlightLifecycle.Outcome) {
        for state in Self.states {
            var flight = Self.flight(state)
            let stopped = flight.lastMemberLeft(as: settlement)
            #expect(stopped == (state == .executing(Self.me) ? 3 : nil))
            if case .settled = state {
                #expect(flight == Self.flight(state))
            } else {
                #expect(flight == Self.flight(.settled(settlement)))
            }
        }
    }

    @Test("A failed, cancelled, held or backing-off flight can be reopened with fresh tries")
    func reopened() {
        let retried = Self.success(.waiting, uncounted: 3, losses: 0)
        let refused = Outcome.failure(.outOfOrder)
        Self.check([refused, retried, retried, refused, refused, .failure(.settled(.completed)), retried, retried]) {
            flight throws(FlightLifecycle.Refusal) in try flight.reopened()
        }
    }

    @Test("A flight knows its owner, whether it executes, and its tries")
    func holder() {
        let none: [OwnerID?] = [nil, nil, nil]
        #expect(Self.states.map { Self.flight($0).owner } == none + [Self.me, Self.me] + none)
        #expect(Self.states.map { Self.flight($0).isExecuting } == Self.states.map { $0 == .executing(Self.me) })
        #expect(Self.states.allSatisfy { Self.flight($0).tries == 2 })
    }

    @Test("Each state of a flight gives its wait reason")
    func waitReasons() {
        let reasons = Self.states.map { Self.flight($0).waitReason { 7 } }
        let expected: [RequestSnapshot.WaitReason?] = [
            .unclaimed(ahead: 7), .backingOff(until: Self.soon), .held, .queued(ahead: 7), nil, nil, nil, nil,
        ]
        #expect(reasons == expected)
    }

    @Test("The number of flights ahead is counted only for a wait reason that shows it")
    func counting() {
        var counted = 0
        for state in Self.states {
            _ = Self.flight(state).waitReason {
                counted += 1
                return nil
            }
        }
        #expect(counted == 2)
    }

    @Test("A transition from an outdated state is refused for the most specific reason")
    func refusal() throws {
        let transition = try FlightTransition(of: Self.flight(.leased(Self.me))) {
            flight throws(FlightLifecycle.Refusal) in
            try flight.attemptStarted(token: 5)
        }
        for state in [FlightLifecycle.State.executing(Self.me), .held, .backingOff(until: Self.soon), .waiting] {
            #expect(Self.flight(state).refusal(of: transition) == .outOfOrder)
        }
        #expect(Self.flight(.settled(.failed)).refusal(of: transition) == .settled(.failed))
        let newer = FlightLifecycle(state: .waiting, token: 6, attempt: 3, generation: 2)
        #expect(newer.refusal(of: transition) == .staleToken)
    }
}
