import HablareTestKit

/// How the scheduler of one history chooses: each style finds interleavings that the others seldom reach.
package struct SchedulingStyle: Sendable, Hashable {
    /// Which of the ready jobs of a process is preferred.
    package enum Order: Sendable, Hashable, CaseIterable {
        /// Any.
        case any
        /// Mostly the oldest: nearly what a real executor does.
        case oldest
        /// Mostly the newest: the old ones starve.
        case newest
    }

    /// Which job of a process is preferred.
    var order: Order
    /// A process that gets few turns, by its lane.
    var slowLane: Int?
    /// How far time moves on its own, at most, in nanoseconds, every 32 steps or so.
    var drift: Int64

    func weight(of lane: Int) -> Int { slowLane == lane ? 1 : 6 }

    func index(of count: Int, using random: inout SeededGenerator) -> Int {
        if count == 1 { return 0 }
        switch order {
        case .oldest where random.next() & 7 != 0: return 0
        case .newest where random.next() & 7 != 0: return count - 1
        default: return Int(random.below(Int64(count)))
        }
    }
}

extension SeededGenerator {
    /// A number from zero up to, and not including, a bound.
    mutating func below(_ bound: Int64) -> Int64 {
        bound <= 1 ? 0 : Int64(next().multipliedFullWidth(by: UInt64(bound)).high)
    }

    /// A number of a range.
    mutating func within(_ range: ClosedRange<Int64>) -> Int64 {
        range.lowerBound + below(range.upperBound - range.lowerBound + 1)
    }

    /// Whether something happens that happens so often in a hundred times.
    mutating func percent(_ chance: Int64) -> Bool { below(100) < chance }

    /// An element of a collection that is not empty.
    mutating func element<T>(of array: [T]) -> T { array[Int(below(Int64(array.count)))] }
}
