import Hablare

/// Content files: every file to which a row refers exists. An operation reports a missing file only if the file is
/// missing. At the end, there is no file to which no row refers.
enum FilesAreKept: SimulationRule {
    static let name = "content files are kept"

    static func violations(in history: SimulationHistory) -> [String] {
        guard history.plan.content != nil else { return [] }
        var found: [String] = []
        if history.files.missing > history.lostFiles.count {
            found.append(
                "rows refer to \(history.files.missing) files that are missing, but only \(history.lostFiles.count) were lost"
            )
        }
        if history.files.left > 0 { found.append("\(history.files.left) files are left, and no row refers to them") }
        if history.files.abandoned > 0, isQuietLife(history) {
            found.append("\(history.files.abandoned) files were abandoned, but no process died or was stopped")
        }
        for operation in history.operations {
            missing(operation, history, &found)
            for (position, observed) in operation.told where observed == .lost {
                lost(operation, at: position, history, &found)
            }
            if operation.result == .lost { lost(operation, at: operation.end, history, &found) }
        }
        for record in history.final.values.sorted(by: { $0.request < $1.request }) {
            let contents = contents(of: record.request, history)
            if record.status == .lost, !isLost(before: .max, contents, history) {
                found.append("the answer of request \(record.request) is in a file that is missing")
            }
            if case .failed(AIServiceErrorCode.contentMissing.rawValue, _) = record.status,
                !mayBeGone(before: .max, contents, history)
            {
                found.append("request \(record.request) failed because of a missing file, but no file was missing")
            }
        }
        return found
    }

    /// Returns whether the history has no event after which a file without a row may remain until the next collection.
    private static func isQuietLife(_ history: SimulationHistory) -> Bool {
        history.processes.allSatisfy {
            !$0.hasCrashed && !$0.leavesFiles && $0.storeFailures.isEmpty && $0.sleeps.isEmpty
                && $0.retirements.allSatisfy(\.isJustified)
        } && history.calls.allSatisfy { $0.cancelled == nil }
            && history.operations.allSatisfy { !$0.isCancelled && !isRefused($0) }
    }

    private static func isRefused(_ operation: OperationStory) -> Bool {
        if case .refused? = operation.result { true } else { false }
    }

    /// Returns whether a file that an operation needed may have been missing.
    static func mayBeGone(_ operation: OperationStory, _ history: SimulationHistory) -> Bool {
        history.plan.content != nil
            && mayBeGone(before: operation.end, contents(of: operation, history), history)
    }

    /// Returns whether a file with one of these contents may have been missing when it was needed. It may have been
    /// removed by another program, or collected as orphaned before its row was written.
    private static func mayBeGone(
        before position: Int, _ contents: Set<Int32>, _ history: SimulationHistory
    ) -> Bool {
        isLost(before: position, contents, history) || isCollected(before: position, contents, history)
    }

    /// Checks an operation that reported a missing file.
    private static func missing(
        _ operation: OperationStory, _ history: SimulationHistory, _ found: inout [String]
    ) {
        let code = AIServiceErrorCode.contentMissing
        let isTold =
            switch operation.result {
            case .refused(code.rawValue)?, .failed(code.rawValue, _)?: true
            default: false
            }
        guard isTold else { return }
        let contents = contents(of: operation, history)
        // Content evicted at the same time is gone, and so is a prompt shared with other requests for the same work.
        guard !mayBeGone(before: operation.end, contents, history),
            !isGivenUp(before: operation.end, contents, history)
        else { return }
        found.append("operation \(operation.number) received an error about a missing file, but no file was missing")
    }

    /// Checks an operation that reported an answer that cannot be read.
    private static func lost(
        _ operation: OperationStory, at position: Int, _ history: SimulationHistory, _ found: inout [String]
    ) {
        let contents = contents(of: operation, history)
        guard !isLost(before: position, contents, history), !isGivenUp(before: position, contents, history) else {
            return
        }
        found.append("operation \(operation.number) received an answer from a missing file")
    }

    // MARK: The contents concerned

    /// Returns the contents of the files that a request may need. Requests for the same work share their files.
    private static func contents(of request: Int32, _ history: SimulationHistory) -> Set<Int32> {
        var contents: Set<Int32> = []
        if let planned = history.planned(request)?.content { contents.insert(planned) }
        for submit in history.requests[request]?.submits ?? [] {
            if case .submit(_, let content) = submit.operation { contents.insert(content) }
        }
        // A regenerated request has the prompt of the request it replaces.
        for operation in history.operations where operation.result == .stored(request) {
            guard case .regenerate(let old) = operation.operation, old != request else { continue }
            contents.formUnion(self.contents(of: old, history))
        }
        return contents
    }

    private static func contents(of operation: OperationStory, _ history: SimulationHistory) -> Set<Int32> {
        switch operation.operation {
        case .submitJob(_, _, let requests): requests.reduce(into: []) { $0.formUnion(contents(of: $1, history)) }
        case .peek(let request): contents(of: request, history)
        default: operation.operation.request.map { contents(of: $0, history) } ?? []
        }
    }

    /// Returns whether a program outside the simulation had removed a file with one of these contents.
    private static func isLost(before position: Int, _ contents: Set<Int32>, _ history: SimulationHistory) -> Bool {
        history.lostFiles.contains { lost in
            guard lost.position < position else { return false }
            return switch lost.file {
            case .prompt(let content): contents.contains(content)
            case .answer(let call):
                history.calls.indices.contains(Int(call)) && contents.contains(history.calls[Int(call)].content)
            case .part: true
            }
        }
    }

    /// Returns whether a file with one of these contents may have been collected as orphaned before its row was
    /// written. This is possible if the process that wrote the file slept or had a failure of the store, or if a clock
    /// jumped.
    private static func isCollected(before position: Int, _ contents: Set<Int32>, _ history: SimulationHistory) -> Bool
    {
        let collections = history.collections.filter { $0.position < position }
        guard !collections.isEmpty, let age = history.plan.content?.age else { return false }
        let calls = history.calls.filter { contents.contains($0.content) }
        let operations = history.operations.filter {
            $0.operation.mayStore && !self.contents(of: $0, history).isDisjoint(with: contents)
        }
        let writings =
            calls.map { (process: $0.process, position: $0.started, time: $0.startedAt) }
            + operations.map { (process: $0.process, position: $0.called, time: $0.calledAt) }
        return writings.contains { writing in
            let writer = history.processes[Int(writing.process)]
            return collections.contains { collection in
                guard collection.position > writing.position else { return false }
                let collector = history.processes[Int(collection.process)]
                if (writer.clockJumps + collector.clockJumps).contains(where: { $0 < collection.position }) {
                    return true
                }
                return collection.time >= writing.time + age
                    && (writer.slept(from: writing.time, to: collection.time)
                        || writer.wasFailed(from: writing.position, to: collection.position))
            }
        }
    }

    /// Returns whether an operation had asked for the deletion or eviction of one of these contents, or of all answers.
    private static func isGivenUp(before position: Int, _ contents: Set<Int32>, _ history: SimulationHistory) -> Bool {
        history.operations.contains { operation in
            guard operation.called < position else { return false }
            return switch operation.operation {
            case .delete(let request), .evict(let request):
                !self.contents(of: request, history).isDisjoint(with: contents)
            case .prune(let count):
                count < 1000
                    && history.calls.contains { call in
                        contents.contains(call.content) && (call.end?.position ?? .max) < position
                    }
            default: false
            }
        }
    }
}

extension ClientOperation {
    /// Whether the operation may write a prompt, or a row that refers to a prompt.
    fileprivate var mayStore: Bool {
        switch self {
        case .submit, .submitJob, .execute, .retry, .regenerate: true
        default: false
        }
    }
}
