import Hablare

/// A suspended process has no calls in progress and starts none. While the system may end it at any moment, it is not
/// registered. Network failures while there is no network do not count as failures.
enum RestIsKept: SimulationRule {
    static let name = "G4 rest is kept"

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        let grace = history.plan.configuration.cancellationGrace.nanoseconds
        for rest in history.rests {
            guard let settled = rest.settled else { continue }
            let time = history.events[settled].time
            for call in history.calls where call.process == rest.process && rest.concerns(call.provider) {
                if call.started > settled, call.started < rest.end {
                    found.append("call \(call.number) began while process \(rest.process) rested (\(rest.reason))")
                }
                let isGivenUp = call.cancelled.map { $0.time + grace <= time } ?? false
                if call.isRunning(at: settled), !isGivenUp {
                    found.append("call \(call.number) went on when process \(rest.process) rested (\(rest.reason))")
                }
            }
            guard rest.reason == .background else { continue }
            for place in settled..<min(rest.end, history.events.count)
            where history.events[place].process == rest.process && history.events[place].what == .ownerRegistered {
                found.append("process \(rest.process) registered while it rested (event \(place))")
            }
        }
        for call in history.calls where failedOffline(call, history) {
            let story = history.requests[call.request]
            let said = (story?.outcomes.map(\.outcome) ?? []) + [history.final[call.request]?.status].compactMap(\.self)
            if said.contains(where: { if case .failed(_, call.number) = $0 { true } else { false } }) {
                found.append("request \(call.request) failed of call \(call.number), which had no network")
            }
        }
        return found
    }

    /// Returns whether a call failed from the network in the middle of an offline period, and its request may not be
    /// held or fail for that.
    private static func failedOffline(_ call: CallStory, _ history: SimulationHistory) -> Bool {
        guard let end = call.end, history.failure(of: call)?.category == .network,
            let planned = history.planned(call.request), planned.unknownOutcome == .runAgain
        else { return false }
        return history.rests.contains { rest in
            // The time from the call's end until the engine handles it is not visible from outside.
            rest.process == call.process && rest.reason == .offline && rest.concerns(call.provider)
                && rest.begin < end.place && rest.end < .max
                && end.time + 2 * history.hurry < history.events[rest.end].time
                && history.processes[Int(call.process)].sleeps.isEmpty
        }
    }
}
