/// How far a person is: count, share, rate and estimate. A value; times come from a clock that never goes back.
public struct SessionProgress: Sendable, Hashable, Codable {
    /// The number of the last decisions from which the rate is computed.
    public static let window = 20
    /// The pause after which the rate is computed from new decisions only.
    public static let pause: Duration = .seconds(120)

    /// The number of photos that were settled in this session.
    public private(set) var decided = 0
    /// The number of photos in the library, settled or not.
    public private(set) var total: Int
    /// The number of photos that are not settled.
    public private(set) var remaining: Int
    /// The times of the last decisions.
    private var times: [Duration] = []

    /// Creates the progress of a session that begins.
    public init(total: Int = 0, remaining: Int = 0) {
        self.total = total
        self.remaining = remaining
    }

    /// A photo was settled at a time.
    public mutating func settled(at time: Duration) {
        decided += 1
        remaining = max(0, remaining - 1)
        if let last = times.last, time - last > Self.pause || time < last { times = [] }
        times.append(time)
        if times.count > Self.window { times.removeFirst() }
    }

    /// A photo that was settled is undecided again.
    public mutating func unsettled() {
        decided = max(0, decided - 1)
        remaining = min(total, remaining + 1)
    }

    /// The library was counted.
    public mutating func counted(total: Int, remaining: Int) {
        self.total = total
        self.remaining = remaining
    }

    /// The share of the library that is settled, 0 to 1. 1 for an empty library.
    public var share: Double { total == 0 ? 1 : Double(total - remaining) / Double(total) }

    /// The number of photos in a minute over the last decisions; nil before the second one.
    public var perMinute: Double? {
        guard let first = times.first, let last = times.last, last > first else { return nil }
        return Double(times.count - 1) / ((last - first) / .seconds(60))
    }

    /// The time that the rest needs at this rate; nil while there is no rate.
    public var estimate: Duration? {
        perMinute.map { .seconds((Double(remaining) / $0 * 60).rounded()) }
    }
}
