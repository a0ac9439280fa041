public import Foundation

/// The seeds of a randomised test.
public enum Seeds {
    /// Returns the seeds 0, 1, 2 … up to a count. If the environment sets `HABLARE_SEEDS=n`, the count is `n`. If it
    /// sets `HABLARE_SEED=n`, returns only the seed `n`, so that you can replay a failing test.
    public static func choose(
        _ count: Int, environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> [UInt64] {
        if let seed = environment["HABLARE_SEED"].flatMap({ UInt64($0) }) { return [seed] }
        let count = environment["HABLARE_SEEDS"].flatMap { Int($0) } ?? count
        return (0..<max(1, count)).map { UInt64($0) }
    }
}
