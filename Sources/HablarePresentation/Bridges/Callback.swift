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
        return try await call.waiter.value(isCancellable: false)
    } onCancel: {
        call.wasCancelled()
    }
}

/// An operation that calls back: the wait for its first result, and what cancels it.
final class CallbackState<Value: Sendable>: Sendable {
    private enum State: Sendable {
        case beginning
        case underWay(cancel: @Sendable () -> Void)
        case cancelled
        case over
    }

    let waiter = Waiter<Value>()
    private let state = Guarded(State.beginning)

    /// The operation was begun.
    func began(_ cancel: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            switch state {
            case .beginning: state = .underWay(cancel: cancel)
            case .cancelled: return true
            case .underWay, .over: break
            }
            return false
        }
        if isCancelled { cancel() }
    }

    /// The operation called back.
    func ended(_ result: Result<Value, any Error>) {
        guard waiter.resume(with: result) else { return }
        state.withLock { $0 = .over }
    }

    /// The task was cancelled.
    func wasCancelled() {
        guard waiter.resume(with: .failure(CancellationError())) else { return }
        let cancel = state.withLock { state -> (@Sendable () -> Void)? in
            defer { state = .cancelled }
            guard case .underWay(let cancel) = state else { return nil }
            return cancel
        }
        cancel?()
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
