public import Foundation

/// The seeds of a randomised test.
public enum Seeds {
    /// Returns the seeds 0, 1, 2 and so on, as many as a count. If the environment variable `HABLARE_SEEDS` is set to a
    /// number, this number replaces the count. If the environment variable `HABLARE_SEED` is set to a number, returns
    /// only this seed, so that you can repeat a failed test.
    public static func choose(
        _ count: Int, environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> [UInt64] {
        if let seed = environment["HABLARE_SEED"].flatMap({ UInt64($0) }) { return [seed] }
        let count = environment["HABLARE_SEEDS"].flatMap { Int($0) } ?? count
        return (0..<max(1, count)).map { UInt64($0) }
    }
}
