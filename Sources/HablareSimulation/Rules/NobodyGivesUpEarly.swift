import Hablare

/// A request does not fail with a retryable failure before it has had its maximum number of attempts. After an explicit
/// retry, the count starts again. Attempts that did not fail because of the provider are not counted.
enum NobodyGivesUpEarly: SimulationRule {
    static let name = "nobody gives up early"

    static func violations(in history: SimulationHistory) -> [String] {
        let policy = history.plan.configuration.retry
        // The time since the first attempt that counts is unknown, but no history takes that long.
        guard history.hasOneTime, policy.maximumElapsed >= .seconds(600) else { return [] }
        var found: [String] = []
        for story in history.stories where !story.isMurky {
            guard let planned = history.planned(story.number), planned.deadline == nil else { continue }
            let bound = planned.maximumAttempts ?? policy.maximumAttempts
            let said = story.outcomes.map(\.outcome) + [history.final[story.number]?.status].compactMap(\.self)
            for case .failed(_, let number) in Set(said) where number >= 0 {
                let call = history.calls[Int(number)]
                guard let end = call.end, let failure = history.failure(of: call), !failure.isAbsurd,
                    end.time - (story.calls.first?.startedAt ?? 0) < 300_000_000_000
                else { continue }
                switch failure.disposition {
                case .retry: break
                case .outcomeUnknown where planned.unknownOutcome == .runAgain: break
                default: continue
                }
                // A stream that readers may have seen is restarted only if its policy allows it.
                if let streaming = planned.streaming, !streaming.allowsRestart, history.hasBegun(call) { continue }
                // Only the attempts since the last retry that was applied before the call count.
                let retry =
                    story.retries.filter { $0.result == .done && $0.end < call.started }.map(\.called).max() ?? 0
                let before =
                    story.calls.filter { $0.started < retry || $0.provider != call.provider }.map(\.attempt).max() ?? 0
                if call.attempt - before < bound {
                    found.append(
                        "request \(story.number) failed because of call \(number), which was attempt \(call.attempt - before) of \(bound) allowed attempts"
                    )
                }
            }
        }
        return found
    }
}
