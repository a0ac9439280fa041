import Dispatch
import Hablare

/// Runs the calls of a store one after the other, in the order they were made, on a serial queue of its own: for stores that
/// make their caller wait. Never on the main thread, and never on the threads that Swift's tasks share.
public struct QueueStoreScheduler: StoreScheduler {
    private let queue: DispatchQueue

    /// Creates a scheduler with a queue of its own.
    ///
    /// - Parameter label: The queue's name in a debugger.
    public init(label: String) {
        queue = DispatchQueue(label: label, qos: .userInitiated)
    }

    /// Runs a call when those before it have ended.
    ///
    /// - Throws: What the call throws; `CancellationError`, at once, where the task is cancelled before the call's turn.
    public func run<Value: Sendable>(_ call: @escaping @Sendable () throws -> Value) async throws -> Value {
        let turn = Turn<Value>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard turn.waits(continuation) else { return continuation.resume(throwing: CancellationError()) }
                queue.async {
                    guard let continuation = turn.comes() else { return }
                    continuation.resume(with: Result { try call() })
                }
            }
        } onCancel: {
            turn.wasCancelled()?.resume(throwing: CancellationError())
        }
    }
}

extension QueueStoreScheduler {
    /// A call's turn, which comes or is cancelled, whichever is first.
    private final class Turn<Value: Sendable>: Sendable {
        private enum State: Sendable {
            case new
            case waiting(CheckedContinuation<Value, any Error>)
            case over
        }

        private let state = Guarded(State.new)

        /// Whether the call waits now; not where it was cancelled before.
        func waits(_ continuation: CheckedContinuation<Value, any Error>) -> Bool {
            state.withLock { state in
                guard case .new = state else { return false }
                state = .waiting(continuation)
                return true
            }
        }

        /// The turn has come: who waits, unless cancelled.
        func comes() -> CheckedContinuation<Value, any Error>? { end() }

        /// The call is not to be carried out any more: who waits, unless the turn has come.
        func wasCancelled() -> CheckedContinuation<Value, any Error>? { end() }

        private func end() -> CheckedContinuation<Value, any Error>? {
            state.withLock { state in
                defer { state = .over }
                guard case .waiting(let continuation) = state else { return nil }
                return continuation
            }
        }
    }
}
