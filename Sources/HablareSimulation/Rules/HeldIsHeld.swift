import Hablare

/// If a request has the policy `hold` and the outcome of an attempt is unknown, no attempt follows before an explicit
/// retry. With any policy, no attempt follows ten losses in a row. A loss is an attempt that has no result and may have
/// been billed. No other request is held.
enum HeldIsHeld: SimulationRule {
    static let name = "held is held"

    /// The number of losses in a row after which a request is held with any policy (ADR-018). The rule does not use the
    /// constant of the engine, because it could then not detect a change of this constant.
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
                    found.append(
                        "request \(story.number), whose policy is to run again, is held after \(lost) lost attempts")
                }
            }
            continues(story, final, &found)
            if final.waiting == .held, final.attempts.isEmpty {
                found.append("request \(story.number) is held, but was never sent")
            }
        }
        return found
    }

    /// Returns whether an attempt is a loss: it has no result and may have been billed.
    private static func isLoss(_ entry: FinalRecord.Attempt) -> Bool {
        entry.outcome == .lost || entry.outcome == .interrupted && entry.billing != .neverSent
    }

    /// Checks that, after the maximum number of losses, a request is not sent again before an explicit retry. A stopped
    /// attempt that was never sent is not a loss. It also does not end a row of losses.
    private static func continues(_ story: RequestStory, _ final: FinalRecord, _ found: inout [String]) {
        for life in story.lives {
            let attempts = story.calls.filter { life.contains($0.started) }.map(\.attempt)
            guard let first = attempts.min(), let last = attempts.max() else { continue }
            var losses = 0
            for entry in final.attempts.sorted(by: { $0.attempt < $1.attempt }) where first...last ~= entry.attempt {
                if losses >= maximumLosses {
                    found.append("request \(story.number) was sent again after \(losses) lost attempts in a row")
                    break
                }
                if isLoss(entry) { losses += 1 } else if entry.outcome != .interrupted { losses = 0 }
            }
        }
    }

    private static func holds(_ story: RequestStory, _ history: SimulationHistory, _ found: inout [String]) {
        for life in story.lives {
            let calls = story.calls.filter { life.contains($0.started) }
            for call in calls where isUnknown(call, history) && !isOfEarlierLife(call, calls, history) {
                if let later = restarts(after: call, calls) {
                    found.append(
                        "call \(later.number) of request \(story.number) followed call \(call.number), whose outcome is "
                            + "unknown")
                }
            }
        }
    }

    /// Returns the call that does the work of an earlier call again. The earlier work may already be billed. A call
    /// that resumes the earlier work does not count. If a call finds that the service no longer knows the work and
    /// removes its handle, the next call counts.
    private static func restarts(after call: CallStory, _ calls: [CallStory]) -> CallStory? {
        for later in calls.filter({ $0.attempt > call.attempt }).sorted(by: { $0.attempt < $1.attempt }) {
            guard later.handed != nil else { return later }
            if later.mayHaveForgotten { return nil }
        }
        return nil
    }

    /// Returns whether a call belongs to the time before an explicit retry, although it was sent later. This happens if
    /// a process sleeps after it has written an attempt to the store. Meanwhile the request is cancelled and retried.
    /// The process then sends the attempt. The sign of this is a newer attempt that started before the call. An attempt
    /// that was lost with its process never belongs to the time before a retry.
    private static func isOfEarlierLife(
        _ call: CallStory, _ calls: [CallStory], _ history: SimulationHistory
    ) -> Bool {
        history.entry(of: call)?.outcome != .lost
            && calls.contains { $0.attempt > call.attempt && $0.started < call.started }
    }

    /// Returns whether a call ended with an unknown outcome.
    private static func isUnknown(_ call: CallStory, _ history: SimulationHistory) -> Bool {
        if history.entry(of: call)?.outcome == .lost { return true }
        guard history.hasFailed(call) else { return false }
        if call.hasIgnored { return true }
        if history.failure(of: call)?.disposition == .outcomeUnknown { return true }
        // The call was cancelled, and the ledger says that it failed: by its timeout or the request's deadline.
        guard let cancelled = call.cancelled, let end = call.end else { return false }
        // An answer is a known outcome, even one of another type than promised.
        if case .answered = end.how { return false }
        return cancelled.position < end.position
    }
}
