import HablareSupport

/// The wait of one caller for one value. A wait ends once. It may end even before the caller begins to wait. If the
/// wait is ended several times, the first end counts.
///
/// All wait lists of this package consist of waiters. ``resume(with:)`` returns whether it ended the wait. If it
/// returns `false`, the caller's task was cancelled before, and the value can go to the next waiter.
package final class Waiter<Value: Sendable>: Sendable {
    private enum State: Sendable {
        case open
        case waiting(CheckedContinuation<Value, any Error>)
        case ended(Result<Value, any Error>)
    }

    private let state = Locked(State.open)

    package init() {}

    /// Waits for the value. Call this method once.
    ///
    /// - Parameter isCancellable: Whether cancelling the task ends the wait with `CancellationError`. Default `true`.
    package func value(isCancellable: Bool = true) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Value, any Error>? in
                    if case .ended(let result) = state { return result }
                    state = .waiting(continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            if isCancellable { resume(with: .failure(CancellationError())) }
        }
    }

    /// Ends the wait.
    ///
    /// - Returns: Whether this call ended the wait. `false` if the wait was already over.
    @discardableResult package func resume(with result: Result<Value, any Error>) -> Bool {
        let (continuation, isFirst) = state.withLock { state -> (CheckedContinuation<Value, any Error>?, Bool) in
            switch state {
            case .open:
                state = .ended(result)
                return (nil, true)
            case .waiting(let continuation):
                state = .ended(result)
                return (continuation, true)
            case .ended:
                return (nil, false)
            }
        }
        continuation?.resume(with: result)
        return isFirst
    }
}

extension Waiter<Void> {
    /// Ends the wait, as ``resume(with:)`` does.
    @discardableResult package func resume() -> Bool { resume(with: .success(())) }

    /// Waits until the wait ends, also if it ends because the task is cancelled.
    package func wait(isCancellable: Bool = true) async {
        do {
            try await value(isCancellable: isCancellable)
        } catch {
            return  // over all the same
        }
    }

    /// Waits until the wait ends, also if it ends because the task is cancelled. Waits at most for a time limit.
    ///
    /// - Parameter limit: The time limit. `nil` means no limit.
    package func wait(
        within limit: Duration?, on clock: EngineClock, _ spawner: TaskSpawner, isCancellable: Bool
    ) async {
        let alarm = limit.map { limit in
            spawner.start {
                do {
                    try await clock.sleep(for: limit)
                } catch {
                    return  // the wait is over
                }
                self.resume()
            }
        }
        await wait(isCancellable: isCancellable)
        alarm?.cancel()
        await alarm?.value
    }
}
