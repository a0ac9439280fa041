import Hablare

/// A process never has more calls to a provider in flight than the concurrency limit allows. Abandoned calls are not
/// counted.
enum ConcurrencyIsLimited: SimulationRule {
    static let name = "concurrency is limited"

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        let grace = history.plan.configuration.cancellationGrace.nanoseconds
        for (index, call) in history.calls.enumerated() {
            let limit = history.plan.providers[Int(call.provider)].concurrency
            let others = history.calls[..<index].count { other in
                other.process == call.process && other.provider == call.provider && other.isRunning(at: call.started)
                    && !(other.cancelled.map { $0.time + grace <= call.startedAt } ?? false)
            }
            if others >= limit {
                found.append("call \(call.number) began while \(others) other calls ran; the limit is \(limit)")
            }
        }
        return found
    }
}
