public import Foundation

/// The seeds of a randomised test: a given number of them, or the one in `HABLARE_SEED`.
public enum Seeds {
    /// Returns the seeds 0, 1, 2 … or, if the environment sets `HABLARE_SEED=n`, only `n`, to replay a failing one.
    /// `HABLARE_SEEDS=n` replaces the count.
    public static func choose(
        _ count: Int, environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> [UInt64] {
        if let seed = environment["HABLARE_SEED"].flatMap({ UInt64($0) }) { return [seed] }
        let count = environment["HABLARE_SEEDS"].flatMap { Int($0) } ?? count
        return (0..<max(1, count)).map { UInt64($0) }
    }
}
