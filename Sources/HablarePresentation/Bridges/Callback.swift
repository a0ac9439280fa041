import Hablare

/// Waits for an operation that calls back.
///
/// Resumes exactly once: with the first call back, whatever comes afterwards, from any thread, also before the operation was
/// begun to the end. Where the task is cancelled the operation is told so, once, and the wait ends at once; where it was cancelled
/// beforehand the operation is not begun.
///
/// ```swift
/// let image = try await withCallback { done in
///     let operation = library.fetch(id) { image, error in done(Result(image, error)) }
///     return { operation.cancel() }
/// }
/// ```
///
/// - Parameter begin: Begins the operation with what it is to call back, and answers with what cancels it. Runs where the caller
///   runs.
/// - Returns: The value it called back with first.
/// - Throws: The error it called back with first, or what `begin` throws; `CancellationError`;
///   ``BridgeError/callbackDropped`` where the operation threw its callback away.
public func withCallback<Value: Sendable>(
    _ begin: (_ done: @escaping @Sendable (Result<Value, any Error>) -> Void) throws -> @Sendable () -> Void
) async throws -> Value {
    try Task.checkCancellation()
    let call = CallbackState<Value>()
    return try await withTaskCancellationHandler {
        // The closure holds the watch, and nobody else: when it goes, nobody can call back any more.
        let cancel = try begin({ [watch = CallbackWatch(call)] in watch.call.ended($0) })
        call.began(cancel)
        return try await withCheckedThrowingContinuation { call.wait($0) }
    } onCancel: {
        call.wasCancelled()
    }
}

/// What became of an operation that calls back: its first result, whether it is cancelled, and who waits.
final class CallbackState<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var result: Result<Value, any Error>?
        var waiting: CheckedContinuation<Value, any Error>?
        var cancel: (@Sendable () -> Void)?
        var isCancelled = false

        /// The first result counts; answers who is to be resumed with it.
        mutating func end(_ first: Result<Value, any Error>) -> CheckedContinuation<Value, any Error>? {
            guard result == nil else { return nil }
            result = first
            defer { waiting = nil }
            return waiting
        }
    }

    private let state = Guarded(State())

    /// The operation was begun.
    func began(_ cancel: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            guard !state.isCancelled else { return true }
            // An operation that has called back already is over.
            if state.result == nil { state.cancel = cancel }
            return false
        }
        if isCancelled { cancel() }
    }

    /// Somebody waits for the result.
    func wait(_ continuation: CheckedContinuation<Value, any Error>) {
        let result = state.withLock { state in
            if state.result == nil { state.waiting = continuation }
            return state.result
        }
        if let result { continuation.resume(with: result) }
    }

    /// The operation called back.
    func ended(_ result: Result<Value, any Error>) {
        let waiting = state.withLock { state in
            state.cancel = nil
            return state.end(result)
        }
        waiting?.resume(with: result)
    }

    /// The task was cancelled.
    func wasCancelled() {
        let (waiting, cancel) = state.withLock { state in
            guard state.result == nil else {
                return (nil as CheckedContinuation<Value, any Error>?, nil as (@Sendable () -> Void)?)
            }
            state.isCancelled = true
            defer { state.cancel = nil }
            return (state.end(.failure(CancellationError())), state.cancel)
        }
        cancel?()
        waiting?.resume(throwing: CancellationError())
    }
}

/// Sees that a callback is thrown away.
private final class CallbackWatch<Value: Sendable>: Sendable {
    let call: CallbackState<Value>

    init(_ call: CallbackState<Value>) {
        self.call = call
    }

    deinit { call.ended(.failure(BridgeError.callbackDropped)) }
}
