import Foundation

extension Duration {
    /// Thirty years. This is long enough for any purpose, and short enough that no clock and no sum overflows.
    package static let farthest = Duration.seconds(1_000_000_000)

    /// Returns the time from one date to another. It is limited to thirty years, because a request may name any date.
    static func between(_ start: Date, _ end: Date) -> Duration {
        let interval = end.timeIntervalSince(start)
        guard !interval.isNaN else { return farthest }
        return .seconds(min(max(interval, -1_000_000_000), 1_000_000_000))
    }
}
