import HablareStores
import HablareTestKit
import Testing

@testable import Hablare

@Suite struct AttemptEndingTests {
    private static let owner = OwnerID(rawValue: 1)
    private static let attempt = RunningAttempt(
        flight: FlightID(rawValue: 1), request: StoreWorkbench.id(1),
        lifecycle: FlightLifecycle(state: .executing(owner), token: 2, attempt: 2, generation: 2),
        startedAt: StoreWorkbench.date(1))
    private static let error = StoreWorkbench.failure

    private static func ending(
        _ end: AttemptEnd, _ state: FlightLifecycle.State, token: Int64 = 2, attempt: Int = 2,
        member: RequestLifecycle.State = .live
    ) -> AttemptEnding {
        AttemptEnding(
            end, flight: FlightLifecycle(state: state, token: token, attempt: attempt, generation: attempt),
            members: [FlightMember(id: StoreWorkbench.id(1), lifecycle: RequestLifecycle(state: member))])
    }

    @Test("A success completes the flight and its member, and the ledger records its usage")
    func completed() {
        let ending = Self.ending(Self.attempt.completed(), .executing(Self.owner))
        #expect(ending.receipt == .done)
        #expect(ending.flight.state == .settled(.completed))
        #expect(ending.finished.map(\.lifecycle.state) == [.completed])
        #expect(ending.response == Self.attempt.response())
        #expect(ending.error == nil)
        #expect(ending.record == Self.attempt.record(.completed, .billed, usage: RunningAttempt.usage))
    }

    @Test("A failure fails the flight and its member, and the ledger records its error")
    func failed() {
        let ending = Self.ending(Self.attempt.failed(Self.error), .executing(Self.owner))
        #expect(ending.receipt == .done)
        #expect(ending.flight.state == .settled(.failed))
        #expect(ending.finished.map(\.lifecycle.state) == [.failed])
        #expect(ending.response == nil)
        #expect(ending.error == Self.error)
        #expect(ending.record == Self.attempt.record(.failed, .neverSent, error: Self.error))
    }

    @Test("A postponed attempt is a failure in the ledger, and the flight backs off with its member live")
    func postponed() {
        let ending = Self.ending(Self.attempt.postponed(until: 60), .executing(Self.owner))
        #expect(ending.receipt == .done)
        #expect(ending.flight.state == .backingOff(until: StoreWorkbench.date(60)))
        #expect(ending.finished.isEmpty && ending.error == nil && ending.response == nil)
        #expect(ending.record == Self.attempt.record(.failed, .neverSent, error: StoreWorkbench.overloaded))
    }

    @Test("An attempt of unknown outcome is a failure in the ledger, and the flight is held with its member live")
    func held() {
        let ending = Self.ending(Self.attempt.held(), .executing(Self.owner))
        #expect(ending.receipt == .done)
        #expect(ending.flight.state == .held)
        #expect(ending.finished.isEmpty && ending.error == nil && ending.response == nil)
        #expect(ending.record == Self.attempt.record(.failed, .maybeBilled, error: StoreWorkbench.lostTouch))
    }

    @Test("A late success settles a flight that backs off or is held, and a late failure does not")
    func late() {
        for state in [FlightLifecycle.State.backingOff(until: StoreWorkbench.date(60)), .held] {
            let success = Self.ending(Self.attempt.completed(), state)
            #expect(success.receipt == .done && success.finished.map(\.lifecycle.state) == [.completed])
            #expect(success.response == Self.attempt.response())
            for end in [Self.attempt.failed(Self.error), Self.attempt.postponed(until: 90), Self.attempt.held()] {
                let failure = Self.ending(end, state)
                #expect(failure.receipt == .refused(.staleToken))
                #expect(failure.flight.state == state && failure.finished.isEmpty)
                #expect(failure.record?.outcome == .failed)
            }
        }
    }

    @Test("An end after the deadline is refused: an answer is discarded, a failure stays a failure")
    func afterDeadline() {
        func ending(_ end: AttemptEnd) -> AttemptEnding { Self.ending(end, .settled(.failed), member: .failed) }
        let success = ending(Self.attempt.completed())
        #expect(success.receipt == .refused(.settled(.failed)))
        #expect(success.record?.outcome == .discarded && success.record?.billing == .billedDiscarded)
        let stopped = ending(Self.attempt.end(.failed(.deadlineExceeded), billing: .maybeBilled))
        #expect(stopped.record == Self.attempt.record(.failed, .maybeBilled, error: .deadlineExceeded))
        for end in [Self.attempt.postponed(until: 90), Self.attempt.held()] {
            #expect(ending(end).finished.isEmpty && ending(end).flight.state == .settled(.failed))
        }
    }

    @Test("An interrupted attempt leaves the member live and the flight waiting")
    func interrupted() {
        let ending = Self.ending(Self.attempt.end(.interrupted, billing: .maybeBilled), .executing(Self.owner))
        #expect(ending.receipt == .done)
        #expect(ending.flight.state == .waiting)
        #expect(ending.finished.isEmpty)
        #expect(ending.record == Self.attempt.record(.interrupted, .maybeBilled))
    }

    @Test("An end after a newer attempt is refused: an answer is discarded, a failure stays a failure")
    func stale() {
        func ending(_ end: AttemptEnd) -> AttemptEnding {
            Self.ending(end, .executing(OwnerID(rawValue: 9)), token: 3, attempt: 3)
        }
        let success = ending(Self.attempt.completed())
        #expect(success.receipt == .refused(.staleToken))
        #expect(success.record == Self.attempt.record(.discarded, .billedDiscarded, usage: RunningAttempt.usage))
        #expect(success.response == nil && success.finished.isEmpty && success.flight.isExecuting)
        let failure = ending(Self.attempt.failed(Self.error))
        #expect(failure.record == Self.attempt.record(.failed, .neverSent, error: Self.error))
        #expect(failure.error == nil)
        #expect(ending(Self.attempt.end(.interrupted, billing: .maybeBilled)).record?.outcome == .interrupted)
    }

    @Test("An end after the cancellation is refused: an answer is discarded, the rest is cancelled")
    func afterCancellation() {
        func ending(_ end: AttemptEnd) -> AttemptEnding {
            Self.ending(end, .settled(.cancelled), member: .cancelled)
        }
        let success = ending(Self.attempt.completed())
        #expect(success.receipt == .refused(.settled(.cancelled)))
        #expect(success.record?.outcome == .discarded && success.record?.billing == .billedDiscarded)
        for end in [Self.attempt.failed(Self.error), Self.attempt.end(.interrupted, billing: .maybeBilled)] {
            let refused = ending(end)
            #expect(refused.record?.outcome == .cancelled && refused.record?.error == nil)
            #expect(refused.finished.isEmpty)
        }
    }

    @Test("An attempt abandoned before a newer attempt and the cancellation is a failure in the ledger")
    func givenUpBeforeTheCancellation() {
        let ending = Self.ending(
            Self.attempt.failed(Self.error), .settled(.cancelled), token: 3, attempt: 3, member: .cancelled)
        #expect(ending.receipt == .refused(.settled(.cancelled)))
        #expect(ending.record == Self.attempt.record(.failed, .neverSent, error: Self.error))
    }

    @Test("A stopped attempt is cancelled in the ledger, even if its request was retried meanwhile")
    func stoppedThenRetried() {
        let end = Self.attempt.failed(AIServiceError(.cancelled, ""))
        for state in [FlightLifecycle.State.waiting, .leased(Self.owner), .executing(Self.owner)] {
            let ending = Self.ending(end, state, token: 3)
            #expect(ending.receipt == .refused(.staleToken))
            #expect(ending.record?.outcome == .cancelled && ending.record?.error == nil)
        }
    }

    @Test("A discarded answer keeps its billing state")
    func billing() {
        for (billing, expected) in [(BillingState.billed, BillingState.billedDiscarded), (.maybeBilled, .maybeBilled)] {
            let end = Self.attempt.end(.completed(Self.attempt.response()), billing: billing)
            #expect(Self.ending(end, .settled(.cancelled)).record?.billing == expected)
        }
    }

    @Test("A second end of the attempt that completed the flight does not change the ledger")
    func secondEnd() {
        for end in [
            Self.attempt.completed(), Self.attempt.failed(Self.error), Self.attempt.end(.interrupted, billing: .billed),
        ] {
            let ending = Self.ending(end, .settled(.completed), member: .completed)
            #expect(ending.receipt == .refused(.settled(.completed)))
            #expect(ending.record == nil && ending.response == nil && ending.error == nil)
        }
        let older = Self.ending(
            Self.attempt.completed(), .settled(.completed), token: 3, attempt: 3, member: .completed)
        #expect(older.record?.outcome == .discarded)
    }

    @Test("The answer of a flight without live members is no outcome")
    func noMember() {
        let ending = Self.ending(Self.attempt.completed(), .executing(Self.owner), member: .cancelled)
        #expect(ending.response == nil)
        #expect(ending.finished.isEmpty)
    }

    // MARK: Resume handles

    private static func flight(
        _ state: FlightLifecycle.State = .executing(owner), token: Int64 = 2, attempt: Int = 2, hasHandle: Bool
    ) -> FlightLifecycle {
        FlightLifecycle(state: state, token: token, attempt: attempt, generation: 2, hasHandle: hasHandle)
    }

    private static func ending(_ end: AttemptEnd, of flight: FlightLifecycle) -> AttemptEnding {
        AttemptEnding(end, flight: flight, members: [FlightMember(id: StoreWorkbench.id(1))])
    }

    @Test("The flight decides whether there is a resume handle, not the process that ran the attempt")
    func outcomeIfHandleChanged() {
        let ends = [(true, Self.attempt.held()), (false, Self.attempt.failed(Self.error))]
        for (believed, other) in ends {
            var end = Self.attempt.end(.interrupted, billing: .maybeBilled)
            end.outcomeIfHandleChanged = AttemptEnd.OutcomeIfHandleChanged(hasHandle: !believed, other.outcome)
            let right = Self.ending(end, of: Self.flight(hasHandle: believed))
            #expect(right.receipt == .done && !right.usesOutcomeIfHandleChanged && right.flight.state == .waiting)
            #expect(Self.outcome(right) == .interrupted)
            let wrong = Self.ending(end, of: Self.flight(hasHandle: !believed))
            #expect(wrong.receipt == .done && wrong.usesOutcomeIfHandleChanged)
            #expect(Self.outcome(wrong) == (believed ? .held(StoreWorkbench.lostTouch) : .failed(Self.error)))
            #expect(wrong.settlement?.end.outcomeIfHandleChanged == nil)
            #expect(wrong.flight.state == (believed ? .held : .settled(.failed)))
            #expect(wrong.finished.count == (believed ? 0 : 1))
            #expect(wrong.record?.outcome == .failed && wrong.record?.error != nil)
            // The resume handles of newer attempts do not matter.
            let late = Self.ending(end, of: Self.flight(token: 3, attempt: 3, hasHandle: !believed))
            #expect(late.receipt == .refused(.staleToken) && late.record?.outcome == .interrupted)
            #expect(late.settlement == nil && late.refusal == .staleToken)
        }
        var forgetful = Self.attempt.postponed(until: 9)
        forgetful.forgetsHandle = true
        forgetful.outcomeIfHandleChanged = AttemptEnd.OutcomeIfHandleChanged(hasHandle: true, .interrupted)
        #expect(Self.ending(forgetful, of: Self.flight(hasHandle: true)).receipt == .done)
    }

    private static func outcome(_ ending: AttemptEnding) -> ChangeSummary.Outcome? {
        ending.settlement.map(ChangeSummary.Outcome.init)
    }

    @Test("The cost of work is recorded by the newer attempt that resumes it")
    func costOfResumedWork() {
        let newer = Self.flight(token: 3, attempt: 3, hasHandle: true)
        let answer = Self.ending(Self.attempt.completed(), of: newer)
        #expect(answer.receipt == .refused(.staleToken))
        #expect(answer.record == Self.attempt.record(.discarded, .maybeBilled))
        let settled = Self.flight(.settled(.completed), token: 3, attempt: 3, hasHandle: false)
        #expect(Self.ending(Self.attempt.completed(), of: settled).record?.usage == Usage())
        var failure = Self.attempt.end(.failed(Self.error), billing: .billed)
        failure.usage = RunningAttempt.usage
        #expect(Self.ending(failure, of: newer).record == Self.attempt.record(.failed, .maybeBilled, error: Self.error))
        #expect(Self.ending(Self.attempt.failed(Self.error), of: newer).record?.billing == .neverSent)
        let gone = Self.flight(.waiting, token: 3, attempt: 3, hasHandle: false)
        let alone = Self.ending(Self.attempt.completed(), of: gone)
        #expect(alone.record == Self.attempt.record(.discarded, .billedDiscarded, usage: RunningAttempt.usage))
    }

    @Test("The cost of an answer that could not be stored is recorded by the attempt that fetches it again")
    func costOfAnAnswerThatIsFetchedAgain() {
        for end in [
            Self.attempt.postponed(until: 9), Self.attempt.held(), Self.attempt.end(.interrupted, billing: .billed),
        ] {
            var end = end
            end.billing = .billed
            end.usage = RunningAttempt.usage
            let fetched = Self.ending(end, of: Self.flight(hasHandle: true))
            #expect(fetched.receipt == .done && fetched.flight.hasHandle)
            #expect(fetched.record?.billing == .maybeBilled && fetched.record?.usage == Usage())
            let lost = Self.ending(end, of: Self.flight(hasHandle: false))
            #expect(lost.record?.billing == .billed && lost.record?.usage == RunningAttempt.usage)
            end.forgetsHandle = true
            let forgotten = Self.ending(end, of: Self.flight(hasHandle: true))
            #expect(forgotten.record?.billing == .billed && forgotten.record?.usage == RunningAttempt.usage)
        }
        var last = Self.attempt.end(.failed(Self.error), billing: .billed)
        last.usage = RunningAttempt.usage
        #expect(Self.ending(last, of: Self.flight(hasHandle: true)).record?.usage == RunningAttempt.usage)
    }

    // MARK: Several members

    private static let three = [
        FlightMember(id: StoreWorkbench.id(1)),
        FlightMember(id: StoreWorkbench.id(2), deadline: StoreWorkbench.date(30)),
        FlightMember(id: StoreWorkbench.id(3), lifecycle: RequestLifecycle(state: .cancelled)),
    ]

    private static func ending(_ end: AttemptEnd, of members: [FlightMember]) -> AttemptEnding {
        AttemptEnding(end, flight: attempt.lifecycle, members: members)
    }

    /// Expects that an end was recorded and that these requests became final with it.
    private static func expect(
        _ ending: AttemptEnding, finished: [Int], continues: Bool, location: SourceLocation = #_sourceLocation
    ) {
        #expect(ending.receipt == .done, sourceLocation: location)
        #expect(ending.settlement?.finished == finished.map(StoreWorkbench.id), sourceLocation: location)
        #expect(ending.settlement?.flight.isSettled == !continues, sourceLocation: location)
        #expect(ending.settlement?.flight == ending.flight, sourceLocation: location)
        #expect(ending.settlement?.diversion == ending.diversion, sourceLocation: location)
    }

    @Test("An answer or a failure is the outcome of every live member")
    func shared() {
        for (end, state) in [
            (Self.attempt.completed(), RequestLifecycle.State.completed), (Self.attempt.failed(Self.error), .failed),
        ] {
            let ending = Self.ending(end, of: Self.three)
            #expect(ending.finished.map(\.id) == [StoreWorkbench.id(1), StoreWorkbench.id(2)])
            #expect(ending.finished.allSatisfy { $0.lifecycle.state == state })
            Self.expect(ending, finished: [1, 2], continues: false)
            let status = ending.settlement?.status(of: StoreWorkbench.id(2))
            #expect(status?.phase == (state == .completed ? .completed : .failed))
            if case .completed(let answer) = status { #expect(answer.requestID == StoreWorkbench.id(2)) }
        }
    }

    @Test("The sender of an attempt learns which remaining member got the outcome")
    func heir() {
        let other = FlightMember(id: StoreWorkbench.id(7))
        let ending = Self.ending(Self.attempt.completed(), of: [other])
        Self.expect(ending, finished: [7], continues: false)
        Self.expect(Self.ending(Self.attempt.held(), of: [other]), finished: [], continues: true)
    }

    @Test("A postponement past one member's deadline fails that member and backs off for the other")
    func impatient() {
        let ending = Self.ending(Self.attempt.postponed(until: 30), of: Self.three)
        #expect(ending.finished.map(\.id) == [StoreWorkbench.id(2)] && ending.error == StoreWorkbench.overloaded)
        #expect(ending.flight.state == .backingOff(until: StoreWorkbench.date(30)))
        Self.expect(ending, finished: [2], continues: true)
        #expect(ending.settlement?.status(of: StoreWorkbench.id(2)).phase == .failed)
        let patient = Self.ending(Self.attempt.postponed(until: 29), of: Self.three)
        #expect(patient.finished.isEmpty)
        Self.expect(patient, finished: [], continues: true)
    }

    @Test("A postponement past every member's deadline fails all members")
    func allImpatient() {
        let ending = Self.ending(Self.attempt.postponed(until: 30), of: [Self.three[1]])
        #expect(ending.finished.map(\.id) == [StoreWorkbench.id(2)] && ending.error == StoreWorkbench.overloaded)
        #expect(ending.flight.state == .settled(.failed))
        Self.expect(ending, finished: [2], continues: false)
    }

    @Test("A postponement past every deadline diverts to another provider that has time left")
    func diverted() {
        let other = AttemptEnd.Diversion(to: FallbackTarget("q"), account: "q")
        func ending(at seconds: Int, until later: Int, of members: [FlightMember]) -> AttemptEnding {
            let outcome = AttemptEnd.Outcome.postponed(
                StoreWorkbench.overloaded, until: StoreWorkbench.date(later), else: other)
            return Self.ending(Self.attempt.end(outcome, billing: .neverSent, at: seconds), of: members)
        }
        let alone = ending(at: 29, until: 30, of: [Self.three[1]])
        #expect(alone.diversion == other && alone.flight.state == .waiting)
        #expect(alone.finished.isEmpty && alone.error == nil)
        Self.expect(alone, finished: [], continues: true)
        #expect(alone.record?.outcome == .failed && alone.record?.error == StoreWorkbench.overloaded)
        let late = ending(at: 30, until: 31, of: [Self.three[1]])
        #expect(late.diversion == nil && late.flight.state == .settled(.failed))
        let patient = ending(at: 29, until: 30, of: Self.three)
        #expect(patient.diversion == nil && patient.flight.state == .backingOff(until: StoreWorkbench.date(30)))
    }

    @Test("Expiry fails the members past their deadline, and the flight waits again for the others")
    func expired() {
        let late = AttemptEnd(
            flight: FlightID(rawValue: 1), request: StoreWorkbench.id(2), provider: "p",
            lifecycle: Self.attempt.lifecycle, outcome: .expired, billing: .neverSent,
            startedAt: StoreWorkbench.date(30), endedAt: StoreWorkbench.date(30))
        let shared = Self.ending(late, of: Self.three)
        #expect(shared.finished.map(\.id) == [StoreWorkbench.id(2)] && shared.error == .deadlineExceeded)
        #expect(shared.flight.state == .waiting)
        Self.expect(shared, finished: [2], continues: true)
        if case .failed(let error) = shared.settlement?.status(of: StoreWorkbench.id(2)) {
            #expect(error == .deadlineExceeded)
        } else {
            Issue.record("A member whose deadline has come did not fail")
        }
        let alone = Self.ending(late, of: [Self.three[1]])
        #expect(alone.flight.state == .settled(.failed))
        Self.expect(alone, finished: [2], continues: false)
    }
}
