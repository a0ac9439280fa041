import Hablare

/// A suspended process has no call in flight and starts none. A process that is suspended in the background is not
/// registered. While there is no network, failures because of the network are not counted.
enum SuspensionIsKept: SimulationRule {
    static let name = "G4 rest is kept"

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        let grace = history.plan.configuration.cancellationGrace.nanoseconds
        for suspension in history.suspensions {
            guard let settled = suspension.settled else { continue }
            let time = history.events[settled].time
            for call in history.calls where call.process == suspension.process && suspension.concerns(call.provider) {
                if call.started > settled, call.started < suspension.end {
                    found.append(
                        "call \(call.number) began while process \(suspension.process) was suspended (\(suspension.reason))"
                    )
                }
                let isGivenUp = call.cancelled.map { $0.time + grace <= time } ?? false
                if call.isRunning(at: settled), !isGivenUp {
                    found.append(
                        "call \(call.number) continued while process \(suspension.process) was suspended (\(suspension.reason))"
                    )
                }
            }
            guard suspension.reason == .background else { continue }
            for position in settled..<min(suspension.end, history.events.count)
            where history.events[position].process == suspension.process
                && history.events[position].what == .ownerRegistered
            {
                found.append("process \(suspension.process) registered while it was suspended (event \(position))")
            }
        }
        for call in history.calls where failedOffline(call, history) {
            let story = history.requests[call.request]
            let said = (story?.outcomes.map(\.outcome) ?? []) + [history.final[call.request]?.status].compactMap(\.self)
            if said.contains(where: { if case .failed(_, call.number) = $0 { true } else { false } }) {
                found.append("request \(call.request) failed because of call \(call.number), which had no network")
            }
        }
        return found
    }

    /// Returns whether a call failed because of the network while its process was suspended as offline. The request
    /// must not be held and must not fail because of this.
    private static func failedOffline(_ call: CallStory, _ history: SimulationHistory) -> Bool {
        guard let end = call.end, history.failure(of: call)?.category == .network,
            let planned = history.planned(call.request), planned.unknownOutcome == .runAgain
        else { return false }
        return history.suspensions.contains { suspension in
            // The time from the call's end until the engine handles it is not visible from outside.
            suspension.process == call.process && suspension.reason == .offline && suspension.concerns(call.provider)
                && suspension.begin < end.position && suspension.end < .max
                && end.time + 2 * history.hurry < history.events[suspension.end].time
                && history.processes[Int(call.process)].sleeps.isEmpty
        }
    }
}
