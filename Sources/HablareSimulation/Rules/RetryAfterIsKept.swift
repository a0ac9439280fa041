import Hablare

/// If a provider asks for a pause, the next attempt of the request starts after the pause. No backoff is longer than
/// the retry policy allows.
enum RetryAfterIsKept: SimulationRule {
    static let name = "Retry-After is kept"

    /// The backoff of a request whose prompt could not be read when it was claimed, in nanoseconds. It is not a
    /// consequence of a failure, so the retry policy does not limit it.
    private static let unreadPause: Int64 = 5_000_000_000

    static func violations(in history: SimulationHistory) -> [String] {
        guard history.hasOneTime else { return [] }
        var found: [String] = []
        for story in history.stories where !story.isMurky && !story.calls.isEmpty {
            for life in story.lives {
                let calls = story.calls.filter { life.contains($0.started) }
                for call in calls where history.hasFailed(call) {
                    guard let end = call.end, let after = history.failure(of: call)?.retryAfter,
                        let next = calls.first(where: { $0.started > end.position && $0.attempt > call.attempt }),
                        next.provider == call.provider
                    else { continue }
                    // One microsecond of tolerance for the precision of dates.
                    if next.startedAt - end.time < after.nanoseconds - 1000 {
                        found.append(
                            "call \(next.number) of request \(story.number) began "
                                + "\((next.startedAt - end.time) / 1_000_000) ms after call \(call.number), which asked "
                                + "for \(after)")
                    }
                }
                elapsed(story, life, calls, history, &found)
            }
        }
        return found
    }

    /// Checks that no backoff ends later than the retry policy allows.
    private static func elapsed(
        _ story: RequestStory, _ life: Range<Int>, _ calls: [CallStory], _ history: SimulationHistory,
        _ found: inout [String]
    ) {
        // The time restarts with another provider, and with each attempt that resumes remembered work.
        guard let first = calls.first(where: history.hasFailed), history.planned(story.number)?.fallback == [],
            !calls.contains(where: { $0.remembered != nil || $0.handed != nil })
        else { return }
        let (limit, overflows) = first.startedAt.addingReportingOverflow(
            history.plan.configuration.retry.maximumElapsed.nanoseconds)
        for operation in story.others where life.contains(operation.called) && operation.called > first.started {
            guard case .waiting(.backingOff(let until))? = operation.result, operation.end < life.upperBound else {
                continue
            }
            if !overflows, until > limit, !isPauseOfUnread(until, in: history) {
                found.append("request \(story.number) backs off beyond the policy's bound (\(operation.number))")
            }
        }
    }

    private static func isPauseOfUnread(_ until: Int64, in history: SimulationHistory) -> Bool {
        // One microsecond of tolerance for the precision of dates.
        history.events.contains { $0.what == .readFailed && abs(until - $0.time - unreadPause) <= 1000 }
    }
}
