import HablareTestKit
import Testing

@testable import Hablare

/// Each event in each state.
@Suite struct AttemptLifecycleTests {
    private typealias Recording = AttemptLifecycle.Recording

    private static let timeout = Duration.seconds(30)
    private static let grace = Duration.seconds(5)
    private static let timedOut = StopReason.timedOut(after: timeout)

    private static func recording(failures: Int = 0, isSuspended: Bool = false) -> Recording {
        var recording = Recording()
        recording.failures = failures
        recording.isSuspended = isSuspended
        return recording
    }

    /// Every state, with the variants that make a difference to an event.
    private static let states: [AttemptLifecycle] = [
        .journalling(stop: nil), .journalling(stop: .cancelled), .running, .stopping(.cancelled), .stopping(timedOut),
        .abandoned(.cancelled, standIn: nil), .abandoned(timedOut, standIn: Recording()),
        .abandoned(timedOut, standIn: recording(failures: 1, isSuspended: true)), .returned(nil), .returned(.offline),
        .recording(Recording()), .recording(recording(failures: 2, isSuspended: true)), .over,
    ]

    /// Applies an event to each state, and compares the new state and the answer. A state that is not in the table
    /// stays and answers `otherwise`.
    private func expect<Answer: Equatable>(
        _ event: (inout AttemptLifecycle) -> Answer,
        _ table: [(AttemptLifecycle, becomes: AttemptLifecycle, answers: Answer)], otherwise: Answer,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for state in Self.states {
            var lifecycle = state
            let answer = event(&lifecycle)
            let row = table.first { $0.0 == state }
            #expect(lifecycle == row?.becomes ?? state, "\(state)", sourceLocation: sourceLocation)
            #expect(answer == row?.answers ?? otherwise, "\(state)", sourceLocation: sourceLocation)
        }
        for row in table { #expect(Self.states.contains(row.0), "\(row.0)", sourceLocation: sourceLocation) }
    }

    @Test("A journalled start sets the attempt's timeout, or the grace period if it was stopped")
    func journalled() {
        expect(
            { $0.journalled(timeout: Self.timeout, grace: Self.grace) },
            [
                (.journalling(stop: nil), .running, [.setDeadline(Self.timeout)]),
                (.journalling(stop: .cancelled), .stopping(.cancelled), [.setDeadline(Self.grace)]),
            ], otherwise: [])
    }

    @Test("A stop cancels the provider's task once, and only before the provider returns")
    func stopped() {
        expect(
            { $0.stopped(because: .interrupted, grace: Self.grace) },
            [
                (.journalling(stop: nil), .journalling(stop: .interrupted), [.cancel]),
                (.running, .stopping(.interrupted), [.cancel, .setDeadline(Self.grace)]),
            ], otherwise: [])
    }

    @Test("The deadline stops a running attempt and abandons a stopped one")
    func deadlineReached() {
        for (isOffline, reason) in [(false, Self.timedOut), (true, .interrupted)] {
            expect(
                {
                    $0.deadlineReached(
                        timeout: Self.timeout, silence: nil, isOffline: isOffline, grace: Self.grace)
                },
                [
                    (.running, .stopping(reason), [.cancel, .setDeadline(Self.grace)]),
                    (.stopping(.cancelled), .abandoned(.cancelled, standIn: nil), [.abandon(.cancelled)]),
                    (
                        .stopping(Self.timedOut), .abandoned(Self.timedOut, standIn: Recording()),
                        [.abandon(Self.timedOut)]
                    ),
                ], otherwise: [])
        }
    }

    @Test("A provider that is not silent gets the rest of its time unless it was stopped")
    func silence() {
        expect(
            {
                $0.deadlineReached(
                    timeout: Self.timeout, silence: .seconds(3), isOffline: false, grace: Self.grace)
            },
            [
                (.running, .running, [.setDeadline(.seconds(3))]),
                (.stopping(.cancelled), .abandoned(.cancelled, standIn: nil), [.abandon(.cancelled)]),
                (
                    .stopping(Self.timedOut), .abandoned(Self.timedOut, standIn: Recording()),
                    [.abandon(Self.timedOut)]
                ),
            ], otherwise: [])
    }

    @Test("An abandoned attempt gets a stand-in record if its request continues")
    func standIns() {
        for (reason, isRecorded) in [
            (Self.timedOut, true), (.interrupted, true), (.cancelled, false), (.expired, false), (.offline, false),
        ] as [(StopReason, Bool)] {
            #expect(reason.isRecordedWhenAbandoned == isRecorded)
            var lifecycle = AttemptLifecycle.stopping(reason)
            _ = lifecycle.deadlineReached(timeout: Self.timeout, silence: nil, isOffline: false, grace: Self.grace)
            #expect(lifecycle == .abandoned(reason, standIn: isRecorded ? Recording() : nil))
        }
    }

    @Test("An attempt whose provider returned is not stopped while its output is journalled")
    func returned() {
        for own in [StopReason?.none, .offline] {
            expect({ $0.returned(own) }, [(.running, .returned(own))])
        }
    }

    @Test("The end is recorded with the first reason for a stop")
    func ended() {
        let recording = AttemptLifecycle.recording(Recording())
        for own in [StopReason?.none, .offline] {
            let reasons: [(AttemptLifecycle, StopReason?)] = [
                (.journalling(stop: nil), own), (.journalling(stop: .cancelled), .cancelled), (.running, own),
                (.stopping(.cancelled), .cancelled), (.stopping(Self.timedOut), Self.timedOut),
                (.abandoned(.cancelled, standIn: nil), .cancelled),
                (.abandoned(Self.timedOut, standIn: Recording()), Self.timedOut),
                (
                    .abandoned(Self.timedOut, standIn: Self.recording(failures: 1, isSuspended: true)),
                    Self.timedOut
                ),
                (.returned(nil), nil), (.returned(.offline), .offline),
                (recording, nil),
                (.recording(Self.recording(failures: 2, isSuspended: true)), nil), (.over, nil),
            ]
            expect(
                { $0.ended(own) }, reasons.map { ($0.0, recording, $0.1) }, otherwise: nil)
            #expect(reasons.count == Self.states.count)
        }
    }

    @Test("A recorded end finishes the attempt, unless it was the stand-in of a later one")
    func recorded() {
        let suspended = Self.recording(failures: 1, isSuspended: true)
        expect(
            { $0.recorded() },
            [
                (.abandoned(Self.timedOut, standIn: Recording()), .abandoned(Self.timedOut, standIn: nil)),
                (.abandoned(Self.timedOut, standIn: suspended), .abandoned(Self.timedOut, standIn: nil)),
                (.recording(Recording()), .over),
                (.recording(Self.recording(failures: 2, isSuspended: true)), .over),
            ])
    }

    @Test("An end that the store refused is suspended, and its failures are counted")
    func recordingFailed() {
        let failed = Self.recording(failures: 1, isSuspended: true)
        expect(
            { $0.recordingFailed() },
            [
                (
                    .abandoned(Self.timedOut, standIn: Recording()),
                    .abandoned(Self.timedOut, standIn: failed)
                ),
                (
                    .abandoned(Self.timedOut, standIn: failed),
                    .abandoned(Self.timedOut, standIn: Self.recording(failures: 2, isSuspended: true))
                ),
                (.recording(Recording()), .recording(failed)),
                (
                    .recording(Self.recording(failures: 2, isSuspended: true)),
                    .recording(Self.recording(failures: 3, isSuspended: true))
                ),
            ])
    }

    @Test("Only a suspended recording is resumed, and it keeps its failure count")
    func recordingResumed() {
        expect(
            { $0.recordingResumed() },
            [
                (
                    .abandoned(Self.timedOut, standIn: Self.recording(failures: 1, isSuspended: true)),
                    .abandoned(Self.timedOut, standIn: Self.recording(failures: 1)), true
                ),
                (
                    .recording(Self.recording(failures: 2, isSuspended: true)),
                    .recording(Self.recording(failures: 2)), true
                ),
            ], otherwise: false)
    }

    /// Applies an event without an answer to each state.
    private func expect(
        _ event: (inout AttemptLifecycle) -> Void, _ table: [(AttemptLifecycle, becomes: AttemptLifecycle)],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expect(
            {
                event(&$0)
                return true
            }, table.map { ($0.0, $0.becomes, true) }, otherwise: true, sourceLocation: sourceLocation)
    }

    @Test("An attempt holds a slot until it is abandoned or over, and isBeingRecorded covers ends in flight")
    func facts() {
        let expected: [(holdsSlot: Bool, isBeingRecorded: Bool, isJournalled: Bool)] = [
            (true, false, false), (true, false, false), (true, false, true), (true, false, true), (true, false, true),
            (false, false, true), (false, true, true), (false, false, true), (true, true, true), (true, true, true),
            (false, true, true), (false, false, true), (false, false, true),
        ]
        #expect(expected.count == Self.states.count)
        for (state, facts) in zip(Self.states, expected) {
            #expect(state.holdsSlot == facts.holdsSlot, "\(state)")
            #expect(state.isBeingRecorded == facts.isBeingRecorded, "\(state)")
            #expect(state.isJournalled == facts.isJournalled, "\(state)")
        }
    }
}
