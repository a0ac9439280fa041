import Hablare

/// The time that a provider asks for passes before the request's next attempt, and no attempt is put off beyond the
/// policy's bound.
enum RetryAfterIsKept: SimulationRule {
    static let name = "Retry-After is kept"

    /// A request whose prompt could not be read when it was taken is left alone for so long, in nanoseconds. That is no
    /// back-off from its provider, and the policy does not bound it.
    private static let unreadPause: Int64 = 5_000_000_000

    static func violations(in history: SimulationHistory) -> [String] {
        guard history.hasOneTime else { return [] }
        var found: [String] = []
        for story in history.stories where !story.isMurky && !story.calls.isEmpty {
            for life in story.lives {
                let calls = story.calls.filter { life.contains($0.started) }
                for call in calls where history.hasFailed(call) {
                    guard let end = call.end, let after = history.failure(of: call)?.retryAfter,
                        let next = calls.first(where: { $0.started > end.place && $0.attempt > call.attempt }),
                        next.provider == call.provider
                    else { continue }
                    // A microsecond for what a date cannot hold.
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

    /// No back-off ends later than the policy lets it.
    private static func elapsed(
        _ story: RequestStory, _ life: Range<Int>, _ calls: [CallStory], _ history: SimulationHistory,
        _ found: inout [String]
    ) {
        // With another provider the time begins anew, and with each attempt that goes on with what is remembered.
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
        // A microsecond for what a date cannot hold.
        history.events.contains { $0.what == .readFailed && abs(until - $0.time - unreadPause) <= 1000 }
    }
}
