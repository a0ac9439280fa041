import Foundation
import Hablare

extension SimulationHistory {
    /// The plan and all events as text, one on each line.
    package var text: String {
        var lines = ["plan of seed \(plan.seed), interleaving \(plan.interleaving):"]
        lines.append(
            "  \(plan.slots) processes, \(plan.knowsLiveness ? "who is dead is known" : "leases decide who is dead"), "
                + "style \(plan.style), signals \(Self.time(plan.signalDelay)), commits \(Self.time(plan.commitDelay))")
        lines.append("  \(plan.configuration)")
        if let slot = plan.scopedSlot { lines.append("  place \(slot) is there for the first job only") }
        for (number, provider) in plan.providers.enumerated() {
            lines.append(
                "  provider p\(number): \(provider.concurrency) at once, timeout \(provider.attemptTimeout.map { "\($0)" } ?? "-"), account a\(provider.account), \(provider.rate.map { "\($0)" } ?? "no limit")"
            )
        }
        for (number, request) in plan.requests.enumerated() where isUsed(Int32(number)) {
            let chain = ([request.provider] + request.fallback).map { "p\($0)" }.joined(separator: " > ")
            lines.append(
                "  request \(number): \(chain), content \(request.content), \(request.priority), "
                    + "timeout \(request.attemptTimeout.map { "\($0)" } ?? "-"), "
                    + "deadline \(request.deadline.map(Self.time) ?? "-"), attempts \(request.maximumAttempts ?? 0), "
                    + "\(request.unknownOutcome), \(request.behaviours)")
        }
        for event in plan.events {
            lines.append("  \(event.number) at \(Self.time(event.time)) in place \(event.slot): \(event.what)")
        }
        lines.append("history:")
        let names = Dictionary(operations.map { ($0.number, $0.operation) }, uniquingKeysWith: { first, _ in first })
        for (position, event) in events.enumerated() { lines.append(line(event, position, names)) }
        lines.append("at the end:")
        for record in final.values.sorted(by: { $0.request < $1.request }) { lines.append("  \(record)") }
        return lines.joined(separator: "\n")
    }

    private func isUsed(_ request: Int32) -> Bool { requests[request] != nil }

    private func line(_ event: TraceEvent, _ position: Int, _ names: [Int32: ClientOperation]) -> String {
        let process = event.process < 0 ? "world" : "P\(event.process)"
        let what =
            switch event.what {
            case .operationCalled(let number): "\(number) calls \(names[number].map { "\($0)" } ?? "?")"
            case .operationReturned(let number, let result):
                "\(number) returns \(Self.text(result)) from \(names[number].map { "\($0)" } ?? "?")"
            case .told(let number, let status): "\(number) is told \(Self.text(status))"
            case .callEnded(let call, let end): "call \(call) of request \(calls[Int(call)].request) ends: \(end)"
            default: "\(event.what)"
            }
        return "  \(position) \(Self.time(event.time)) step \(event.step) \(process): \(what)"
    }

    private static func text(_ observed: Observed) -> String {
        switch observed {
        case .refused(let code): "refused(\(AIServiceErrorCode(rawValue: code).text))"
        case .failed(let code, let call): "failed(\(AIServiceErrorCode(rawValue: code).text), call \(call))"
        default: "\(observed)"
        }
    }

    private static func time(_ nanoseconds: Int64) -> String {
        String(format: "%.3f s", Double(nanoseconds) / 1e9)
    }
}
