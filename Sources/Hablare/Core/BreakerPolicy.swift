/// When a provider that fails is left alone, and for how long.
public struct BreakerPolicy: Sendable, Hashable {
    /// After how many failures in a row that say something about the provider's health (overload, timeouts, lost
    /// connections), at least 1. Default 5.
    public var threshold: Int
    /// How long at first; doubles with each probe that fails. Default 5 s.
    public var pause: Duration
    /// How long at most. Default 5 minutes.
    public var longestPause: Duration

    /// Creates a policy.
    public init(threshold: Int = 5, pause: Duration = .seconds(5), longestPause: Duration = .seconds(300)) {
        self.threshold = threshold
        self.pause = pause
        self.longestPause = longestPause
    }

    /// Refuses what cannot work.
    func check(_ name: String) throws(AIServiceError) {
        guard threshold >= 1, pause > .zero, longestPause >= .zero else {
            throw AIServiceError(
                .invalidConfiguration,
                "\(name) has a threshold of less than 1, or a pause that is not positive. Give it 1 or more, and some time."
            )
        }
    }

    /// Never leaves a provider alone.
    public static let never = BreakerPolicy(threshold: .max)
}
