import Hablare

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

/// Publishers for async functions and sequences. They deliver on the main actor, and can be subscribed to from
/// anywhere.
///
/// Each subscription runs its own task, which begins at the first demand, produces no more than the demand, and is
/// cancelled with the subscription. So the end or error of a sequence appears at the demand after the last element. A
/// subscriber such as `sink` always has this demand. Nothing is delivered before the current block of the main queue
/// has ended.
@MainActor
public enum MainPublisher {
    /// Returns a publisher of an async function's result.
    ///
    /// Unlike a `Future` of Combine, the function begins only for a subscriber, and can be cancelled.
    ///
    /// - Parameters:
    ///   - taskExecutor: The executor that runs the function. Default: the global executor.
    ///   - operation: A function that returns the value, off the main actor. It is cancelled with the subscription.
    /// - Returns: A publisher of one value, immediately followed by the end, or of the error that the function throws.
    public static func value<Output: Sendable>(
        taskExecutor: (any TaskExecutor)? = nil, of operation: @escaping @Sendable @concurrent () async throws -> Output
    ) -> AnyPublisher<Output, any Error> {
        publisher { $0.start(TaskSpawner(executor: taskExecutor), operation) }
    }

    /// Returns a publisher of an async sequence's elements.
    ///
    /// - Parameters:
    ///   - taskExecutor: The executor that reads the sequence. Default: the global executor.
    ///   - sequence: A closure that creates the sequence, off the main actor, for each subscription. It is cancelled
    ///     with the subscription.
    /// - Returns: A publisher of the elements and the end, or of the error that creating or reading the sequence
    ///   throws.
    public static func elements<Elements: AsyncSequence>(
        taskExecutor: (any TaskExecutor)? = nil,
        of sequence: @escaping @Sendable @concurrent () async throws -> sending Elements
    ) -> AnyPublisher<Elements.Element, any Error>
    where Elements.Element: Sendable, Elements: SendableMetatype, Elements.AsyncIterator: SendableMetatype {
        publisher { $0.start(TaskSpawner(executor: taskExecutor), sequence) }
    }

    /// Returns a publisher that starts a feed for each of its subscribers.
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
