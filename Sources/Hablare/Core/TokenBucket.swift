package import Foundation

/// A token bucket: a rate limit that allows bursts. Tokens are added at a steady rate, up to the capacity of the
/// bucket. Each call takes as many tokens as it costs. This type is pure.
///
/// If a call costs more than the capacity, it is allowed when the bucket is full. The number of tokens is then
/// negative. A huge request therefore need not wait for ever.
package struct TokenBucket: Sendable, Hashable, Codable {
    /// The number of tokens. It may be negative.
    package var level: Double
    package var updatedAt: Date

    package init(level: Double, updatedAt: Date) {
        self.level = level
        self.updatedAt = updatedAt
    }

    struct Measure: Sendable, Hashable {
        let perSecond: Double
        let capacity: Double

        init(perMinute: Double, burst: Double) {
            perSecond = perMinute / 60
            capacity = max(1, perMinute * burst)
        }
    }

    /// The maximum difference between the clocks of two processes, in seconds. If a date is older than this, a clock
    /// was set back.
    static let largestLag: TimeInterval = 60

    /// Adds the tokens for the time since the last call of this method.
    ///
    /// Tokens for the same period are added only once, even if processes with different clocks call this method in
    /// turn. If a clock was set back, the bucket continues from the new date.
    mutating func refill(_ measure: Measure, now: Date) {
        let elapsed = now.timeIntervalSince(updatedAt)
        if elapsed > 0 { level += elapsed * measure.perSecond }
        level = min(level, measure.capacity)
        if elapsed > 0 || elapsed < -Self.largestLag { updatedAt = now }
    }

    func needed(for cost: Double, _ measure: Measure) -> Double {
        min(cost, measure.capacity)
    }

    func delay(of cost: Double, _ measure: Measure) -> TimeInterval {
        // Dates are rounded to a microsecond. A call that is due within one would otherwise ask again in vain, without
        // time passing.
        let delay = (needed(for: cost, measure) - level) / measure.perSecond
        return delay > 1e-6 ? delay : 0
    }
}
