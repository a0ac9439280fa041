import Hablare

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

extension Publisher {
    /// Subscribes again after a network error, after a delay of ``ReactiveInterval/networkRetry``. The number of
    /// retries is limited.
    ///
    /// Other errors are passed on at once. The network error after the last retry is also passed on. By default, an
    /// error counts as a network error if nothing was sent: it is an ``/Hablare/AIServiceError`` of the category
    /// `network` and is retryable. A connection that was lost during the request does not count, because the work may
    /// already be done and billed.
    ///
    /// - Parameters:
    ///   - count: The maximum number of retries. Default: 3. With a number below 1, there is no retry.
    ///   - scheduler: The scheduler that measures the time.
    ///   - isOfNetwork: A closure that returns whether an error counts as a network error. Default:
    ///     ``NetworkRetry/isOfNetwork(_:)``.
    /// - Returns: A publisher of the elements of all subscriptions. If the upstream published elements before it
    ///   failed, it starts again from its beginning.
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

/// The default rule that decides which errors are retried.
public enum NetworkRetry {
    /// Returns whether the network failed before anything was sent.
    public static func isOfNetwork(_ error: any Error) -> Bool {
        guard let error = error as? AIServiceError else { return false }
        return error.category == .network && error.isRetryable
    }
}
