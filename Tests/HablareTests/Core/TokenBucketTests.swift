import Foundation
import HablareTestKit
import Testing

@testable import Hablare

@Suite struct TokenBucketTests {
    private let start = StoreWorkbench.date(0)
    /// One a second, ten at most.
    private let measure = TokenBucket.Measure(perMinute: 60, burst: 1.0 / 6)

    @Test("A token bucket fills at its rate up to its capacity")
    func refill() {
        for (level, seconds, expected) in [(0.0, 3.0, 3.0), (9, 3, 10), (-5, 2, -3), (-5, 1000, 10), (12, 0, 10)] {
            var bucket = TokenBucket(level: level, updatedAt: start)
            bucket.refill(measure, now: start.addingTimeInterval(seconds))
            #expect(abs(bucket.level - expected) < 1e-9, "\(level) after \(seconds) s")
            #expect(bucket.updatedAt == start.addingTimeInterval(seconds))
        }
    }

    @Test("The capacity is at least one call")
    func capacity() {
        #expect(TokenBucket.Measure(perMinute: 60, burst: 0).capacity == 1)
        #expect(TokenBucket.Measure(perMinute: 0.01, burst: 1).capacity == 1)
        #expect(TokenBucket.Measure(perMinute: 600, burst: 0.1).capacity == 60)
    }

    @Test("The delay of a cost is the time until the bucket holds it")
    func delay() {
        for (level, cost, expected) in [
            (10.0, 10.0, 0.0), (10, 0, 0), (4, 5, 1), (-4, 5, 9), (10, 25, 0), (4, 25, 6), (5 - 1e-7, 5, 0),
        ] {
            let delay = TokenBucket(level: level, updatedAt: start).delay(of: cost, measure)
            #expect(abs(delay - expected) < 1e-9, "\(cost) of \(level)")
        }
    }

    @Test("A clock that was set back refills nothing until it advances again")
    func setBack() {
        var bucket = TokenBucket(level: 2, updatedAt: start)
        bucket.refill(measure, now: start.addingTimeInterval(-10_000))
        #expect(bucket.level == 2)
        bucket.refill(measure, now: start.addingTimeInterval(-9_997))
        #expect(abs(bucket.level - 5) < 1e-9)
    }

    @Test("Extreme dates fill the bucket at most")
    func absurdDates() {
        for seconds in [1e300, -1e300, Date.distantFuture.timeIntervalSince1970] {
            var bucket = TokenBucket(level: 2, updatedAt: Date(timeIntervalSince1970: seconds))
            bucket.refill(measure, now: start)
            #expect(bucket.level >= 2 && bucket.level <= 10)
        }
    }
}
