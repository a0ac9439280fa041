import Foundation
import HablareTestKit
import Testing

@testable import Hablare

@Suite struct BreakerTests {
    private static let policy = BreakerPolicy(threshold: 3, pause: .seconds(5), longestPause: .seconds(30))

    private func date(_ seconds: Double) -> Date { StoreWorkbench.date(0).addingTimeInterval(seconds) }

    /// Ends this number of calls with a failure; none of them is a probe.
    private func fail(_ breaker: inout Breaker, _ count: Int = 3, at seconds: Double = 0) {
        for _ in 0..<count { _ = breaker.ended(.failing, probe: nil, now: date(seconds)) }
    }

    private func expect(
        _ news: AccountReport.Failing, of breaker: inout Breaker, when health: Breaker.Health, probe: Breaker.Probe?,
        at seconds: Double, location: SourceLocation = #_sourceLocation
    ) {
        let found = breaker.ended(health, probe: probe, now: date(seconds))
        #expect(found == news, sourceLocation: location)
    }

    @Test("The breaker opens after exactly the threshold of failures in a row, for the pause")
    func opens() {
        var breaker = Breaker(Self.policy)
        fail(&breaker, 2)
        #expect(breaker.isClosed && breaker.next(now: date(0)) == nil)
        expect(.until(date(6)), of: &breaker, when: .failing, probe: nil, at: 1)
        #expect(!breaker.isClosed && breaker.next(now: date(1)) == date(6))
        #expect(breaker.next(now: date(6)) == nil, "at the date a probe may be sent")
    }

    @Test("A success resets the failure count, and an inconclusive call does not")
    func inARow() {
        var breaker = Breaker(Self.policy)
        fail(&breaker, 2)
        expect(.unchanged, of: &breaker, when: .sound, probe: nil, at: 0)
        fail(&breaker, 2)
        expect(.unchanged, of: &breaker, when: .unknown, probe: nil, at: 0)
        #expect(breaker.isClosed)
        expect(.until(date(5)), of: &breaker, when: .failing, probe: nil, at: 0)
    }

    @Test("One probe is sent, and no other call until it ends")
    func probe() {
        var breaker = Breaker(Self.policy)
        fail(&breaker)
        let probes = [breaker.sent(), breaker.sent()]
        #expect(probes.map { $0 != nil } == [true, false], "whatever is sent all the same is not the probe")
        #expect(breaker.next(now: date(99)) == .distantFuture)
        expect(.over, of: &breaker, when: .sound, probe: probes[0], at: 6)
        #expect(breaker.isClosed)
        fail(&breaker, 2)
        #expect(breaker.isClosed, "the count begins anew")
    }

    @Test("Each failed probe doubles the pause up to the maximum, and a success closes the breaker")
    func pauses() {
        var breaker = Breaker(Self.policy)
        fail(&breaker)
        for (index, pause) in [10.0, 20, 30, 30, 30].enumerated() {
            let now = Double(index * 100 + 100)
            let probe = breaker.sent()
            expect(.until(date(now + pause)), of: &breaker, when: .failing, probe: probe, at: now)
        }
        let probe = breaker.sent()
        expect(.over, of: &breaker, when: .sound, probe: probe, at: 900)
        fail(&breaker, 2, at: 900)
        expect(.until(date(905)), of: &breaker, when: .failing, probe: nil, at: 900)
    }

    @Test("Hundreds of failed probes do not overflow the pause")
    func manyPauses() {
        var breaker = Breaker(Self.policy)
        fail(&breaker)
        for _ in 0..<200 {
            let probe = breaker.sent()
            let news = breaker.ended(.failing, probe: probe, now: date(0))
            #expect(news != .unchanged)
        }
        #expect(breaker.next(now: date(0)) == date(30))
    }

    @Test("An inconclusive probe is followed by another at once")
    func silentProbe() {
        var breaker = Breaker(Self.policy)
        fail(&breaker)
        let probe = breaker.sent()
        expect(.unchanged, of: &breaker, when: .unknown, probe: probe, at: 6)
        #expect(breaker.next(now: date(6)) == nil)
        let second = breaker.sent()
        expect(.until(date(17)), of: &breaker, when: .failing, probe: second, at: 7)
    }

    @Test("A call sent before the breaker opened closes it by a success and ignores a failure")
    func stragglers() {
        var breaker = Breaker(Self.policy)
        fail(&breaker)
        for health in [Breaker.Health.failing, .unknown] {
            expect(.unchanged, of: &breaker, when: health, probe: nil, at: 3)
        }
        #expect(breaker.next(now: date(3)) == date(5))
        _ = breaker.sent()
        for health in [Breaker.Health.failing, .unknown] {
            expect(.unchanged, of: &breaker, when: health, probe: nil, at: 6)
        }
        #expect(breaker.next(now: date(6)) == .distantFuture)
        expect(.over, of: &breaker, when: .sound, probe: nil, at: 6)
        #expect(breaker.isClosed)
    }

    @Test("The end of an outdated probe is not taken for that of the current one")
    func formerProbe() {
        var breaker = Breaker(Self.policy)
        fail(&breaker)
        let former = breaker.sent()
        // An earlier call succeeds, so the probe is outdated. Then the provider fails again and is probed again.
        expect(.over, of: &breaker, when: .sound, probe: nil, at: 6)
        fail(&breaker, at: 7)
        _ = breaker.sent()
        expect(.unchanged, of: &breaker, when: .failing, probe: former, at: 13)
    }

    @Test("A breaker with the policy `never` does not open")
    func never() {
        var breaker = Breaker(.never)
        fail(&breaker, 10_000)
        #expect(breaker.isClosed)
    }

    @Test("Each error code tells whether the provider is healthy, failing or unknown")
    func health() {
        let expected: [(AIServiceError.Code, Breaker.Health)] = [
            (.overloaded, .failing), (.connectionFailed, .failing), (.timeout, .failing), (.connectionLost, .failing),
            (.rateLimited, .unknown), (.cancelled, .unknown), (.invalidRequest, .sound), (.quotaExceeded, .sound),
            (.unauthorized, .sound), (.providerFailed, .sound), (.invalidResponse, .sound),
        ]
        for (code, health) in expected { #expect(Breaker.Health(AIServiceError(code, "")) == health, "\(code)") }
    }

    // MARK: An independent model

    /// Keeps every end since the provider last worked, and derives from them what a breaker must know.
    private struct Book {
        var failures = 0
        var failedProbes: Int?
        var until = Date.distantPast
        /// The call that is the probe.
        var probe: Int?

        var mayOpen: Bool { failures >= 3 }
        mutating func pause(_ now: Date, after probes: Int) {
            failedProbes = probes
            var pause = 5.0
            for _ in 0..<probes { pause = min(30, pause * 2) }
            until = now.addingTimeInterval(pause)
        }

        func next(_ now: Date) -> Date? {
            guard failedProbes != nil else { return nil }
            if probe != nil { return .distantFuture }
            return until > now ? until : nil
        }

        mutating func sent(_ call: Int) {
            if failedProbes != nil, probe == nil { probe = call }
        }

        mutating func ended(_ call: Int, _ health: Breaker.Health, _ now: Date) -> AccountReport.Failing {
            let wasProbe = probe == call
            if wasProbe { probe = nil }
            switch health {
            case .sound:
                defer { self = Book() }
                return failedProbes == nil ? .unchanged : .over
            case .unknown:
                if wasProbe { until = now }
                return .unchanged
            case .failing:
                if let failedProbes {
                    guard wasProbe else { return .unchanged }
                    pause(now, after: failedProbes + 1)
                } else {
                    failures += 1
                    guard mayOpen else { return .unchanged }
                    pause(now, after: 0)
                }
                return .until(until)
            }
        }
    }

    @Test("The breaker agrees with an independent model over random histories", arguments: Seeds.choose(100))
    func model(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var breaker = Breaker(Self.policy)
        var book = Book()
        var now = date(0)
        var calls: [(number: Int, probe: Breaker.Probe?)] = []
        for step in 0..<400 {
            now.addTimeInterval(Double(Int.random(in: 0...40, using: &random)) / 4)
            let what = "HABLARE_SEED=\(seed), step \(step)"
            #expect(breaker.next(now: now) == book.next(now), "\(what)")
            if breaker.next(now: now) == nil, calls.count < 6, Bool.random(using: &random) {
                calls.append((step, breaker.sent()))
                book.sent(step)
            } else if let index = calls.indices.randomElement(using: &random) {
                let call = calls.remove(at: index)
                let healths: [Breaker.Health] = [.sound, .failing, .failing, .failing, .failing, .unknown]
                let health = healths.randomElement(using: &random) ?? .sound
                let news = breaker.ended(health, probe: call.probe, now: now)
                let expected = book.ended(call.number, health, now)
                #expect(news == expected, "\(what): \(health) of \(call)")
            }
        }
    }
}
