import Hablare

/// A period in which a process was suspended for a reason. Positions are indices into the trace.
struct SuspensionStory: Sendable {
    let process: Int32
    let reason: SuspensionReason
    /// The position of the call that began the suspension.
    let begin: Int
    /// The position from which no call that the suspension concerns is in progress. At this position, the suspending
    /// call returned.
    let settled: Int?
    /// The position at which the suspension or the process ended.
    let end: Int

    /// Returns whether the suspension concerns a provider.
    func concerns(_ provider: Int16) -> Bool {
        reason == .background || SimulatedProvider.needsNetwork(Int(provider))
    }
}

extension SimulationHistory {
    /// Returns the suspensions, one for each call that began one.
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

    /// Returns whether a call failed because of the network while its process was offline, or at about that time.
    func isOffline(_ call: CallStory, within slack: Int64) -> Bool {
        guard let end = call.end, let failure = failure(of: call), failure.category == .network else { return false }
        return suspensions.contains { suspension in
            suspension.process == call.process && suspension.reason == .offline && suspension.concerns(call.provider)
                && events[suspension.begin].time - slack <= end.time
                && (suspension.end == .max || end.time - slack <= events[suspension.end].time)
        }
    }
}
