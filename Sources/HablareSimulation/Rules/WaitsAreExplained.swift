import Hablare

/// The reason for waiting in a request's snapshot agrees with the events of the history.
enum WaitsAreExplained: SimulationRule {
    static let name = "waits are explained"

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        let hasOneTime = history.hasOneTime
        for story in history.stories where !story.isMurky {
            for operation in story.others {
                guard case .waiting(let reason)? = operation.result, let returned = operation.returned,
                    let life = story.lives.first(where: { $0.contains(operation.called) && $0.contains(returned) })
                else { continue }
                let calls = story.calls.filter { life.contains($0.started) }
                switch reason {
                case .queued, .unclaimed: break
                case .following, .noProvider: break  // checked by another rule
                case .suspended(let reason):
                    if !history.suspensions.contains(where: {
                        $0.process == operation.process && $0.reason == reason && $0.begin < returned
                            && $0.end > operation.called
                    }) {
                        found.append(
                            "request \(story.number) waits for a suspension that does not exist (\(operation.number))")
                    }
                case .backingOff(let until):
                    if let next = calls.first(where: {
                        $0.started > returned && $0.attempt > attempts(before: operation, story)
                    }), hasOneTime,
                        next.startedAt < until - 1000
                    {
                        found.append("call \(next.number) began while its request backed off (\(operation.number))")
                    }
                    // A process that slept between journalling and sending may find that the attempt's time is over.
                    let mayHaveSlept = history.processes.contains { !$0.sleeps.isEmpty }
                    // Its prompt could not be read when it was claimed, so it was put back for a while.
                    let mayBeUnread =
                        history.plan.content != nil
                        && history.events[..<returned].contains { $0.what == .readFailed }
                    if !mayHaveSlept, !mayBeUnread, !story.calls.contains(where: { $0.started < returned }) {
                        found.append("request \(story.number) backs off before its first attempt (\(operation.number))")
                    }
                case .held:
                    if let next = calls.first(where: {
                        $0.started > returned && $0.attempt > attempts(before: operation, story)
                    }) {
                        found.append("call \(next.number) began while its request was held (\(operation.number))")
                    }
                case .rateLimited: limited(operation, story, history, &found)
                case .providerFailing: failing(operation, story, history, &found)
                }
            }
        }
        return found
    }

    private static func attempts(before operation: OperationStory, _ story: RequestStory) -> Int32 {
        story.calls.filter { $0.started < operation.called }.map(\.attempt).max() ?? 0
    }

    /// Checks that the account has a limit or was asked to pause.
    private static func limited(
        _ operation: OperationStory, _ story: RequestStory, _ history: SimulationHistory, _ found: inout [String]
    ) {
        guard let planned = history.planned(story.number) else { return }
        let providers = planned.chain.map { history.plan.providers[$0] }
        let wasTold = history.calls.contains { call in
            providers.map(\.account).contains(history.plan.providers[Int(call.provider)].account)
                && (call.end?.position ?? .max) < operation.end
                && (history.failure(of: call)?.code == .rateLimited || history.sayings[call.number] != nil)
        }
        if providers.allSatisfy({ $0.rate == nil }), !wasTold {
            found.append("request \(story.number) waits for a limit that does not exist (\(operation.number))")
        }
    }

    /// Checks that calls to the provider have failed.
    private static func failing(
        _ operation: OperationStory, _ story: RequestStory, _ history: SimulationHistory, _ found: inout [String]
    ) {
        guard let planned = history.planned(story.number) else { return }
        let accounts = planned.chain.map { history.plan.providers[$0].account }
        let failed = history.calls.count { call in
            accounts.contains(history.plan.providers[Int(call.provider)].account)
                && min(call.end?.position ?? .max, call.cancelled?.position ?? .max) < operation.end
        }
        if failed < history.plan.configuration.breaker.threshold {
            found.append("request \(story.number) waits for a provider that did not fail (\(operation.number))")
        }
    }
}
