package import Foundation

/// A token bucket. It fills at a steady rate up to its capacity. Each cost takes tokens from it. This type is pure.
///
/// A cost above the capacity is granted when the bucket is full, and leaves the bucket in debt. A huge request
/// therefore waits like every other request, but does not wait for ever.
package struct TokenBucket: Sendable, Hashable, Codable {
    /// The number of tokens left; negative in debt.
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

    /// The maximum lag between the dates of two processes, in seconds. An older date means that a clock was set back.
    static let largestLag: TimeInterval = 60

    /// Refills the bucket for the time since the last refill.
    ///
    /// No period of time fills the bucket twice, even if a process with an older date comes after a process with a
    /// newer date. After a clock was set back, the bucket continues from the new date.
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
