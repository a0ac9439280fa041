/// G3: after the outcome of a request was announced, no call for this request begins. There is one exception: the
/// request failed or was cancelled, and was then retried explicitly.
enum FinalIsFinal: SimulationRule {
    static let name = "G3 final is final"

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        for story in history.stories where !story.isMurky {
            let outcomes = story.outcomes
            let completed = outcomes.first { if case .completed = $0.outcome { true } else { false } }
            // Another rule covers a cancellation, which may meet an attempt journalled elsewhere.
            let failed = outcomes.first { if case .failed = $0.outcome { true } else { false } }
            // A process that slept after journalling its attempt cannot know of later events.
            for call in story.calls
            where !history.mayBeStale(call.process, at: call.started) && !isLeftover(call, story) {
                if let completed, completed.position < call.started {
                    found.append("call \(call.number) of request \(story.number) began after its completion")
                }
                if let failed, failed.position < call.started,
                    !story.retries.contains(where: { $0.called < call.started }),
                    !isBehind(call, failed.outcome, story, history)
                {
                    found.append("call \(call.number) of request \(story.number) began after its failure")
                }
            }
        }
        return found
    }

    /// Returns whether a call is the one attempt that is allowed after a deadline. Its process had written the attempt
    /// to the store. Another process, whose clock was ahead, then ended the request because of its deadline.
    private static func isBehind(
        _ call: CallStory, _ failure: Observed, _ story: RequestStory, _ history: SimulationHistory
    ) -> Bool {
        guard case .failed(AIServiceErrorCode.deadlineExceeded.rawValue, _) = failure else { return false }
        let isFirst = !story.calls.contains { $0.process == call.process && $0.attempt < call.attempt }
        return isFirst && !history.hasOneTime && call.attempt == call.journalled
    }

    /// Returns whether a call is the one attempt that another process may have written to the store before a
    /// cancellation. After the cancellation, the request was retried, and the store has a newer attempt.
    private static func isLeftover(_ call: CallStory, _ story: RequestStory) -> Bool {
        call.attempt < call.journalled
            && (story.massCancels > 0
                || story.cancels.contains { $0.process != call.process && $0.called < call.started })
    }
}
