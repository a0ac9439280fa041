import Hablare

/// A request that is to be held when nobody knows what came of its attempt gets no other attempt without somebody's
/// word; one that was lost ten times in a row gets none either; and no other request is held.
enum HeldIsHeld: SimulationRule {
    static let name = "held is held"

    /// After so many losses in a row a request is held whatever it asks for: ADR-018 says so. Not the engine's own
    /// constant: a rule that reads it could not see it change.
    private static let maximumLosses = 10

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        for story in history.stories where !story.isMurky {
            guard let planned = history.planned(story.number), let final = history.final[story.number] else { continue }
            switch planned.unknownOutcome {
            case .hold: holds(story, history, &found)
            case .runAgain:
                let lost = final.attempts.count(where: isLoss)
                let says = final.waiting == .held || story.others.contains { $0.result == .waiting(.held) }
                if says, lost < maximumLosses {
                    found.append("request \(story.number), which is to be run again, is held after \(lost) losses")
                }
            }
            goesOn(story, final, &found)
            if final.waiting == .held, final.attempts.isEmpty {
                found.append("request \(story.number) is held and was never sent")
            }
        }
        return found
    }

    /// Whether an attempt brought nothing and may have been billed.
    private static func isLoss(_ line: FinalRecord.Attempt) -> Bool {
        line.outcome == .lost || line.outcome == .interrupted && line.billing != .neverSent
    }

    /// Whoever was lost as often as that is sent no more before somebody retries it. A stopped attempt that was never sent
    /// neither counts nor ends the row.
    private static func goesOn(_ story: RequestStory, _ final: FinalRecord, _ found: inout [String]) {
        for life in story.lives {
            let attempts = story.calls.filter { life.contains($0.started) }.map(\.attempt)
            guard let first = attempts.min(), let last = attempts.max() else { continue }
            var losses = 0
            for line in final.attempts.sorted(by: { $0.attempt < $1.attempt }) where first...last ~= line.attempt {
                if losses >= maximumLosses {
                    found.append("request \(story.number) was sent again after \(losses) losses in a row")
                    break
                }
                if isLoss(line) { losses += 1 } else if line.outcome != .interrupted { losses = 0 }
            }
        }
    }

    private static func holds(_ story: RequestStory, _ history: SimulationHistory, _ found: inout [String]) {
        for life in story.lives {
            let calls = story.calls.filter { life.contains($0.started) }
            for call in calls where isUnknown(call, history) && !isOfEarlierLife(call, calls, history) {
                if let later = beginsAnew(after: call, calls) {
                    found.append(
                        "call \(later.number) of request \(story.number) followed call \(call.number), of which nobody "
                            + "knows what came of it")
                }
            }
        }
    }

    /// The call that begins anew what an earlier one may have begun, and somebody may be paid for. What goes on with
    /// remembered work pays for nothing twice, until a call knows that the work is gone, and forgets it.
    private static func beginsAnew(after call: CallStory, _ calls: [CallStory]) -> CallStory? {
        for later in calls.filter({ $0.attempt > call.attempt }).sorted(by: { $0.attempt < $1.attempt }) {
            guard later.handed != nil else { return later }
            if later.mayHaveForgotten { return nil }
        }
        return nil
    }

    /// Whether a process that slept sent what it had journalled before somebody cancelled and retried the request: then
    /// there was a newer attempt before this one began. What died with its process is of no earlier life.
    private static func isOfEarlierLife(
        _ call: CallStory, _ calls: [CallStory], _ history: SimulationHistory
    ) -> Bool {
        history.line(of: call)?.outcome != .lost
            && calls.contains { $0.attempt > call.attempt && $0.started < call.started }
    }

    /// Whether a call ended, and nobody knows how.
    private static func isUnknown(_ call: CallStory, _ history: SimulationHistory) -> Bool {
        if history.line(of: call)?.outcome == .lost { return true }
        guard history.hasFailed(call) else { return false }
        if call.hasIgnored { return true }
        if history.failure(of: call)?.disposition == .outcomeUnknown { return true }
        // It was told to stop and the ledger says that it failed: it took too long, or its request ran out of time.
        guard let cancelled = call.cancelled, let end = call.end else { return false }
        // What answered is known, be it of another type than promised.
        if case .answered = end.how { return false }
        return cancelled.place < end.place
    }
}
