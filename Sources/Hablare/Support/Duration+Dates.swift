import Foundation

extension Duration {
    /// A duration of about thirty years. It is longer than any wait, and so short that computations with it do not
    /// overflow.
    package static let farthest = Duration.seconds(1_000_000_000)

    /// Returns the time from one date to another, at most thirty years. The limit is needed because a request may have
    /// any date as its deadline.
    static func between(_ start: Date, _ end: Date) -> Duration {
        let interval = end.timeIntervalSince(start)
        guard !interval.isNaN else { return farthest }
        return .seconds(min(max(interval, -1_000_000_000), 1_000_000_000))
    }
}
