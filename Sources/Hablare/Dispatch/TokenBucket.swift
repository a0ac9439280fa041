package import Foundation

/// A token bucket: fills at a steady rate up to its capacity, and is drained by what is spent. Pure.
///
/// A cost above the capacity is granted when the bucket is full and leaves it in debt, so that one huge request waits
/// for its share like everybody and is not stuck for ever.
package struct TokenBucket: Sendable, Hashable {
    /// How much is left; below zero in debt.
    package var level: Double
    /// When the level was right.
    package var updatedAt: Date

    package init(level: Double, updatedAt: Date) {
        self.level = level
        self.updatedAt = updatedAt
    }

    /// A bucket's measures.
    struct Measure: Sendable, Hashable {
        let perSecond: Double
        let capacity: Double

        init(perMinute: Double, burst: Double) {
            perSecond = perMinute / 60
            capacity = max(1, perMinute * burst)
        }
    }

    /// Lets time pass. A clock that was set back fills nothing, and costs no more than that.
    mutating func refill(_ measure: Measure, now: Date) {
        let elapsed = now.timeIntervalSince(updatedAt)
        if elapsed > 0 { level += elapsed * measure.perSecond }
        level = min(level, measure.capacity)
        updatedAt = now
    }

    /// What has to be there for a cost to be spent.
    func needed(for cost: Double, _ measure: Measure) -> Double {
        min(cost, measure.capacity)
    }

    /// How long until a cost can be spent, in seconds; 0 when it can.
    func delay(of cost: Double, _ measure: Measure) -> TimeInterval {
        // A microsecond is nothing but rounding: a date cannot hold much less, so that it would be due at once, in vain.
        let delay = (needed(for: cost, measure) - level) / measure.perSecond
        return delay > 1e-6 ? delay : 0
    }
}
