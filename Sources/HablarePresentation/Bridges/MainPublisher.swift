import Hablare

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

/// Publishers for async functions and sequences. You can subscribe from any thread. The values arrive on the main
/// actor.
///
/// Each subscription runs its own task. The task begins when the subscriber first demands a value, and produces only as
/// many elements as the subscriber demands. Cancelling the subscription cancels the task. The end or the error of a
/// sequence arrives at the demand after the last element. A subscriber such as `sink` always has such a demand. No
/// value arrives before the current block of the main queue has ended.
@MainActor
public enum MainPublisher {
    /// Returns a publisher of an async function's result.
    ///
    /// A `Future` of Combine calls its function at once. This publisher calls the function only when a subscriber
    /// demands a value, and cancels the function if the subscriber cancels.
    ///
    /// - Parameters:
    ///   - taskExecutor: The executor that runs the function. Default: the global executor.
    ///   - operation: A function that returns the value, off the main actor. Cancelling the subscription cancels the
    ///     function's task.
    /// - Returns: A publisher of one value and the end, or of the error that the function throws.
    public static func value<Output: Sendable>(
        taskExecutor: (any TaskExecutor)? = nil, of operation: @escaping @Sendable @concurrent () async throws -> Output
    ) -> AnyPublisher<Output, any Error> {
        publisher { $0.start(TaskSpawner(executor: taskExecutor), operation) }
    }

    /// Returns a publisher of an async sequence's elements.
    ///
    /// - Parameters:
    ///   - taskExecutor: The executor that reads the sequence. Default: the global executor.
    ///   - sequence: A closure that creates the sequence for each subscription, off the main actor. Cancelling the
    ///     subscription cancels the sequence.
    /// - Returns: A publisher of the elements and the end. If creating or reading the sequence throws an error, the
    ///   publisher fails with that error.
    public static func elements<Elements: AsyncSequence>(
        taskExecutor: (any TaskExecutor)? = nil,
        of sequence: @escaping @Sendable @concurrent () async throws -> sending Elements
    ) -> AnyPublisher<Elements.Element, any Error>
    where Elements.Element: Sendable, Elements: SendableMetatype, Elements.AsyncIterator: SendableMetatype {
        publisher { $0.start(TaskSpawner(executor: taskExecutor), sequence) }
    }

    /// Returns a publisher that starts a new feed for each subscriber.
    private static func publisher<Output: Sendable>(
        _ start: @escaping @MainActor (PublisherFeed<Output>) -> Void
    ) -> AnyPublisher<Output, any Error> {
        let deferred = Deferred {
            let feed = PublisherFeed<Output>()
            start(feed)
            return feed.subject.handleEvents(
                receiveCancel: { feed.cancel() }, receiveRequest: { feed.requested($0) })
        }
        // This makes it safe to subscribe, demand and cancel from anywhere, because all of these reach the feed on the
        // main queue.
        return MainSubscribing(upstream: deferred).eraseToAnyPublisher()
    }
}
