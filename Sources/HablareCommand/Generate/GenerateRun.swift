import Hablare

/// Has one request made on a manager whose engine is running.
struct GenerateRun: Sendable {
    let request: AIRequest
    let provider: ProviderID
    let manager: AIRequestManager
    let lookout: Lookout
    /// Prints the answer while it is made; `nil`: nobody does.
    let printer: AnswerPrinter?
    /// Told once the request is on disk, before anything of its answer is printed.
    let submitted: @Sendable () throws -> Void
    /// Told when nothing can be printed any more, and why.
    let readerLeft: @Sendable (CommandFailure) -> Void

    /// Runs until the request is final or held. Cancelling the task leaves it in the store.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await lookout.run() }
            defer { group.cancelAll() }
            try await manager.submit(request, to: provider)
            try submitted()
            try await follow()
        }
    }

    /// Prints as long as there may be more. A held request has no end that a reader would be told.
    private func follow() async throws {
        try await withThrowingTaskGroup(of: Lookout.Ending?.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                try await print()
                return nil
            }
            group.addTask { try await lookout.ending(of: request.id) }
            var isPrinted = false
            var ending: Lookout.Ending?
            while let result = try await group.next() {
                if let result { ending = result } else { isPrinted = true }
                switch ending {
                case .held, .left: return
                case .final where isPrinted: return
                case .final, nil: continue
                }
            }
        }
    }

    private func print() async throws {
        guard let printer else { return }
        do {
            for try await element in try await manager.stream(for: request.id) {
                guard case .chunk(let chunk) = element else { continue }
                try await printer.print([chunk], of: chunk.position.generation)
            }
        } catch let failure as CommandFailure {
            readerLeft(failure)
            throw failure
        } catch is AIServiceError {
            // The end of a request without a whole answer: what it was is read from the store.
        }
    }
}
