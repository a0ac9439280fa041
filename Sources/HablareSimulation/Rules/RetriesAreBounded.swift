import Hablare

/// Between two explicit retries, a request has a limited number of attempts at each provider. No attempt follows a
/// permanent failure.
enum RetriesAreBounded: SimulationRule {
    static let name = "retries are bounded"

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        for story in history.stories where !story.isMurky && !story.calls.isEmpty {
            guard let planned = history.planned(story.number) else { continue }
            let bound = planned.maximumAttempts ?? history.plan.configuration.retry.maximumAttempts
            for life in story.lives {
                for provider in Set(story.calls.map(\.provider)).sorted() {
                    let calls = story.calls.filter { life.contains($0.started) && $0.provider == provider }
                    let failed = calls.filter(history.hasFailed)
                    // A failure that came after a later attempt had begun, or after the registration of its lease had
                    // ended, was already counted as lost. Lost attempts do not count.
                    let counted = failed.filter { call in
                        !calls.contains { $0.attempt > call.attempt && $0.started < call.end?.position ?? .max }
                            && !history.processes[Int(call.process)].lostLeases(
                                from: call.started, to: call.end?.position ?? .max)
                    }
                    if counted.count > bound {
                        found.append(
                            "request \(story.number) failed \(counted.count) times; at most \(bound) are allowed")
                    }
                    for call in failed where !isOfEarlierLife(call, story, history) {
                        guard isFinal(call, history), let end = call.end else { continue }
                        if let later = calls.first(where: { $0.started > end.position && $0.attempt > call.attempt }) {
                            found.append(
                                "call \(later.number) of request \(story.number) followed the failure of call "
                                    + "\(call.number), which is final")
                        }
                    }
                }
            }
        }
        return found
    }

    /// Returns whether a call may have been written to the store before its request was cancelled and retried, and was
    /// sent before its process knew of this. The engine ignores the failure of such a call, and the call does not count
    /// for the time after the retry.
    private static func isOfEarlierLife(
        _ call: CallStory, _ story: RequestStory, _ history: SimulationHistory
    ) -> Bool {
        func isJustBefore(_ operation: OperationStory) -> Bool {
            operation.called < call.started && call.startedAt - operation.calledAt < history.hurry
        }
        return story.retries.contains(where: isJustBefore)
            && (story.massCancels > 0 || story.cancels.contains(where: isJustBefore))
    }

    /// Returns whether a call failed permanently.
    private static func isFinal(_ call: CallStory, _ history: SimulationHistory) -> Bool {
        if call.end?.how == .answered(isPromisedType: false) { return true }
        switch history.failure(of: call)?.disposition {
        case .fail, .needsUser: return true
        default: return false
        }
    }
}
