import Hablare

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

/// Publishers of what async functions and sequences bring, delivered on the main actor whoever subscribes, and wherever.
///
/// Each subscription begins anew, in a task of its own, when something is asked for, takes no more than is asked for, and cancels
/// its task when it is cancelled. So the end of a sequence, or its error, is found when one more element is asked for, as `sink`
/// always does. Nothing is delivered before the subscriber's turn on the main queue has ended.
@MainActor
public enum MainPublisher {
    /// A publisher of what an async function returns.
    ///
    /// A `Future` of Combine begins when it is made, whether somebody subscribes or not, and nobody can cancel it.
    ///
    /// - Parameters:
    ///   - taskExecutor: Where the function runs. Default: the global executor.
    ///   - operation: Brings the value, off the main actor. Is cancelled with the subscription.
    /// - Returns: A publisher of one value and the end, which comes with it, or of the error that the function throws.
    public static func value<Output: Sendable>(
        taskExecutor: (any TaskExecutor)? = nil, of operation: @escaping @Sendable @concurrent () async throws -> Output
    ) -> AnyPublisher<Output, any Error> {
        publisher { $0.start(TaskSpawner(executor: taskExecutor), operation) }
    }

    /// A publisher of the elements of an async sequence.
    ///
    /// - Parameters:
    ///   - taskExecutor: Where the sequence is read. Default: the global executor.
    ///   - sequence: Makes the sequence, off the main actor, for each subscription. Is cancelled with the subscription.
    /// - Returns: A publisher of the elements, of the end, and of the error that making or reading the sequence throws.
    public static func elements<Elements: AsyncSequence>(
        taskExecutor: (any TaskExecutor)? = nil,
        of sequence: @escaping @Sendable @concurrent () async throws -> sending Elements
    ) -> AnyPublisher<Elements.Element, any Error>
    where Elements.Element: Sendable, Elements: SendableMetatype, Elements.AsyncIterator: SendableMetatype {
        publisher { $0.start(TaskSpawner(executor: taskExecutor), sequence) }
    }

    /// A publisher that begins to feed each of its subscribers.
    private static func publisher<Output: Sendable>(
        _ start: @escaping @MainActor (PublisherFeed<Output>) -> Void
    ) -> AnyPublisher<Output, any Error> {
        let deferred = Deferred {
            let feed = PublisherFeed<Output>()
            start(feed)
            return feed.subject.handleEvents(
                receiveCancel: { feed.cancel() }, receiveRequest: { feed.requested($0) })
        }
        // Here is what makes it safe to subscribe, ask and cancel from anywhere: all of that reaches the feed on the main queue.
        return MainSubscribing(upstream: deferred).eraseToAnyPublisher()
    }
}
