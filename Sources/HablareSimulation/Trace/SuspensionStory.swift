import Hablare

/// A period in which a process was suspended for one reason. Positions are indices of events in the trace.
struct SuspensionStory: Sendable {
    let process: Int32
    let reason: SuspensionReason
    /// The position at which the function that suspends the engine was called.
    let begin: Int
    /// The position at which this function returned. From this position on, all calls that the suspension stops have
    /// ended.
    let settled: Int?
    /// The position at which the suspension ended or the process died.
    let end: Int

    /// Returns whether the suspension applies to calls of a provider.
    func concerns(_ provider: Int16) -> Bool {
        reason == .background || SimulatedProvider.needsNetwork(Int(provider))
    }
}

extension SimulationHistory {
    /// Returns the suspensions of all processes. Each call of the function that suspends an engine begins one.
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

    /// Returns whether a call failed because of the network while its process had no network. A tolerance is applied at
    /// the beginning and the end of this time.
    func isOffline(_ call: CallStory, within slack: Int64) -> Bool {
        guard let end = call.end, let failure = failure(of: call), failure.category == .network else { return false }
        return suspensions.contains { suspension in
            suspension.process == call.process && suspension.reason == .offline && suspension.concerns(call.provider)
                && events[suspension.begin].time - slack <= end.time
                && (suspension.end == .max || end.time - slack <= events[suspension.end].time)
        }
    }
}
