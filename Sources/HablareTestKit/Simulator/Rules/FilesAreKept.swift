import Hablare

/// Content files: no row that is kept refers to one that is not there, nobody is told that one is gone unless it is, and
/// none is left that no row refers to.
enum FilesAreKept: SimulationRule {
    static let name = "content files are kept"

    static func violations(in history: SimulationHistory) -> [String] {
        guard history.plan.content != nil else { return [] }
        var found: [String] = []
        if history.files.missing > history.lostFiles.count {
            found.append(
                "rows refer to \(history.files.missing) files that are not there; \(history.lostFiles.count) were lost")
        }
        if history.files.left > 0 { found.append("\(history.files.left) files are left that no row refers to") }
        if history.files.abandoned > 0, isQuietLife(history) {
            found.append("\(history.files.abandoned) files were abandoned, and nobody died or was stopped")
        }
        for operation in history.operations {
            missing(operation, history, &found)
            for (place, observed) in operation.told where observed == .lost {
                lost(operation, at: place, history, &found)
            }
            if operation.result == .lost { lost(operation, at: operation.end, history, &found) }
        }
        for record in history.final.values.sorted(by: { $0.request < $1.request }) {
            if record.status == .lost, history.lostFiles.isEmpty {
                found.append("the answer of request \(record.request) is in a file that is gone")
            }
            if case .failed(AIServiceErrorCode.contentMissing.rawValue, _) = record.status, !mayBeGone(history) {
                found.append("request \(record.request) failed because a file was gone, and none was")
            }
        }
        return found
    }

    /// Whether nothing happened after which a file may be left without its row until it is collected.
    private static func isQuietLife(_ history: SimulationHistory) -> Bool {
        history.processes.allSatisfy {
            !$0.hasCrashed && $0.storeFailures.isEmpty && $0.sleeps.isEmpty
                && $0.retirements.allSatisfy(\.isJustified)
        } && history.calls.allSatisfy { $0.cancelled == nil }
            && history.operations.allSatisfy { !$0.isCancelled && !isRefused($0) }
    }

    private static func isRefused(_ operation: OperationStory) -> Bool {
        if case .refused? = operation.result { true } else { false }
    }

    /// Whether a file may have been gone when somebody needed it: it was lost, or collected before its row was written,
    /// by a process whose clock is ahead, or because its writer slept or could not write the row.
    static func mayBeGone(_ history: SimulationHistory) -> Bool {
        !history.lostFiles.isEmpty || !history.hasOneTime
            || history.processes.contains { !$0.sleeps.isEmpty || !$0.storeFailures.isEmpty }
    }

    /// Who is told that a file is gone.
    private static func missing(
        _ operation: OperationStory, _ history: SimulationHistory, _ found: inout [String]
    ) {
        let code = AIServiceErrorCode.contentMissing
        let isTold =
            switch operation.result {
            case .refused(code.rawValue)?, .failed(code.rawValue, _)?: true
            default: false
            }
        // What is given up at the same time is gone, and so is a prompt that others for the same work shared.
        guard isTold, !mayBeGone(history), !isGivenUp(before: operation.end, history) else { return }
        found.append("operation \(operation.number) was told that a file is gone, and none was")
    }

    /// Who was told an answer that he could not read.
    private static func lost(
        _ operation: OperationStory, at place: Int, _ history: SimulationHistory, _ found: inout [String]
    ) {
        guard history.lostFiles.allSatisfy({ $0.place > place }), !isGivenUp(before: place, history) else { return }
        found.append("operation \(operation.number) was told an answer in a file that is gone")
    }

    /// Whether somebody had asked for something to be given up.
    private static func isGivenUp(before place: Int, _ history: SimulationHistory) -> Bool {
        history.operations.contains { operation in
            guard operation.called < place else { return false }
            return switch operation.operation {
            case .delete, .evict: true
            case .prune(let count): count < 1000
            default: false
            }
        }
    }
}
