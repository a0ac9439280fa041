/// The rules for what follows a failed attempt: another attempt after exponential back-off with full jitter, the next
/// provider of the request's ``AIRequest/fallback``, failure, or being held.
///
/// The failure's ``AIServiceError/disposition`` is considered first. A failure that needs the user, or that would come
/// again, is not retried; nor is one whose next attempt would start after the request's deadline or
/// ``maximumElapsed``. Where the failure's outcome is unknown (a timeout, a lost connection) and the request says
/// ``UnknownOutcomePolicy/hold``, the request is held at once, before any retry or fallback, unless the provider
/// remembers the work so that the next attempt can continue it.
public struct RetryPolicy: Sendable, Hashable {
    /// How many attempts are sent at most, the first one included. Default 3; 1 never retries.
    public var maximumAttempts: Int
    /// The most that is waited before the second attempt; doubles with each further one. Default 1 s.
    public var baseDelay: Duration
    /// The most that is ever waited, unless the provider asks for more. Default 60 s.
    public var maximumDelay: Duration
    /// Until when, after the first attempt, a failure may be followed by another attempt: one that would be due later is
    /// not waited for. Default 10 minutes. Where the next attempt goes on with work that is remembered
    /// (``ProviderCall/remember(_:)``), the time begins anew with each: an attempt may have waited longer than this for
    /// an answer that is nearly made, and paid for.
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

    /// One attempt, whose failure is final.
    public static let never = RetryPolicy(maximumAttempts: 1)

    package enum Decision: Sendable, Hashable {
        case retry(after: Duration)
        case fail
        case divert
        /// Hold the request until a person retries or deletes it.
        case hold
    }

    /// What is known of the request when an attempt has failed.
    package struct Situation: Sendable, Hashable {
        /// How many attempts count, the failed one included.
        package var tries: Int
        package var maximumAttempts: Int?
        /// The time since the first of them was sent.
        package var elapsed: Duration
        package var remaining: Duration?
        package var unknownOutcome: UnknownOutcomePolicy
        /// Whether the answer may be begun anew: it may not where readers saw a part of it, unless the request allows.
        package var mayRestart: Bool
        /// Whether the next attempt can go on with the work: then it is neither begun anew nor paid twice.
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

        /// Whether another provider is asked where this one does not help: it begins anew, and would be paid for what the
        /// remembered work may have been paid for.
        package var mayDivert: Bool { hasNext && mayRestart && !isToBeKept }

        fileprivate var end: Decision {
            if mayDivert { return .divert }
            return hasNext && mayRestart ? .hold : .fail
        }

        /// Whether only a person may abandon the work: what the provider remembers of it may have been billed.
        fileprivate var isToBeKept: Bool { hasHandle && unknownOutcome == .hold }
    }

    /// Returns the step after a failure.
    ///
    /// - Parameter jitter: Between 0 and 1, drawn by the caller.
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
        // Jitter also on top of what the provider asked: those who were refused together do not return together.
        let delay = minimum + backoff(after: situation.tries) * min(1, max(0, jitter))
        // Shorter than drawn where the bound is near, but never shorter than the provider asked.
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
