/// One caller's wait for one outcome. Resolved at most once, before or after the caller begins to wait.
package final class OutcomeWaiter: Sendable {
    private enum State: Sendable {
        case open
        case waiting(CheckedContinuation<RequestStatus, any Error>)
        case resolved(Result<RequestStatus, any Error>)
    }

    private let state = Guarded(State.open)

    package init() {}

    /// Waits. Cancelling the task ends the wait with `CancellationError`, never the request. To be called once.
    package func value() async throws -> RequestStatus {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<RequestStatus, any Error>? in
                    if case .resolved(let result) = state { return result }
                    state = .waiting(continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            resolve(.failure(CancellationError()))
        }
    }

    /// Ends the wait. The first resolution counts.
    package func resolve(_ result: Result<RequestStatus, any Error>) {
        let continuation = state.withLock { state -> CheckedContinuation<RequestStatus, any Error>? in
            switch state {
            case .open:
                state = .resolved(result)
                return nil
            case .waiting(let continuation):
                state = .resolved(result)
                return continuation
            case .resolved:
                return nil
            }
        }
        continuation?.resume(with: result)
    }
}
