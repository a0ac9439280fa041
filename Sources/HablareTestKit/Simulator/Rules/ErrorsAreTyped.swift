import Hablare

/// G11: every error is the engine's own or a cancellation, and the store is blamed only when it failed.
enum ErrorsAreTyped: SimulationRule {
    static let name = "G11 errors are typed"

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        for operation in history.operations {
            guard let returned = operation.returned else { continue }
            switch operation.result {
            case .foreignError: found.append("operation \(operation.number) threw an error of another kind")
            case .refused(let code):
                let code = AIServiceErrorCode(rawValue: code)
                if code.code == nil { found.append("operation \(operation.number) threw an unknown code") }
                var failures = history.processes[Int(operation.process)].storeFailures
                var isExcused = false
                switch operation.operation {
                case .read, .execute, .executeStored:
                    // It may be the outcome of the request, a stream that another process could not store.
                    failures = history.processes.flatMap(\.storeFailures)
                    // Or one whose file was collected before its row was written: then its bytes are lost.
                    isExcused =
                        code == .storageFailed && history.plan.content != nil && FilesAreKept.mayBeGone(history)
                default: break
                }
                if code.category == .storage, !isExcused, !failures.contains(where: { $0 < returned }) {
                    found.append("operation \(operation.number) blames the store, which did not fail: \(code.text)")
                }
            default: continue
            }
        }
        for process in history.processes {
            guard case .foreignError? = process.serviceEnded?.observed else { continue }
            found.append("the engine of process \(process.number) threw an error of another kind")
        }
        return found
    }
}
