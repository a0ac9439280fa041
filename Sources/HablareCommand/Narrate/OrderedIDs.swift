import Foundation
import Hablare

/// UUIDs (version 7) that sort in the order they were made, so that `ps` lists a book's segments in their order.
///
/// The 12 bits behind the milliseconds count (RFC 9562 §6.2, method 1); after 4,096 in one millisecond the time is put
/// forward by one. The rest is random.
struct OrderedIDs {
    private static let perMillisecond: UInt64 = 1 << 12

    /// Milliseconds since 1970.
    private let start: Double
    private var count: UInt64 = 0

    init(from start: Date) {
        self.start = (start.timeIntervalSince1970 * 1000).rounded(.down)
    }

    mutating func next() -> UUID {
        let (milliseconds, counter) = count.quotientAndRemainder(dividingBy: Self.perMillisecond)
        count += 1
        var generator = CountingGenerator(counter: counter)
        // In the middle of the millisecond, so that no rounding leaves it.
        let date = Date(timeIntervalSince1970: (start + Double(milliseconds) + 0.5) / 1000)
        return .timeOrdered(at: date, using: &generator)
    }

    /// Gives the counter in the bits that stand first in the UUID, then randomness.
    private struct CountingGenerator: RandomNumberGenerator {
        let counter: UInt64
        private var system = SystemRandomNumberGenerator()
        private var isFirst = true

        init(counter: UInt64) {
            self.counter = counter
        }

        mutating func next() -> UInt64 {
            let random = system.next()
            guard isFirst else { return random }
            isFirst = false
            return random & ~0xFFFF | (counter & 0xFF) << 8 | counter >> 8
        }
    }
}
