import Dispatch

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

extension Publisher where Output: Sendable {
    /// Subscribes, returns the first value, and cancels the subscription.
    ///
    /// - Parameter scheduler: The scheduler that receives the value. It must run on the main actor. Default:
    ///   ``MainScheduler``. The publisher may publish on any thread.
    /// - Throws: The publisher's error. ``BridgeError/finishedWithoutValue`` if the publisher finishes without a value.
    ///   `CancellationError` if the task is cancelled, or was cancelled before the call. A cancellation also cancels
    ///   the subscription.
    @MainActor
    public func firstValue(on scheduler: some Scheduler = MainScheduler()) async throws -> Output {
        try Task.checkCancellation()
        let first = FirstValue<Output>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                first.wait(continuation)
                first.subscription = self.first().receive(on: scheduler).sink(
                    receiveCompletion: { completion in
                        switch completion {
                        case .finished: first.end(.failure(BridgeError.finishedWithoutValue))
                        case .failure(let error): first.end(.failure(error))
                        }
                    }, receiveValue: { first.end(.success($0)) })
            }
        } onCancel: {
            onMainQueue { first.end(.failure(CancellationError())) }
        }
    }

    /// Returns the values as an async sequence with a buffer. Use it in place of Combine's `values`, which demands one
    /// value at a time, so that a subject drops the values that arrive between two demands.
    ///
    /// The method subscribes at once. The subscription is cancelled if you leave the loop, if the task is cancelled, or
    /// if the sequence is released.
    ///
    /// - Parameters:
    ///   - limit: The buffering policy for values that arrive faster than they are read. Default: unbounded.
    ///   - scheduler: The scheduler that receives values. It must run on the main actor. Default: ``MainScheduler``.
    /// - Returns: A sequence that throws the publisher's error.
    @MainActor
    public func bufferedValues(
        _ limit: AsyncThrowingStream<Output, any Error>.Continuation.BufferingPolicy = .unbounded,
        on scheduler: some Scheduler = MainScheduler()
    ) -> AsyncThrowingStream<Output, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: Output.self, throwing: (any Error).self, bufferingPolicy: limit)
        let subscription = MainSubscription()
        continuation.onTermination = { _ in onMainQueue { subscription.cancel() } }
        subscription.hold(
            receive(on: scheduler).sink(
                receiveCompletion: { completion in
                    switch completion {
                    case .finished: continuation.finish()
                    case .failure(let error): continuation.finish(throwing: error)
                    }
                }, receiveValue: { continuation.yield($0) }))
        return stream
    }
}

/// Schedules an action on the main actor. Can be called from any thread.
private func onMainQueue(_ action: @escaping @MainActor @Sendable () -> Void) {
    DispatchQueue.main.async { MainActor.assumeIsolated(action) }
}

/// A holder of a subscription that is used only on the main actor.
@MainActor
private final class MainSubscription {
    private var subscription: AnyCancellable?
    private var isCancelled = false

    func hold(_ subscription: AnyCancellable) {
        if !isCancelled { self.subscription = subscription }
    }

    func cancel() {
        isCancelled = true
        subscription = nil
    }
}

/// A waiter for the first value of a publisher. It is resumed exactly once.
@MainActor
private final class FirstValue<Output: Sendable> {
    var subscription: AnyCancellable?
    private var waiting: CheckedContinuation<Output, any Error>?

    func wait(_ continuation: CheckedContinuation<Output, any Error>) { waiting = continuation }

    func end(_ result: Result<Output, any Error>) {
        waiting?.resume(with: result)
        waiting = nil
        subscription = nil
    }
}
