import Hablare
import HablareSupport

/// Starts an operation that reports its result through a callback, and waits for the result.
///
/// The first result is used. Later results are ignored. The operation may call the callback on any thread, even before
/// `begin` has returned. If the task is cancelled during the wait, the closure that `begin` returned runs once, and
/// this function throws at once. If the task was already cancelled, `begin` is not called.
///
/// ```swift
/// let image = try await withCallback { done in
///     let operation = library.fetch(id) { image, error in done(Result(image, error)) }
///     return { operation.cancel() }
/// }
/// ```
///
/// - Parameter begin: A closure that begins the operation with its callback. It returns a closure that cancels the
///   operation. It runs in the caller's context.
/// - Returns: The operation's first value.
/// - Throws: The operation's first error, or an error that `begin` throws. `CancellationError` if the task is
///   cancelled. ``BridgeError/callbackDropped`` if the operation released its callback without calling it.
public func withCallback<Value: Sendable>(
    _ begin: (_ done: @escaping @Sendable (Result<Value, any Error>) -> Void) throws -> @Sendable () -> Void
) async throws -> Value {
    try Task.checkCancellation()
    let call = CallbackState<Value>()
    return try await withTaskCancellationHandler {
        // Only this closure holds the watch, so the watch is released when no more calls are possible.
        let cancel = try begin({ [watch = CallbackWatch(call)] in watch.call.ended($0) })
        call.began(cancel)
        return try await call.waiter.value(isCancellable: false)
    } onCancel: {
        call.wasCancelled()
    }
}

/// An operation with a callback: the wait for its first result, and its cancel closure.
final class CallbackState<Value: Sendable>: Sendable {
    private enum State: Sendable {
        case beginning
        case underWay(cancel: @Sendable () -> Void)
        case cancelled
        case over
    }

    let waiter = Waiter<Value>()
    private let state = Locked(State.beginning)

    /// Records that the operation began.
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

    /// Records that the operation called its callback.
    func ended(_ result: Result<Value, any Error>) {
        guard waiter.resume(with: result) else { return }
        state.withLock { $0 = .over }
    }

    /// Records that the task was cancelled.
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

/// An object that detects the release of a callback.
private final class CallbackWatch<Value: Sendable>: Sendable {
    let call: CallbackState<Value>

    init(_ call: CallbackState<Value>) {
        self.call = call
    }

    deinit { call.ended(.failure(BridgeError.callbackDropped)) }
}
