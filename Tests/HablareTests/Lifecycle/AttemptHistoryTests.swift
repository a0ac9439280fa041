import HablareTestKit
import Testing

@testable import Hablare

/// Compares random histories of an attempt with an independent model. The model knows the attempt's provider, store and
/// timer, and none of the lifecycle's states.
@Suite struct AttemptHistoryTests {
    private static let timeout = Duration.seconds(30)
    private static let grace = Duration.seconds(5)

    private enum Start { case underWay, written }

    private enum Provider { case uncalled, working, journallingOutput, back }

    /// The recording of one end.
    private struct Recording: Equatable {
        var failures = 0
        var waits = false
        var isDone = false
    }

    /// The model's view of the world around an attempt.
    private struct Book {
        var start = Start.underWay
        var provider = Provider.uncalled
        var reasons: [StopReason] = []
        /// The attempt's own reason to stop, as far as known when its provider returned.
        var own: StopReason?
        /// When the timer fires, or `nil` if none is set.
        var timer: Duration?
        var cancellations = 0
        var placesGivenAway = 0
        var isAbandoned = false
        var standIn: Recording?
        var end: Recording?

        var isUnderWay: Bool { provider != .back }
        /// Whether a stop has no effect any more.
        var isBeyondStops: Bool {
            !isUnderWay || isAbandoned || provider == .journallingOutput && reasons.isEmpty
        }
        var holdsSlot: Bool { isUnderWay && !isAbandoned }
        var isOver: Bool { end?.isDone == true }

        /// The recording in progress.
        var recording: Recording? { [end, standIn].compactMap(\.self).first { !$0.isDone } }

        mutating func changeRecording(_ change: (inout Recording) -> Void) {
            if var end, !end.isDone {
                change(&end)
                self.end = end
            } else if var standIn, !standIn.isDone {
                change(&standIn)
                self.standIn = standIn
            }
        }

        /// Performs the effects that the lifecycle decided.
        mutating func perform(_ effects: [AttemptLifecycle.Effect]) {
            for effect in effects {
                switch effect {
                case .cancel: cancellations += 1
                case .setDeadline(let duration): timer = duration
                case .abandon(let reason):
                    isAbandoned = true
                    placesGivenAway += 1
                    timer = nil
                    if reason.isRecordedWhenAbandoned { standIn = Recording() }
                }
            }
        }
    }

    private static func anyReason(_ random: inout SeededGenerator) -> StopReason {
        [.cancelled, .expired, .interrupted].randomElement(using: &random) ?? .cancelled
    }

    /// Applies a random possible event and compares the lifecycle's answer with the model. Returns the event.
    private static func anything(
        _ attempt: inout AttemptLifecycle, _ book: inout Book, _ random: inout SeededGenerator
    ) -> (event: String, problem: String?) {
        func unlike<T: Equatable>(_ answer: T, _ expected: T) -> String? {
            answer == expected ? nil : "it answered \(answer), not \(expected)"
        }
        switch Int.random(in: 0..<10, using: &random) {
        case 0 where book.start == .underWay:
            book.start = .written
            book.provider = .working
            let effects = attempt.journalled(timeout: timeout, grace: grace)
            book.perform(effects)
            return ("journalled", unlike(effects, [.setDeadline(book.reasons.isEmpty ? timeout : grace)]))
        case 0:
            return ("journalled again", unlike(attempt.journalled(timeout: timeout, grace: grace), []))
        case 1, 2:
            let reason = anyReason(&random)
            let effects = attempt.stopped(because: reason, grace: grace)
            let counts = !book.isBeyondStops && book.reasons.isEmpty
            if counts { book.reasons.append(reason) }
            book.perform(effects)
            let expected: [AttemptLifecycle.Effect] =
                !counts ? [] : book.start == .underWay ? [.cancel] : [.cancel, .setDeadline(grace)]
            return ("stopped: \(reason)", unlike(effects, expected))
        case 3, 4:
            guard book.timer != nil else { return ("", nil) }
            book.timer = nil
            let silence: Duration? = Int.random(in: 0..<3, using: &random) == 0 ? .seconds(7) : nil
            let isOffline = Bool.random(using: &random)
            let effects = attempt.deadlineReached(
                timeout: timeout, silence: silence, isOffline: isOffline, grace: grace)
            let expected: [AttemptLifecycle.Effect]
            if let reason = book.reasons.first {
                expected = [.abandon(reason)]
            } else if let silence {
                expected = [.setDeadline(silence)]
            } else {
                book.reasons.append(isOffline ? .interrupted : .timedOut(after: timeout))
                expected = [.cancel, .setDeadline(grace)]
            }
            book.perform(effects)
            return ("deadline, silence \(String(describing: silence))", unlike(effects, expected))
        case 5 where book.provider == .working:
            book.provider = .journallingOutput
            let own: StopReason? = Bool.random(using: &random) ? .offline : nil
            if book.reasons.isEmpty {
                book.own = own
                book.timer = nil
            }
            attempt.returned(own)
            return ("came back: \(String(describing: own))", nil)
        case 6 where book.provider == .working || book.provider == .journallingOutput:
            // The attempt's task records one end at a time.
            guard book.standIn?.isDone ?? true else { return ("", nil) }
            let own: StopReason? = Bool.random(using: &random) ? .offline : nil
            if book.provider == .working { book.own = own }
            book.provider = .back
            book.timer = nil
            if !book.isAbandoned { book.placesGivenAway += 1 }
            book.end = Recording()
            return ("ended", unlike(attempt.ended(own), book.reasons.first ?? book.own))
        case 7, 8:
            guard let recording = book.recording else { return ("", nil) }
            if recording.waits {
                book.changeRecording { $0.waits = false }
                return ("resumed", unlike(attempt.recordingResumed(), true))
            }
            if Bool.random(using: &random) {
                book.changeRecording {
                    $0.failures += 1
                    $0.waits = true
                }
                attempt.recordingFailed()
                return ("recording failed", nil)
            }
            book.changeRecording { $0.isDone = true }
            attempt.recorded()
            return ("recorded", nil)
        case 9 where book.recording?.waits != true:
            return ("resumed in vain", unlike(attempt.recordingResumed(), false))
        default: return ("", nil)
        }
    }

    /// Returns how the lifecycle differs from the model, or `nil`.
    private static func problem(_ attempt: AttemptLifecycle, _ book: Book) -> String? {
        if attempt.holdsSlot != book.holdsSlot { return "it holds a place: \(attempt.holdsSlot)" }
        if book.placesGivenAway != (book.holdsSlot ? 0 : 1) {
            return "its place was given away \(book.placesGivenAway) times"
        }
        if book.cancellations != (book.reasons.isEmpty ? 0 : 1) {
            return "it was cancelled \(book.cancellations) times for \(book.reasons)"
        }
        let mayRunForEver = book.holdsSlot && book.start == .written && !book.isBeyondStops && book.timer == nil
        if mayRunForEver { return "no deadline is set" }
        if !book.holdsSlot, book.timer != nil { return "a deadline is set that concerns nothing" }
        if attempt.recording?.failures != book.recording?.failures { return "its recording is \(attempt)" }
        if attempt.recording?.isSuspended != book.recording?.waits { return "its recording is \(attempt)" }
        let isAwaited =
            book.recording.map { !$0.waits } ?? false
            || book.provider == .journallingOutput && book.reasons.isEmpty
        if attempt.isBeingRecorded != isAwaited { return "its end is on its way: \(attempt.isBeingRecorded)" }
        if (attempt == .over) != book.isOver { return "it is over: \(attempt == .over)" }
        return nil
    }

    @Test("AttemptLifecycle agrees with the model over random histories", arguments: Seeds.choose(200))
    func agree(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            var attempt = AttemptLifecycle.journalling(stop: nil)
            var book = Book()
            var events: [String] = []
            for _ in 0..<60 {
                let (event, problem) = Self.anything(&attempt, &book, &random)
                if !event.isEmpty { events.append(event) }
                if let problem = problem ?? Self.problem(attempt, book) {
                    Issue.record("HABLARE_SEED=\(seed): \(problem), after \(events.joined(separator: "; "))")
                    return
                }
            }
        }
    }

    @Test("The random histories reach both ends: recorded once, and abandoned and recorded twice")
    func reachesEverything() {
        var random = SeededGenerator(seed: 7)
        var (recorded, twice) = (0, 0)
        for _ in 0..<500 {
            var attempt = AttemptLifecycle.journalling(stop: nil)
            var book = Book()
            for _ in 0..<60 { _ = Self.anything(&attempt, &book, &random) }
            if book.end?.isDone == true { recorded += 1 }
            if book.end?.isDone == true, book.standIn?.isDone == true { twice += 1 }
        }
        #expect(recorded > 100 && twice > 20)
    }
}
