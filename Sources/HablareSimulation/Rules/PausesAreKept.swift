import Hablare

/// If an account refuses a call because of too many calls and asks for a pause, the process sends no call to the
/// account during the pause. If the pause is longer than the maximum, it ends after the maximum.
enum PausesAreKept: SimulationRule {
    static let name = "pauses are kept"

    static func violations(in history: SimulationHistory) -> [String] {
        guard history.hasOneTime else { return [] }
        var found: [String] = []
        shared(history, &found)
        for call in history.calls {
            guard let end = call.end, let pause = refusal(call, history), pause > 0,
                history.processes[Int(call.process)].sleeps.isEmpty
            else { continue }
            let account = history.plan.providers[Int(call.provider)].account
            // Calls on their way to the provider before the pause are not recalled.
            let begin = end.time + history.hurry
            let until = end.time + pause - 1000
            for later in history.calls where later.process == call.process && later.started > end.position {
                guard history.plan.providers[Int(later.provider)].account == account, later.startedAt > begin,
                    later.startedAt < until
                else { continue }
                found.append("call \(later.number) began in the pause that the answer of call \(call.number) demanded")
            }
        }
        return found
    }

    /// Checks that a pause that one process received applies to all processes. The check begins when the pause is on
    /// disk and the other processes have been notified. If the account has a limit, a process may first use the permits
    /// that it already has.
    private static func shared(_ history: SimulationHistory, _ found: inout [String]) {
        guard history.processes.allSatisfy({ $0.sleeps.isEmpty && $0.storeFailures.isEmpty }) else { return }
        for call in history.calls {
            let provider = history.plan.providers[Int(call.provider)]
            guard let end = call.end, call.cancelled.map({ $0.position > end.position }) ?? true,
                let pause = pause(call, history), pause > 0
            else { continue }
            let plan = history.plan
            let hearing =
                plan.signalDelay + (plan.lostSignals > 0 ? plan.configuration.renewalInterval.nanoseconds : 0)
            let begin = end.time + (provider.rate == nil ? hearing : 1_000_000_000) + 2 * history.hurry
            guard history.processes[Int(call.process)].deathTime > begin else { continue }
            for later in history.calls where later.startedAt > begin && later.startedAt < end.time + pause - 1000 {
                guard history.plan.providers[Int(later.provider)].account == provider.account else { continue }
                found.append(
                    "call \(later.number) of process \(later.process) began in the pause that the account of call "
                        + "\(call.number) asked for")
            }
        }
    }

    /// Returns the pause that a provider asked for, with its reported limits or with a refusal.
    private static func pause(_ call: CallStory, _ history: SimulationHistory) -> Int64? {
        let after = refusal(call, history)
        guard case .usedUp(let reset)? = history.sayings[call.number] else { return after }
        return max(min(reset, longest(history)), after ?? 0)
    }

    /// Returns the pause that a provider asked for when it refused a call because of too many calls.
    private static func refusal(_ call: CallStory, _ history: SimulationHistory) -> Int64? {
        guard let failure = history.failure(of: call), failure.code == .rateLimited else { return nil }
        return failure.retryAfter.map { min($0.nanoseconds, longest(history)) }
    }

    private static func longest(_ history: SimulationHistory) -> Int64 {
        history.plan.configuration.longestPause.nanoseconds
    }
}
