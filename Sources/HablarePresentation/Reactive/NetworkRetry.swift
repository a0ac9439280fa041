import Hablare

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

extension Publisher {
    /// Subscribes again after a network error, with a delay of ``ReactiveInterval/networkRetry``, up to a number of
    /// times.
    ///
    /// Other errors pass at once, and so does the last network error. By default an error counts as a network error if
    /// nothing was sent: an ``/Hablare/AIServiceError`` of category `network` that is retryable. A connection that was
    /// lost during the request does not count, because the work may already be done and billed.
    ///
    /// - Parameters:
    ///   - count: The maximum number of retries. Default: 3. Less than one: no retry.
    ///   - scheduler: The scheduler that measures the time.
    ///   - isOfNetwork: A closure that returns whether an error counts. Default: ``NetworkRetry/isOfNetwork(_:)``.
    /// - Returns: A publisher of all elements, over all subscriptions. An upstream that published elements before it
    ///   failed starts from its beginning.
    public func retryingNetworkErrors<Context: Scheduler>(
        atMost count: Int = 3, on scheduler: Context,
        where isOfNetwork: @escaping (Failure) -> Bool = { NetworkRetry.isOfNetwork($0) }
    ) -> AnyPublisher<Output, Failure> {
        `catch` { error -> AnyPublisher<Output, Failure> in
            guard count > 0, isOfNetwork(error) else { return Fail(error: error).eraseToAnyPublisher() }
            return Just(())
                .delay(for: ReactiveInterval.networkRetry.time(), scheduler: scheduler)
                .setFailureType(to: Failure.self)
                .flatMap { retryingNetworkErrors(atMost: count - 1, on: scheduler, where: isOfNetwork) }
                .eraseToAnyPublisher()
        }
        .eraseToAnyPublisher()
    }
}

/// The default rule for automatic retries.
public enum NetworkRetry {
    /// Returns whether the network failed before anything was sent.
    public static func isOfNetwork(_ error: any Error) -> Bool {
        guard let error = error as? AIServiceError else { return false }
        return error.category == .network && error.isRetryable
    }
}
