package import Foundation

/// A circuit breaker. It stops calls to a provider that failed several times in a row. From time to time it allows one
/// call, which tests the provider. This call is a *probe*. This type is pure.
///
/// Only failures that show that the provider is unhealthy count: overload, timeouts and lost connections. A provider
/// that refuses a request is healthy.
package struct Breaker: Sendable, Hashable {
    package enum Health: Sendable, Hashable {
        case sound
        case failing
        /// The provider's health is unknown, because the call was stopped or a rate limit refused it.
        case unknown
    }

    /// The number of a probe. It distinguishes the current probe from an earlier probe.
    package struct Probe: Sendable, Hashable {
        fileprivate let number: Int
    }

    private enum State: Sendable, Hashable {
        case closed(failures: Int)
        /// No call is sent before the date.
        case open(until: Date, pauses: Int)
        /// One call is in flight as a probe.
        case probing(Probe, pauses: Int)
    }

    private var state = State.closed(failures: 0)
    private var lastProbe = 0
    private let policy: BreakerPolicy

    package init(_ policy: BreakerPolicy) {
        self.policy = policy
    }

    package var isClosed: Bool {
        if case .closed = state { true } else { false }
    }

    /// Returns the date of the next call. Returns `nil` if a call may be sent now, and `.distantFuture` while a probe
    /// is in flight.
    package func next(now: Date) -> Date? {
        switch state {
        case .closed: nil
        case .open(let until, _): until > now ? until : nil
        case .probing: .distantFuture
        }
    }

    /// Records that a call is sent. Returns the number of the probe if the call is a probe.
    package mutating func sent() -> Probe? {
        guard case .open(_, let pauses) = state else { return nil }
        lastProbe += 1
        let probe = Probe(number: lastProbe)
        state = .probing(probe, pauses: pauses)
        return probe
    }

    /// Records the end of a call. Returns the change of the provider's state: the provider is not called before a date,
    /// the provider works again, or nothing changed.
    package mutating func ended(_ health: Health, probe: Probe?, now: Date) -> AccountReport.Failing {
        switch (state, health) {
        case (.closed, .sound):
            state = .closed(failures: 0)
            return .unchanged
        case (.closed(let failures), .failing) where failures + 1 < policy.threshold:
            state = .closed(failures: failures + 1)
            return .unchanged
        case (.closed, .failing):
            return open(pauses: 0, now: now)
        case (.probing, .sound), (.open, .sound):
            // This includes a call that was sent before the breaker opened, and succeeded.
            state = .closed(failures: 0)
            return .over
        case (.probing(probe, let pauses), .failing):
            return open(pauses: pauses + 1, now: now)
        case (.probing(probe, let pauses), .unknown):
            state = .open(until: now, pauses: pauses)  // the next call is the probe
            return .unchanged
        case (.probing, _), (.open, _), (.closed, .unknown):
            return .unchanged
        }
    }

    private mutating func open(pauses: Int, now: Date) -> AccountReport.Failing {
        // In seconds, because a duration would overflow after many doublings.
        let pause = policy.pause / .seconds(1) * Double(1 << min(pauses, 30))
        let until = now.addingTimeInterval(min(pause, policy.longestPause / .seconds(1)))
        state = .open(until: until, pauses: pauses)
        return .until(until)
    }
}

extension Breaker.Health {
    package init(_ error: AIServiceError) {
        switch error.disposition {
        case .retry: self = error.code == .rateLimited ? .unknown : .failing
        case .outcomeUnknown: self = .failing
        case .fail, .needsUser: self = error.code == .cancelled ? .unknown : .sound
        }
    }
}

/// The conditions under which a failing provider is not called, and for how long.
///
/// ```swift
/// let careful = BreakerPolicy(threshold: 3, pause: .seconds(30), longestPause: .seconds(1800))
/// ```
public struct BreakerPolicy: Sendable, Hashable {
    /// The number of failures in a row after which the provider is paused. A failure counts only if it shows that the
    /// provider is unhealthy: overload, a timeout or a lost connection. At least 1. Default 5. For example, 2 for a
    /// service that is often down for long.
    public var threshold: Int
    /// The length of the first pause. After a pause, a single call tests the provider (a probe). The length doubles
    /// each time that a probe fails. Default 5 s. More than 0. For example, `.seconds(30)` for a service that recovers
    /// slowly.
    public var pause: Duration
    /// The maximum length of a pause. Default 5 minutes. 0 or more. If it is shorter than ``pause``, it also limits the
    /// first pause. For example, `.seconds(1800)` to probe a failing service at most twice an hour.
    public var longestPause: Duration

    /// Creates a policy.
    public init(threshold: Int = 5, pause: Duration = .seconds(5), longestPause: Duration = .seconds(300)) {
        self.threshold = threshold
        self.pause = pause
        self.longestPause = longestPause
    }

    func check(_ name: String) throws(AIServiceError) {
        guard threshold >= 1, pause > .zero, longestPause >= .zero else {
            throw AIServiceError(
                .invalidConfiguration,
                """
                \(name) has a threshold below 1, or a pause that is not positive. Set a threshold of 1 or more and a \
                positive pause.
                """
            )
        }
    }

    /// A policy with which the engine never pauses a provider.
    public static let never = BreakerPolicy(threshold: .max)
}
