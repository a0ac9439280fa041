import Hablare

/// G4: in a living process, every wait for an outcome ends. It ends with the outcome, because its caller was cancelled,
/// or because the engine was shut down or suspended.
enum EveryWaitEnds: SimulationRule {
    static let name = "G4 every wait ends"

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        for operation in history.operations {
            let process = history.processes[Int(operation.process)]
            // A wait for a request that never becomes final lasts until the shutdown.
            let stays =
                operation.operation.request.map { request in
                    // A wait for a held request lasts as long, unless an abandoned provider call answers after all.
                    let mayBeLate =
                        history.requests[request]?.calls.contains { $0.end?.position ?? 0 > history.quiet } ?? false
                    return history.stays(request) || mayBeLate
                } ?? false
            guard let returned = operation.returned else {
                let hasFailed = process.serviceEnded.map { $0.observed != .done } ?? false
                if !process.hasCrashed, !hasFailed {
                    found.append("operation \(operation.number), \(operation.operation), never ended")
                }
                continue
            }
            if !stays, returned > history.quiet, process.shutdownOrdered.map({ $0 > history.quiet }) ?? true {
                found.append("operation \(operation.number), \(operation.operation), ended only by the last shutdown")
            }
            if operation.result?.isRefused(.suspended) == true,
                process.shutdownOrdered.map({ $0 > returned }) ?? true,
                process.serviceEnded.map({ $0.position > returned }) ?? true,
                !history.suspensions.contains(where: {
                    $0.process == operation.process && $0.reason == .background && $0.begin < returned
                })
            {
                found.append("operation \(operation.number) received a shutdown that no process ordered")
            }
            if operation.result == .cancellationError, !operation.isCancelled {
                found.append("operation \(operation.number) received a cancellation, but was not cancelled")
            }
            if case .watch = operation.operation { stream(operation, &found) }
        }
        return found
    }

    private static func stream(_ operation: OperationStory, _ found: inout [String]) {
        switch operation.result {
        case .pending, .executing, .done:
            found.append("the stream of operation \(operation.number) ended without the outcome")
        default: break
        }
        let outcome = operation.told.firstIndex { $0.observed.outcome != nil }
        if let outcome, outcome != operation.told.count - 1 {
            found.append("the stream of operation \(operation.number) continued after the outcome")
        }
    }
}
