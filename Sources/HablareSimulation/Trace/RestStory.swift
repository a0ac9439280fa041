import Hablare

/// A time in which a process was to rest for a reason. Places are indices into the trace.
struct RestStory: Sendable {
    let process: Int32
    let reason: SuspensionReason
    /// Where it was asked for.
    let begin: Int
    /// Where nothing it concerns was under way any more, as was said.
    let settled: Int?
    /// Where it was taken back, or its process ended.
    let end: Int

    /// Whether it concerns a provider.
    func concerns(_ provider: Int16) -> Bool {
        reason == .background || SimulatedProvider.needsNetwork(Int(provider))
    }
}

extension SimulationHistory {
    /// The rests, one for each that was asked for.
    func findRests() -> [RestStory] {
        operations.compactMap { operation in
            guard case .suspend(let reason, _) = operation.operation, operation.result != .count(0) else { return nil }
            let resumed = operations.first {
                $0.process == operation.process && $0.operation == .resume(reason) && $0.called > operation.called
            }
            let death = processes[Int(operation.process)].death ?? .max
            let end = min(resumed?.called ?? .max, death, faultsEnded)
            let settled = operation.returned.flatMap { $0 < end ? $0 : nil }
            return RestStory(
                process: operation.process, reason: reason, begin: operation.called, settled: settled, end: end)
        }
    }

    /// Whether a call failed of the network while its process had none, or at about that time.
    func isOffline(_ call: CallStory, within slack: Int64) -> Bool {
        guard let end = call.end, let failure = failure(of: call), failure.category == .network else { return false }
        return rests.contains { rest in
            rest.process == call.process && rest.reason == .offline && rest.concerns(call.provider)
                && events[rest.begin].time - slack <= end.time
                && (rest.end == .max || end.time - slack <= events[rest.end].time)
        }
    }
}
