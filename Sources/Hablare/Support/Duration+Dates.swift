import Foundation

extension Duration {
    /// Thirty years: long enough for anything, short enough for every clock and sum.
    package static let farthest = Duration.seconds(1_000_000_000)

    /// The time from one date to another. Dates that make no sense count as thirty years away: a request may name any.
    static func between(_ start: Date, _ end: Date) -> Duration {
        let interval = end.timeIntervalSince(start)
        guard !interval.isNaN else { return farthest }
        return .seconds(min(max(interval, -1_000_000_000), 1_000_000_000))
    }
}
