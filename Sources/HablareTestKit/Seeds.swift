public import Foundation

/// Which seeds a randomised test runs: so many of its own choice, or the one that `HABLARE_SEED` names.
public enum Seeds {
    /// The seeds 0, 1, 2 … or, when the environment says `HABLARE_SEED=n`, only `n`: so a failing one is replayed.
    /// `HABLARE_SEEDS=n` replaces the count.
    public static func choose(
        _ count: Int, environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> [UInt64] {
        if let seed = environment["HABLARE_SEED"].flatMap({ UInt64($0) }) { return [seed] }
        let count = environment["HABLARE_SEEDS"].flatMap { Int($0) } ?? count
        return (0..<max(1, count)).map { UInt64($0) }
    }
}
