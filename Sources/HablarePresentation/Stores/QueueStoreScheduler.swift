import Dispatch
import Hablare
import HablareSupport

/// A scheduler for stores that block. It runs the calls of a store one after another on its own serial queue. So a
/// store never blocks the main thread, or the threads on which Swift's tasks run.
public struct QueueStoreScheduler: StoreScheduler {
    private let queue: DispatchQueue

    /// Creates a scheduler with a separate queue.
    ///
    /// - Parameter label: The queue's name in a debugger.
    public init(label: String) {
        queue = DispatchQueue(label: label, qos: .userInitiated)
    }

    /// Runs a call after the earlier calls have ended.
    ///
    /// - Throws: The call's error. `CancellationError`, at once, if the task is cancelled before the call begins.
    public func run<Value: Sendable>(_ call: @escaping @Sendable () throws -> Value) async throws -> Value {
        let waiter = QueuedWaiter<Value>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard waiter.waits(continuation) else { return continuation.resume(throwing: CancellationError()) }
                queue.async {
                    guard let continuation = waiter.comes() else { return }
                    continuation.resume(with: Result { try call() })
                }
            }
        } onCancel: {
            waiter.wasCancelled()?.resume(throwing: CancellationError())
        }
    }
}

extension QueueStoreScheduler {
    /// A call in the queue. It begins, unless it was cancelled before.
    private final class QueuedWaiter<Value: Sendable>: Sendable {
        private enum State: Sendable {
            case new
            case waiting(CheckedContinuation<Value, any Error>)
            case over
        }

        private let state = Locked(State.new)

        /// Records that the call waits. Returns `false` if the call was already cancelled.
        func waits(_ continuation: CheckedContinuation<Value, any Error>) -> Bool {
            state.withLock { state in
                guard case .new = state else { return false }
                state = .waiting(continuation)
                return true
            }
        }

        /// Begins the call. Returns the waiting continuation, unless the call was cancelled.
        func comes() -> CheckedContinuation<Value, any Error>? { end() }

        /// Cancels the call. Returns the waiting continuation, unless the call has begun.
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
