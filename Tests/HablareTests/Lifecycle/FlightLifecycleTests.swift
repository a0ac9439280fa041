import HablareTestKit
import Testing

@testable import Hablare

/// Every event in every state, as a table; and what holds over any history.
@Suite struct FlightLifecycleTests {
    private static let me = OwnerID(rawValue: 1)
    private static let other = OwnerID(rawValue: 2)
    private static let states: [FlightLifecycle.State] = [
        .waiting, .leased(me), .executing(me), .settled(.completed), .settled(.failed), .settled(.cancelled),
    ]

    /// A flight with token 5, attempt 3, generation 2.
    private static func flight(_ state: FlightLifecycle.State) -> FlightLifecycle {
        FlightLifecycle(state: state, token: 5, attempt: 3, generation: 2)
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
        _ state: FlightLifecycle.State, token: Int64 = 5, attempt: Int = 3, generation: Int = 2
    ) -> Outcome {
        .success(FlightLifecycle(state: state, token: token, attempt: attempt, generation: generation))
    }

    @Test("Leasing")
    func leased() {
        let expected: [Outcome] = [
            Self.success(.leased(Self.other), token: 6), .failure(.alreadyHeld), .failure(.alreadyHeld),
            .failure(.settled(.completed)), .failure(.settled(.failed)), .failure(.settled(.cancelled)),
        ]
        for (state, expected) in zip(Self.states, expected) {
            let result = Self.after(state) { flight throws(FlightLifecycle.Refusal) in
                try flight.leased(by: Self.other)
            }
            #expect(result == expected, "\(state)")
        }
    }

    @Test("Starting an attempt", arguments: [Int64(4), 5, 6])
    func started(token: Int64) {
        let current = token == 5
        let expected: [Outcome] = [
            .failure(.staleToken),
            current ? Self.success(.executing(Self.me), attempt: 4, generation: 3) : .failure(.staleToken),
            current ? .failure(.outOfOrder) : .failure(.staleToken),
            .failure(.settled(.completed)), .failure(.settled(.failed)), .failure(.settled(.cancelled)),
        ]
        for (state, expected) in zip(Self.states, expected) {
            let result = Self.after(state) { flight throws(FlightLifecycle.Refusal) in
                try flight.attemptStarted(token: token)
            }
            #expect(result == expected, "\(state)")
        }
    }

    @Test(
        "An attempt ends", arguments: [(Int64(5), 3), (4, 3), (4, 2), (5, 2)], FlightLifecycle.Settlement.allCases)
    func ended(end: (token: Int64, attempt: Int), settlement: FlightLifecycle.Settlement) {
        let isLateSuccess = settlement == .completed && end.attempt == 3
        let late: Outcome = isLateSuccess ? Self.success(.settled(.completed)) : .failure(.staleToken)
        let expected: [Outcome] = [
            late, late, end.token == 5 ? Self.success(.settled(settlement)) : .failure(.staleToken),
            .failure(.settled(.completed)), .failure(.settled(.failed)), .failure(.settled(.cancelled)),
        ]
        for (state, expected) in zip(Self.states, expected) {
            let result = Self.after(state) { flight throws(FlightLifecycle.Refusal) in
                try flight.attemptEnded(token: end.token, attempt: end.attempt, as: settlement)
            }
            #expect(result == expected, "\(state)")
        }
    }

    @Test("A success of an attempt that was never sent is refused")
    func neverSent() {
        var flight = FlightLifecycle()
        #expect(throws: FlightLifecycle.Refusal.staleToken) {
            try flight.attemptEnded(token: 0, attempt: 0, as: .completed)
        }
    }

    @Test("Giving back", arguments: [Int64(4), 5])
    func released(token: Int64) throws {
        let back: Outcome = token == 5 ? Self.success(.waiting) : .failure(.staleToken)
        let expected: [Outcome] = [
            .failure(.staleToken), back, back, .failure(.settled(.completed)), .failure(.settled(.failed)),
            .failure(.settled(.cancelled)),
        ]
        for (state, expected) in zip(Self.states, expected) {
            let result = Self.after(state) { flight throws(FlightLifecycle.Refusal) in try flight.released(token: token)
            }
            #expect(result == expected, "\(state)")
        }
        var leased = Self.flight(.leased(Self.me))
        var executing = Self.flight(.executing(Self.me))
        let unsent = try leased.released(token: 5)
        let sent = try executing.released(token: 5)
        #expect(unsent == nil && sent == 3)
    }

    @Test("A lease is broken")
    func broken() {
        let lost: [Int?] = [nil, nil, 3, nil, nil, nil]
        for (state, lost) in zip(Self.states, lost) {
            var flight = Self.flight(state)
            let broken = flight.leaseBroken()
            #expect(broken == lost)
            if case .settled = state {
                #expect(flight == Self.flight(state))
            } else {
                #expect(flight == Self.flight(.waiting))
            }
        }
    }

    @Test("The last member leaves")
    func memberLeft() {
        let stopped: [Int?] = [nil, nil, 3, nil, nil, nil]
        for (state, stopped) in zip(Self.states, stopped) {
            var flight = Self.flight(state)
            let left = flight.lastMemberLeft()
            #expect(left == stopped)
            if case .settled = state {
                #expect(flight == Self.flight(state))
            } else {
                #expect(flight == Self.flight(.settled(.cancelled)))
            }
        }
    }

    @Test("Reopening")
    func reopened() {
        let expected: [Outcome] = [
            .failure(.outOfOrder), .failure(.outOfOrder), .failure(.outOfOrder), .failure(.settled(.completed)),
            Self.success(.waiting), Self.success(.waiting),
        ]
        for (state, expected) in zip(Self.states, expected) {
            let result = Self.after(state) { flight throws(FlightLifecycle.Refusal) in try flight.reopened() }
            #expect(result == expected, "\(state)")
        }
    }

    @Test("Who holds it, and whether it executes")
    func holder() {
        #expect(Self.states.map { Self.flight($0).owner } == [nil, Self.me, Self.me, nil, nil, nil])
        #expect(Self.states.map { Self.flight($0).isExecuting } == [false, false, true, false, false, false])
    }

    @Test("A transition that started elsewhere is refused for the reason that matters")
    func refusal() throws {
        let transition = try FlightTransition(of: Self.flight(.leased(Self.me))) {
            flight throws(FlightLifecycle.Refusal) in
            try flight.attemptStarted(token: 5)
        }
        #expect(Self.flight(.executing(Self.me)).refusal(of: transition) == .outOfOrder)
        #expect(Self.flight(.settled(.failed)).refusal(of: transition) == .settled(.failed))
        let newer = FlightLifecycle(state: .waiting, token: 6, attempt: 3, generation: 2)
        #expect(newer.refusal(of: transition) == .staleToken)
    }

    @Test("Over any history tokens and attempts only grow, and completed is final", arguments: Seeds.choose(200))
    func histories(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var flight = FlightLifecycle()
        var completions = 0
        for _ in 0..<200 {
            let before = flight
            let token = flight.token - Int64.random(in: 0...1, using: &random)
            let settlement = FlightLifecycle.Settlement.allCases.randomElement(using: &random) ?? .failed
            do throws(FlightLifecycle.Refusal) {
                switch Int.random(in: 0..<7, using: &random) {
                case 0: try flight.leased(by: Self.me)
                case 1: try flight.attemptStarted(token: token)
                case 2: try flight.attemptEnded(token: token, attempt: flight.attempt, as: settlement)
                case 3: try flight.released(token: token)
                case 4: flight.leaseBroken()
                case 5: flight.lastMemberLeft()
                default: try flight.reopened()
                }
            } catch {
                #expect(flight == before)
            }
            #expect(flight.token >= before.token && flight.token - before.token <= 1)
            #expect(flight.attempt >= before.attempt && flight.attempt <= Int(flight.token))
            #expect(flight.generation == flight.attempt)
            if before.state == .settled(.completed) { #expect(flight == before, "HABLARE_SEED=\(seed)") }
            if flight.state == .settled(.completed), before.state != flight.state { completions += 1 }
        }
        #expect(completions <= 1)
    }
}
