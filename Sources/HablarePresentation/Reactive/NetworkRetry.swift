import Hablare

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

extension Publisher {
    /// Subscribes to the upstream again after a network error, after a delay of ``ReactiveInterval/networkRetry``.
    ///
    /// After the last allowed retry, a network error is passed on. Other errors are passed on at once. By default, a
    /// network error is an ``/Hablare/AIServiceError`` of the category `network` that is retryable: nothing was sent. A
    /// connection that was lost during the request does not count, because the service may have done and billed the
    /// work.
    ///
    /// - Parameters:
    ///   - count: The maximum number of retries. Default: 3. With a number below 1, there is no retry.
    ///   - scheduler: The scheduler that measures the time.
    ///   - isOfNetwork: A closure that returns whether an error counts as a network error. Default:
    ///     ``NetworkRetry/isOfNetwork(_:)``.
    /// - Returns: A publisher of the elements of all subscriptions. If the upstream published elements before it
    ///   failed, the new subscription publishes elements from the beginning again.
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

/// The default rule for the errors after which a publisher is retried.
public enum NetworkRetry {
    /// Returns whether an error is a network error before anything was sent.
    public static func isOfNetwork(_ error: any Error) -> Bool {
        guard let error = error as? AIServiceError else { return false }
        return error.category == .network && error.isRetryable
    }
}
