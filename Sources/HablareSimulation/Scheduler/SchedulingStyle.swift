import HablareTestKit

/// The way in which the scheduler chooses the next job in one history. With each style, the scheduler finds orders of
/// jobs that are rare with the other styles.
package struct SchedulingStyle: Sendable, Hashable {
    /// The preferred order of the jobs of one process that are ready to run.
    package enum Order: Sendable, Hashable, CaseIterable {
        /// No preference.
        case any
        /// Mostly the oldest job first, as a real executor does.
        case oldest
        /// Mostly the newest job first, so that old jobs wait very long.
        case newest
    }

    /// The preferred order of a process's jobs.
    var order: Order
    /// The lane (the queue of jobs of a simulated process) that is chosen rarely, or `nil` if there is none.
    var slowLane: Int?
    /// The maximum time, in nanoseconds, by which time advances although jobs are ready. This happens about every 32
    /// steps.
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
    /// Returns a random number from 0 up to a bound, but not the bound itself.
    mutating func below(_ bound: Int64) -> Int64 {
        bound <= 1 ? 0 : Int64(next().multipliedFullWidth(by: UInt64(bound)).high)
    }

    /// Returns a random number in a range.
    mutating func within(_ range: ClosedRange<Int64>) -> Int64 {
        range.lowerBound + below(range.upperBound - range.lowerBound + 1)
    }

    /// Returns `true` with a probability that is given in percent.
    mutating func percent(_ chance: Int64) -> Bool { below(100) < chance }

    /// Returns a random element of an array that is not empty.
    mutating func element<T>(of array: [T]) -> T { array[Int(below(Int64(array.count)))] }
}
