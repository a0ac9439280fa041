package import Foundation

/// A token bucket: fills at a steady rate up to its capacity, and is drained by what is spent. Pure.
///
/// A cost above the capacity is granted when the bucket is full and leaves it in debt, so that one huge request waits
/// for its share like everybody and is not stuck for ever.
package struct TokenBucket: Sendable, Hashable, Codable {
    /// How much is left; below zero in debt.
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

    /// By how much the date of a process may lag behind another's, in seconds. What is older was set back.
    static let largestLag: TimeInterval = 60

    /// Lets time pass. No moment fills the bucket twice: of two processes the one with the older date may come second.
    /// After a clock was set back the bucket goes on from there.
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
        // A microsecond is a date's rounding: what is due then would be asked for again in vain, without time passing.
        let delay = (needed(for: cost, measure) - level) / measure.perSecond
        return delay > 1e-6 ? delay : 0
    }
}
