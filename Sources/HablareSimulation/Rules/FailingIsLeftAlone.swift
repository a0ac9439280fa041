import Hablare

/// After a number of failures in a row, a process pauses its calls to a provider. After the pause, it first sends one
/// call as a test.
enum FailingIsLeftAlone: SimulationRule {
    static let name = "who fails is left alone"

    static func violations(in history: SimulationHistory) -> [String] {
        guard history.hasOneTime else { return [] }
        var found: [String] = []
        for process in history.processes where process.sleeps.isEmpty && process.storeFailures.isEmpty {
            for provider in history.plan.providers.indices {
                let calls = history.calls.filter { $0.process == process.number && Int($0.provider) == provider }
                guard calls.count > history.plan.configuration.breaker.threshold else { continue }
                // The time at which a deaf call is abandoned, which counts as a failure, is not visible from outside.
                let grace = history.plan.configuration.cancellationGrace.nanoseconds
                let isGivenUp = calls.contains { call in
                    call.cancelled.map { (call.end?.time ?? .max) >= $0.time + grace } ?? false
                }
                guard !isGivenUp else { continue }
                check(calls, history, &found)
            }
        }
        return found
    }

    /// The state of a process's circuit breaker for a provider, if it is known.
    private enum State {
        case unknown
        case closed(Int)
        case open(since: Int64, until: Int64, pauses: Int)
        case probing(Int32, since: Int64, pauses: Int)
    }

    private static func check(_ calls: [CallStory], _ history: SimulationHistory, _ found: inout [String]) {
        var moments: [(position: Int, call: CallStory, isStart: Bool)] = calls.map { ($0.started, $0, true) }
        moments += calls.compactMap { call in call.end.map { ($0.position, call, false) } }
        moments += calls.compactMap { call in
            call.cancelled.flatMap { $0.position < call.end?.position ?? .max ? ($0.position, call, false) : nil }
        }
        let policy = history.plan.configuration.breaker
        let hurry = history.hurry
        var state = State.closed(0)
        func open(_ time: Int64, _ pauses: Int) -> State {
            let pause = min(policy.pause * (1 << min(pauses, 30)), policy.longestPause)
            return .open(since: time, until: time + pause.nanoseconds, pauses: pauses)
        }
        for moment in moments.sorted(by: { $0.position < $1.position }) {
            let time = history.events[moment.position].time
            if moment.isStart {
                switch state {
                case .unknown, .closed: break
                case .open(let since, let until, let pauses):
                    if time <= since + hurry {
                        if time >= until - 1000 { state = .unknown }  // the probe, or a call from before
                    } else if time < until - 1000 {
                        found.append(
                            "call \(moment.call.number) began \((until - time) / 1_000_000) ms before the pause of p\(moment.call.provider) was over"
                        )
                    } else {
                        state = .probing(moment.call.number, since: time, pauses: pauses)
                    }
                case .probing(let probe, _, _):
                    found.append(
                        "call \(moment.call.number) began during the trial call of the circuit breaker, call \(probe)")
                }
                continue
            }
            guard let health = health(moment.call, history) else {
                state = .unknown
                continue
            }
            switch (state, health) {
            case (_, .sound): state = .closed(0)
            case (.closed(let failures), .failing):
                state = failures + 1 < policy.threshold ? .closed(failures + 1) : open(time, 0)
            case (.probing(let probe, _, let pauses), .failing) where probe == moment.call.number:
                state = open(time, pauses + 1)
            case (.probing(let probe, _, _), .unknown) where probe == moment.call.number: state = .unknown
            default: break
            }
        }
    }

    /// The health of a provider, as far as the end of a call shows it.
    private enum Health {
        case sound
        case failing
        case unknown
    }

    /// Returns the health of a provider that the end of a call shows. Returns `nil` for a cancelled call, because the
    /// health then depends on the reason for the cancellation.
    private static func health(_ call: CallStory, _ history: SimulationHistory) -> Health? {
        guard let end = call.end, call.cancelled.map({ $0.position > end.position }) ?? true else { return nil }
        // The engine refuses such an answer, and counts it as a failure unless the call failed first.
        if history.isAnsweredInVain(call) { return nil }
        guard let failure = history.failure(of: call) else { return end.how == .cancelled ? nil : .sound }
        // Without a network, a failure gives no information about the provider.
        if history.isOffline(call, within: history.hurry) { return nil }
        switch failure.disposition {
        case .retry: return failure.code == .rateLimited ? .unknown : .failing
        case .outcomeUnknown: return .failing
        case .fail, .needsUser: return .sound
        }
    }
}
