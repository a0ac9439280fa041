/// One caller's wait for one value. It ends once, before or after the caller begins to wait; the first end counts.
///
/// The wait lists of this package are made of these. Whoever lets a caller in by ``resume(with:)`` learns whether the
/// caller was still there: where its task was cancelled, the wait is over already, and what it was let in with is given to
/// the next one.
package final class Waiter<Value: Sendable>: Sendable {
    private enum State: Sendable {
        case open
        case waiting(CheckedContinuation<Value, any Error>)
        case ended(Result<Value, any Error>)
    }

    private let state = Guarded(State.open)

    package init() {}

    /// Waits. To be called once.
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
    /// - Returns: Whether this ended it, and not a former end or the cancellation of the task.
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

    /// Waits until the wait is ended in any way, the cancellation of the task included.
    package func wait(isCancellable: Bool = true) async {
        do {
            try await value(isCancellable: isCancellable)
        } catch {
            return  // over all the same
        }
    }

    /// Waits until the wait is ended in any way, for some time at most.
    ///
    /// - Parameter limit: The most that is waited; `nil` waits for ever.
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
