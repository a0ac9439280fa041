import HablareTestKit
import Testing

@testable import Hablare

@Suite struct RetryPolicyTests {
    private typealias Decision = RetryPolicy.Decision
    private typealias Situation = RetryPolicy.Situation

    private static let policy = RetryPolicy(
        maximumAttempts: 3, baseDelay: .seconds(2), maximumDelay: .seconds(10), maximumElapsed: .seconds(100))

    private static func error(
        _ disposition: FailureDisposition, _ code: AIServiceError.Code = .overloaded
    ) -> AIServiceError {
        AIServiceError(code, "", disposition: disposition)
    }

    private static func decide(
        _ disposition: FailureDisposition = .retry(after: nil), _ situation: Situation, jitter: Double = 1,
        policy: RetryPolicy = policy
    ) -> Decision {
        policy.decision(after: error(disposition), in: situation, jitter: jitter)
    }

    // MARK: Tables

    @Test("The failure's disposition and Retry-After determine the decision")
    func dispositions() {
        let expected: [(FailureDisposition, runAgain: Decision, hold: Decision)] = [
            (.fail, .fail, .fail), (.needsUser, .fail, .fail),
            (.outcomeUnknown, .retry(after: .seconds(2)), .hold),
            (.retry(after: nil), .retry(after: .seconds(2)), .retry(after: .seconds(2))),
            (.retry(after: .zero), .retry(after: .seconds(2)), .retry(after: .seconds(2))),
            (.retry(after: .seconds(7)), .retry(after: .seconds(9)), .retry(after: .seconds(9))),
            (.retry(after: .seconds(-7)), .retry(after: .seconds(2)), .retry(after: .seconds(2))),
        ]
        for (disposition, runAgain, hold) in expected {
            #expect(Self.decide(disposition, Situation(tries: 1)) == runAgain, "\(disposition)")
            #expect(Self.decide(disposition, Situation(tries: 1, unknownOutcome: .hold)) == hold, "\(disposition)")
        }
    }

    @Test("An unknown outcome is held after any number of tries and past the deadline")
    func held() {
        let situation = Situation(
            tries: 99, maximumAttempts: 1, elapsed: .seconds(9999), remaining: .seconds(-1), unknownOutcome: .hold)
        #expect(Self.decide(.outcomeUnknown, situation) == .hold)
    }

    @Test("A failed attempt with a resume handle is retried, so nothing is paid twice")
    func handles() {
        for policy in UnknownOutcomePolicy.allCases {
            let situation = Situation(tries: 1, unknownOutcome: policy, mayRestart: false, hasHandle: true)
            #expect(Self.decide(.outcomeUnknown, situation) == .retry(after: .seconds(2)))
            #expect(Self.decide(.retry(after: nil), situation) == .retry(after: .seconds(2)))
            #expect(Self.decide(.fail, situation) == .fail)
            let last = Situation(tries: 3, unknownOutcome: policy, mayRestart: false, hasHandle: true)
            let end: Decision = policy == .hold ? .hold : .fail
            #expect(Self.decide(.outcomeUnknown, last) == end)
            #expect(Self.decide(.retry(after: nil), last) == end)
            #expect(Self.decide(.fail, last) == .fail)
            // The work may have taken all of the policy's time so far, so each attempt has that time again.
            let late = Situation(
                tries: 1, elapsed: .seconds(9999), unknownOutcome: policy, mayRestart: false, hasHandle: true)
            #expect(Self.decide(.outcomeUnknown, late) == .retry(after: .seconds(2)))
            #expect(Self.decide(.retry(after: .seconds(9999)), late) == end)
            let overdue = Situation(
                tries: 1, remaining: .zero, unknownOutcome: policy, mayRestart: false, hasHandle: true)
            #expect(Self.decide(.retry(after: nil), overdue) == end)
        }
    }

    @Test("Another provider is tried if this one cannot help, unless remembered work would be paid twice")
    func diversions() {
        for (disposition, tries) in [(FailureDisposition.fail, 1), (.needsUser, 1), (.retry(after: nil), 3)] {
            // A permanent failure fails, and work with a resume handle is held.
            let exhausted: Decision = tries == 3 ? .hold : .fail
            let expected: [(UnknownOutcomePolicy, mayRestart: Bool, hasHandle: Bool, Decision)] = [
                (.runAgain, true, false, .divert), (.runAgain, true, true, .divert),
                (.runAgain, false, false, .fail), (.runAgain, false, true, .fail),
                (.hold, true, false, .divert), (.hold, true, true, .hold), (.hold, false, false, .fail),
                (.hold, false, true, exhausted),
            ]
            for (policy, mayRestart, hasHandle, decision) in expected {
                let situation = Situation(
                    tries: tries, unknownOutcome: policy, mayRestart: mayRestart, hasHandle: hasHandle, hasNext: true)
                #expect(Self.decide(disposition, situation) == decision, "\(disposition), \(situation)")
                #expect(situation.mayDivert == (decision == .divert), "\(situation)")
            }
        }
        #expect(!Situation(tries: 1).mayDivert)
        let held = Situation(tries: 1, unknownOutcome: .hold, hasNext: true)
        #expect(Self.decide(.outcomeUnknown, held) == .hold)
    }

    @Test("A cancelled attempt is not retried, whatever disposition its error has")
    func cancelled() {
        let error = Self.error(.retry(after: nil), .cancelled)
        #expect(Self.policy.decision(after: error, in: Situation(tries: 1), jitter: 1) == .fail)
    }

    @Test("The request's maximum number of attempts replaces the policy's")
    func attempts() {
        let expected: [(tries: Int, maximum: Int?, isRetried: Bool)] = [
            (1, nil, true), (2, nil, true), (3, nil, false), (4, nil, false), (1, 1, false), (1, 2, true),
            (3, 4, true), (4, 4, false), (1, 0, false), (1, -1, false), (.max, .max, false),
        ]
        for (tries, maximum, isRetried) in expected {
            let decision = Self.decide(.retry(after: nil), Situation(tries: tries, maximumAttempts: maximum))
            #expect((decision != .fail) == isRetried, "\(tries) of \(String(describing: maximum))")
        }
    }

    @Test("Backoff delays double up to the maximum, and jitter shortens them down to zero")
    func delays() {
        var policy = Self.policy
        policy.maximumAttempts = .max
        let seconds: [(tries: Int, Double)] = [
            (1, 2), (2, 4), (3, 8), (4, 10), (5, 10), (1_000_000, 10), (0, 2), (-5, 2),
        ]
        for (tries, longest) in seconds {
            for jitter in [0, 0.25, 1] {
                let decision = Self.decide(.retry(after: nil), Situation(tries: tries), jitter: jitter, policy: policy)
                #expect(decision == .retry(after: .seconds(longest) * jitter), "\(tries), \(jitter)")
            }
        }
    }

    @Test("A retry past a deadline fails, and a delay is shortened to end before the deadline")
    func bounds() {
        let limit = Duration.seconds(5)
        let short = limit - .milliseconds(1)
        let expected: [(Duration?, Situation, Decision)] = [
            // The deadline is near: the delay is shorter than drawn and never shorter than the provider asked for.
            (nil, Situation(tries: 3, maximumAttempts: 9, remaining: limit), .retry(after: short)),
            (.seconds(3), Situation(tries: 3, maximumAttempts: 9, remaining: limit), .retry(after: short)),
            (short, Situation(tries: 1, remaining: limit), .retry(after: short)),
            (limit - .microseconds(1), Situation(tries: 1, remaining: limit), .retry(after: limit - .microseconds(1))),
            (limit, Situation(tries: 1, remaining: limit), .fail),
            (.seconds(6), Situation(tries: 1, remaining: limit), .fail),
            (nil, Situation(tries: 1, remaining: .zero), .fail),
            (nil, Situation(tries: 1, remaining: .seconds(-1)), .fail),
            (nil, Situation(tries: 1, remaining: .microseconds(1)), .retry(after: .zero)),
            // The policy's own limit.
            (nil, Situation(tries: 1, elapsed: .seconds(97)), .retry(after: .seconds(2))),
            (nil, Situation(tries: 1, elapsed: .seconds(99)), .retry(after: .milliseconds(999))),
            (nil, Situation(tries: 1, elapsed: .seconds(100)), .fail),
            (.seconds(50), Situation(tries: 1, elapsed: .seconds(50)), .fail),
            (.seconds(49), Situation(tries: 1, elapsed: .seconds(50)), .retry(after: .milliseconds(49_999))),
            // The earlier of both limits counts.
            (
                nil, Situation(tries: 2, elapsed: .seconds(97), remaining: .seconds(50)),
                .retry(after: .milliseconds(2999))
            ),
            (
                nil, Situation(tries: 2, elapsed: .seconds(1), remaining: .seconds(3)),
                .retry(after: .milliseconds(2999))
            ),
        ]
        for (after, situation, decision) in expected {
            #expect(
                Self.decide(.retry(after: after), situation) == decision, "\(String(describing: after)), \(situation)")
        }
    }

    @Test("A policy of one attempt never retries")
    func never() {
        #expect(Self.decide(.retry(after: nil), Situation(tries: 1), policy: .never) == .fail)
    }

    // MARK: Properties

    private static let durations: [Duration] = [
        .zero, .nanoseconds(1), .milliseconds(1), .milliseconds(1500), .seconds(1), .seconds(59), .seconds(3600),
        .seconds(1_000_000_000), .seconds(Int64.max), .seconds(Int64.min), .seconds(-1),
    ]
    private static let jitters: [Double] = [0, 0.5, 1, -1, 2, 1e300, .nan, .infinity, -.infinity]
    private static let counts = [0, 1, 2, 3, 7, 64, 65, 200, -1, Int.max, Int.min]

    @Test(
        "A delay is at least Retry-After, adds at most the maximum, and never exceeds a bound or traps",
        arguments: Seeds.choose(20))
    func properties(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        func any<Value>(_ values: [Value]) -> Value { values.randomElement(using: &random) ?? values[0] }
        for _ in 0..<2_000 {
            let policy = RetryPolicy(
                maximumAttempts: any(Self.counts), baseDelay: any(Self.durations), maximumDelay: any(Self.durations),
                maximumElapsed: any(Self.durations))
            let situation = Situation(
                tries: any(Self.counts), maximumAttempts: any([nil] + Self.counts), elapsed: any(Self.durations),
                remaining: any([nil] + Self.durations), unknownOutcome: any(UnknownOutcomePolicy.allCases),
                hasHandle: any([false, true]), hasNext: any([false, true]))
            let disposition = any(
                [FailureDisposition.fail, .needsUser, .outcomeUnknown, .retry(after: nil)]
                    + Self.durations.map { .retry(after: $0) })
            let decision = Self.decide(disposition, situation, jitter: any(Self.jitters), policy: policy)
            guard case .retry(let delay) = decision else { continue }
            let found = "HABLARE_SEED=\(seed): \(delay) by \(policy) in \(situation) after \(disposition)"
            var asked = Duration.zero
            if case .retry(let after) = disposition { asked = max(.zero, after ?? .zero) }
            #expect(delay >= asked, "\(found)")
            // Jitter is a floating-point number, so the maximum delay may be exceeded by a microsecond.
            #expect(delay <= asked + max(.zero, policy.maximumDelay) + .microseconds(1), "\(found)")
            if let remaining = situation.remaining { #expect(delay < remaining, "\(found)") }
            let elapsed = situation.hasHandle ? .zero : situation.elapsed
            #expect(elapsed + delay < policy.maximumElapsed, "\(found)")
            #expect(situation.tries < situation.maximumAttempts ?? policy.maximumAttempts, "\(found)")
        }
    }
}
