import Hablare

/// G11: every error is an error of the engine or a `CancellationError`. Storage errors occur only after the store has
/// failed.
enum ErrorsAreTyped: SimulationRule {
    static let name = "G11 errors are typed"

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        for operation in history.operations {
            guard let returned = operation.returned else { continue }
            switch operation.result {
            case .foreignError: found.append("operation \(operation.number) threw an error of another type")
            case .refused(let code):
                let code = AIServiceErrorCode(rawValue: code)
                if code.code == nil { found.append("operation \(operation.number) threw an unknown code") }
                if code.category == .storage, !hasFailed(operation, with: code.code, until: returned, history) {
                    found.append(
                        "operation \(operation.number) reports a failure of the store, which did not fail: \(code.text)"
                    )
                }
            default: continue
            }
        }
        for process in history.processes {
            guard case .foreignError? = process.serviceEnded?.observed else { continue }
            found.append("the engine of process \(process.number) threw an error of another type")
        }
        return found
    }

    /// Returns whether the store failed in the process of an operation while the operation ran. If the error is the
    /// outcome of the request, its cause may be elsewhere: in another process that made a call for the same work, or in
    /// a missing content file with the answer.
    private static func hasFailed(
        _ operation: OperationStory, with code: AIServiceError.Code?, until returned: Int, _ history: SimulationHistory
    ) -> Bool {
        if history.processes[Int(operation.process)].wasFailed(from: operation.called, to: returned) { return true }
        switch operation.operation {
        case .read(let request, _, _), .execute(let request), .executeStored(let request), .outcome(let request),
            .watch(let request):
            let company = history.company(of: request)
            if code == .storageFailed, FilesAreKept.mayBeGone(operation, history) { return true }
            // A start that could not be journalled is also reported to waiters that come a moment later.
            let submitted = company.flatMap { history.requests[$0]?.submits ?? [] }.map(\.called).min() ?? .max
            return history.processes[Int(operation.process)].wasFailed(from: submitted, to: returned)
                || history.calls.contains { call in
                    company.contains(call.request)
                        && history.processes[Int(call.process)].wasFailed(from: call.started, to: returned)
                }
        default: return false
        }
    }
}
