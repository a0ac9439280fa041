import Hablare

/// A period in which a process was suspended for a reason. Places are indices into the trace.
struct SuspensionStory: Sendable {
    let process: Int32
    let reason: SuspensionReason
    /// The place of the suspension's call.
    let begin: Int
    /// The place from which nothing that it concerns is in progress, as the call's return states.
    let settled: Int?
    /// The place at which the suspension or the process ended.
    let end: Int

    /// Returns whether it concerns a provider.
    func concerns(_ provider: Int16) -> Bool {
        reason == .background || SimulatedProvider.needsNetwork(Int(provider))
    }
}

extension SimulationHistory {
    /// Returns the suspensions, one for each call.
    func findSuspensions() -> [SuspensionStory] {
        operations.compactMap { operation in
            guard case .suspend(let reason, _) = operation.operation, operation.result != .count(0) else { return nil }
            let resumed = operations.first {
                $0.process == operation.process && $0.operation == .resume(reason) && $0.called > operation.called
            }
            let death = processes[Int(operation.process)].death ?? .max
            let end = min(resumed?.called ?? .max, death, faultsEnded)
            let settled = operation.returned.flatMap { $0 < end ? $0 : nil }
            return SuspensionStory(
                process: operation.process, reason: reason, begin: operation.called, settled: settled, end: end)
        }
    }

    /// Returns whether a call failed from the network while its process was offline, or at about that time.
    func isOffline(_ call: CallStory, within slack: Int64) -> Bool {
        guard let end = call.end, let failure = failure(of: call), failure.category == .network else { return false }
        return suspensions.contains { suspension in
            suspension.process == call.process && suspension.reason == .offline && suspension.concerns(call.provider)
                && events[suspension.begin].time - slack <= end.time
                && (suspension.end == .max || end.time - slack <= events[suspension.end].time)
        }
    }
}
