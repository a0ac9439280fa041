package import Foundation
package import Hablare

/// The choice among several answers to the same work: which answer is used, and which answers are replaced by a newer
/// one. This type is pure. Stores apply the choice.
package struct CacheChoice: Sendable, Hashable {
    /// An answer.
    package struct Candidate: Sendable, Hashable {
        /// The flight that produced the answer.
        package var flight: FlightID
        /// The date at which the answer was received.
        package var receivedAt: Date

        /// Creates a candidate.
        package init(flight: FlightID, receivedAt: Date) {
            self.flight = flight
            self.receivedAt = receivedAt
        }

        fileprivate static func isOlder(_ lhs: Self, _ rhs: Self) -> Bool {
            (lhs.receivedAt, lhs.flight) < (rhs.receivedAt, rhs.flight)
        }
    }

    /// The newest answer that was received within the window, or `nil` if there is none.
    package let chosen: Candidate?
    /// The answers that a newer answer replaces. If the date of an answer is in the future by this process's clock, the
    /// answer replaces no other answer.
    package let replaced: [FlightID]

    /// Chooses among answers.
    ///
    /// - Parameters:
    ///   - candidates: The existing answers, in any order.
    ///   - now: The current date of the process that chooses.
    ///   - window: The range of dates at which the answer must have been received. `nil` if no cached answer is wanted.
    package init(among candidates: [Candidate], at now: Date, within window: ClosedRange<Date>?) {
        chosen =
            window.flatMap { window in
                candidates.filter { window.contains($0.receivedAt) }.max(by: Candidate.isOlder)
            }
        guard let newest = candidates.filter({ $0.receivedAt <= now }).max(by: Candidate.isOlder) else {
            replaced = []
            return
        }
        replaced = candidates.filter { Candidate.isOlder($0, newest) }.map(\.flight)
    }
}

/// Chooses the answers to remove from a cache that exceeds its limits. The least recently used answers are removed
/// first. This type is pure.
package struct CacheExcess: Sendable {
    private let limits: CacheLimits
    private var count: Int
    private var bytes: Int64

    package init(_ limits: CacheLimits, count: Int, bytes: Int64) {
        self.limits = limits
        self.count = count
        self.bytes = bytes
    }

    package var isLeft: Bool { count > limits.maximumCount || bytes > limits.maximumBytes }

    package mutating func dropped(bytes size: Int64) {
        count -= 1
        bytes -= size
    }
}
