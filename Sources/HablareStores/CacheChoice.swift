public import Foundation
public import Hablare

/// Which of several answers to the same work is used, and which have been replaced. Pure: stores do as it says.
public struct CacheChoice: Sendable, Hashable {
    /// An answer.
    public struct Candidate: Sendable, Hashable {
        /// The flight that made it.
        public var flight: FlightID
        /// When it was received.
        public var receivedAt: Date

        /// Creates a candidate.
        public init(flight: FlightID, receivedAt: Date) {
            self.flight = flight
            self.receivedAt = receivedAt
        }

        fileprivate static func isOlder(_ lhs: Self, _ rhs: Self) -> Bool {
            (lhs.receivedAt, lhs.flight) < (rhs.receivedAt, rhs.flight)
        }
    }

    /// The newest one within the window.
    public let chosen: Candidate?
    /// Those that a newer one has replaced. One that is of the future, by the clock of whoever looks, replaces nothing.
    public let replaced: [FlightID]

    /// Chooses.
    ///
    /// - Parameters:
    ///   - candidates: The answers that are there, in any order.
    ///   - now: The present, for whoever looks.
    ///   - window: When the answer must have been received; `nil` where none is wanted.
    public init(among candidates: [Candidate], at now: Date, within window: ClosedRange<Date>?) {
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

/// Which answers drop out of a cache that is too large: the first ones of those that were not used for longest. Pure.
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
