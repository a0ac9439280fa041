/// The rules that decide what the engine does after a failed attempt.
///
/// There are four possible steps:
/// - The engine waits (exponential backoff with full jitter), and sends another attempt to the same provider.
/// - The engine calls the next provider of the request's ``AIRequest/fallback``.
/// - The request fails.
/// - The engine holds the request: the request waits for an explicit retry, a cancellation or a deletion.
///
/// The failure's ``AIServiceError/disposition`` is considered first. A failure is not retried if the user must act
/// first, or if the same call would fail again. There is also no retry if the next attempt would start after the
/// request's deadline or after ``maximumElapsed``.
///
/// After a timeout or a lost connection, the outcome of the attempt is unknown. If the request's
/// ``AIRequest/unknownOutcome`` is ``UnknownOutcomePolicy/hold``, the engine holds the request at once, without a retry
/// and without a fallback. There is one exception: if the provider has stored a resume handle (the service's id of the
/// work), the next attempt continues the work.
///
/// For example, for a batch that may wait until an outage of a few hours ends:
///
/// ```swift
/// let patient = RetryPolicy(
///     maximumAttempts: 60, baseDelay: .seconds(5), maximumDelay: .seconds(600), maximumElapsed: .seconds(6 * 3600))
/// ```
public struct RetryPolicy: Sendable, Hashable {
    /// The maximum number of attempts, including the first. At least 1. With 1, there are no retries. Default 3. For
    /// example, 8 for an overnight batch.
    public var maximumAttempts: Int
    /// The maximum delay before the second attempt. The delay doubles with each further attempt. Default 1 s. 0 or
    /// more. For example, `.milliseconds(200)` for a local server that is busy only briefly.
    public var baseDelay: Duration
    /// The maximum delay before an attempt. If the provider asks for a longer delay, the longer delay applies. Default
    /// 60 s. 0 or more. For example, `.seconds(10)` if a user waits for the answer.
    public var maximumDelay: Duration
    /// The maximum time from the first attempt to the start of a later attempt. An attempt that would start after this
    /// time is not sent. 0 or more. Default 10 minutes. For example, `.seconds(6 * 3600)` for work that may wait until
    /// an outage of a few hours ends.
    ///
    /// If the next attempt resumes work with a resume handle (``ProviderCall/remember(_:)``), the time is counted from
    /// the start of the last attempt. An attempt may wait longer than this time for an answer that is nearly finished
    /// and already billed. The work should then not be abandoned.
    public var maximumElapsed: Duration

    /// Creates a policy.
    public init(
        maximumAttempts: Int = 3, baseDelay: Duration = .seconds(1), maximumDelay: Duration = .seconds(60),
        maximumElapsed: Duration = .seconds(600)
    ) {
        self.maximumAttempts = maximumAttempts
        self.baseDelay = baseDelay
        self.maximumDelay = maximumDelay
        self.maximumElapsed = maximumElapsed
    }

    /// A policy without retries: the failure of the first attempt is final.
    public static let never = RetryPolicy(maximumAttempts: 1)

    package enum Decision: Sendable, Hashable {
        case retry(after: Duration)
        case fail
        /// Call the next provider of the request's chain.
        case divert
        /// Hold the request until an explicit retry, a cancellation or a deletion.
        case hold
    }

    /// The state of a request after an attempt has failed.
    package struct Situation: Sendable, Hashable {
        /// The number of attempts that count towards the maximum, including the failed attempt.
        package var tries: Int
        package var maximumAttempts: Int?
        /// The time since the first attempt that counts was sent.
        package var elapsed: Duration
        package var remaining: Duration?
        package var unknownOutcome: UnknownOutcomePolicy
        /// Whether the answer may begin again from its start. It is `false` if readers have received a part of the
        /// answer and the request does not allow a restart.
        package var mayRestart: Bool
        /// Whether the next attempt can resume the work of the failed attempt. If so, you do not pay for the work
        /// twice.
        package var hasHandle: Bool
        package var hasNext: Bool

        package init(
            tries: Int, maximumAttempts: Int? = nil, elapsed: Duration = .zero, remaining: Duration? = nil,
            unknownOutcome: UnknownOutcomePolicy = .runAgain, mayRestart: Bool = true, hasHandle: Bool = false,
            hasNext: Bool = false
        ) {
            self.tries = tries
            self.maximumAttempts = maximumAttempts
            self.elapsed = elapsed
            self.remaining = remaining
            self.unknownOutcome = unknownOutcome
            self.mayRestart = mayRestart
            self.hasHandle = hasHandle
            self.hasNext = hasNext
        }

        /// Whether the engine may call the next provider of the request's chain. The next provider starts the work
        /// again and bills it, although the first provider may have billed it as well.
        package var mayDivert: Bool { hasNext && mayRestart && !isToBeKept }

        fileprivate var end: Decision {
            if mayDivert { return .divert }
            return hasNext && mayRestart ? .hold : .fail
        }

        /// Whether only a person may abandon the work that the resume handle identifies, because the work may have been
        /// billed.
        fileprivate var isToBeKept: Bool { hasHandle && unknownOutcome == .hold }
    }

    /// Returns the step after a failure.
    ///
    /// - Parameter jitter: A random number between 0 and 1.
    package func decision(
        after error: AIServiceError, in situation: Situation, jitter: Double
    ) -> Decision {
        let minimum: Duration
        switch error.disposition {
        case .fail, .needsUser: return situation.end
        case .outcomeUnknown where situation.unknownOutcome == .hold && !situation.hasHandle: return .hold
        case .outcomeUnknown: minimum = .zero
        case .retry(let after): minimum = max(.zero, after ?? .zero)
        }
        guard error.code != .cancelled else { return .fail }
        let exhausted = situation.isToBeKept ? .hold : situation.end
        guard situation.mayRestart || situation.hasHandle else { return .fail }
        guard situation.tries < situation.maximumAttempts ?? maximumAttempts else { return exhausted }
        let elapsed = situation.hasHandle ? .zero : situation.elapsed
        // Checked before adding: a header may ask for more years than a duration can hold.
        let bound = min(min(maximumElapsed, .farthest) - elapsed, situation.remaining ?? .farthest)
        guard minimum < bound else { return exhausted }
        // Jitter is added to the provider's delay too, so that calls refused together do not return together.
        let delay = minimum + backoff(after: situation.tries) * min(1, max(0, jitter))
        // The delay is shortened near the bound, but never below the time that the provider asked for.
        return .retry(after: min(delay, max(minimum, bound - .milliseconds(1))))
    }

    private func backoff(after tries: Int) -> Duration {
        let maximumDelay = min(maximumDelay, .farthest)
        var delay = max(.zero, min(baseDelay, maximumDelay))
        var doublings = max(1, tries) - 1
        while doublings > 0, delay > .zero, delay < maximumDelay {
            delay = min(delay + delay, maximumDelay)
            doublings -= 1
        }
        return delay
    }
}
