import Hablare

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

extension Publisher {
    /// Subscribes anew ``ReactiveInterval/networkRetry`` after an error of the network, a few times.
    ///
    /// Other errors pass at once, and so does the last one. By default an error counts as one of the network where nothing was
    /// sent: an ``/Hablare/AIServiceError`` of category `network` that is retryable. A connection that was lost in the middle is none: the
    /// work may be done, and billed, already.
    ///
    /// - Parameters:
    ///   - count: How often it is tried again, at most. Default: 3. Less than one: never.
    ///   - scheduler: Measures the time.
    ///   - isOfNetwork: Which errors count. Default: ``NetworkRetry/isOfNetwork(_:)``.
    /// - Returns: What the upstream publishes, over all subscriptions: one that published something before it failed begins from
    ///   its start.
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

/// Which errors are tried again by themselves.
public enum NetworkRetry {
    /// Whether an error says that the network failed before anything was sent.
    public static func isOfNetwork(_ error: any Error) -> Bool {
        guard let error = error as? AIServiceError else { return false }
        return error.category == .network && error.isRetryable
    }
}
