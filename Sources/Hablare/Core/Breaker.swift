package import Foundation

/// Leaves a provider alone that failed several times in a row, and probes it now and then with a single call. Pure.
///
/// Only failures that say something about the provider's health count: overload, timeouts, lost connections. A refused
/// request is a healthy provider.
package struct Breaker: Sendable, Hashable {
    package enum Health: Sendable, Hashable {
        case sound
        case failing
        /// Nothing: the call was stopped, or refused for its number.
        case unknown
    }

    /// Names a probe, so that a call that was one before is not taken for the present one.
    package struct Probe: Sendable, Hashable {
        fileprivate let number: Int
    }

    private enum State: Sendable, Hashable {
        case closed(failures: Int)
        /// Nothing is sent before the date.
        case open(until: Date, pauses: Int)
        /// One call is under way to see.
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

    /// When the next call may be sent: `nil` when one may be now, `.distantFuture` while a probe is under way.
    package func next(now: Date) -> Date? {
        switch state {
        case .closed: nil
        case .open(let until, _): until > now ? until : nil
        case .probing: .distantFuture
        }
    }

    /// A call is sent. Answers which probe it is, if it is one.
    package mutating func sent() -> Probe? {
        guard case .open(_, let pauses) = state else { return nil }
        lastProbe += 1
        let probe = Probe(number: lastProbe)
        state = .probing(probe, pauses: pauses)
        return probe
    }

    /// A call ended. Answers with what is news: until when the provider is left alone, or that it works again.
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
            // Also a call that was sent before the provider was left alone, and got through.
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
        // In seconds: a duration that is doubled often enough cannot be held.
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

/// When a provider that fails is left alone, and for how long.
public struct BreakerPolicy: Sendable, Hashable {
    /// After how many failures in a row that say something about the provider's health (overload, timeouts, lost
    /// connections), at least 1. Default 5.
    public var threshold: Int
    /// How long at first; doubles with each probe that fails. Default 5 s.
    public var pause: Duration
    /// How long at most. Default 5 minutes.
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
                "\(name) has a threshold of less than 1, or a pause that is not positive. Give it 1 or more, and some time."
            )
        }
    }

    /// Never leaves a provider alone.
    public static let never = BreakerPolicy(threshold: .max)
}
