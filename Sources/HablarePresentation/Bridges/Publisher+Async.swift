import Dispatch

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

extension Publisher where Output: Sendable {
    /// Waits for the first value, and leaves the publisher then.
    ///
    /// - Parameter scheduler: Where the value is received; has to run on the main actor. Default: ``MainScheduler``. Whatever
    ///   thread the publisher publishes on, the waiting code is not touched there.
    /// - Throws: The publisher's error; ``BridgeError/finishedWithoutValue``; `CancellationError` when the task is cancelled, also
    ///   beforehand: the subscription is cancelled then.
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

    /// The values as an async sequence, none of which is lost, as far as the buffer goes: Combine's own `values` asks for one at a
    /// time, and a subject throws away what nobody asked for.
    ///
    /// Subscribes when it is called. Leaving the loop, cancelling the task or releasing the sequence cancels the subscription.
    ///
    /// - Parameters:
    ///   - limit: What becomes of values that are not taken as fast as they come. Default: they are kept.
    ///   - scheduler: Where values are received; has to run on the main actor. Default: ``MainScheduler``.
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

/// Runs something on the main actor soon, from wherever.
private func onMainQueue(_ action: @escaping @MainActor @Sendable () -> Void) {
    DispatchQueue.main.async { MainActor.assumeIsolated(action) }
}

/// Holds a subscription, which may not leave the main actor.
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

/// Who waits for a first value, and gets it once.
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
