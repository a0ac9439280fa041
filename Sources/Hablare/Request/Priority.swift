/// The class of a provider's queue in which a request waits.
///
/// The classes share a lane by deficit round robin 8:4:1, so a flood of urgent requests slows the others down but
/// never starves them. Within a class requests run in the order they arrived.
public enum Priority: Int, Sendable, Hashable, Comparable, CaseIterable, Codable {
    /// Somebody is looking at the screen and waits.
    case high = 0
    /// The default.
    case normal = 1
    /// Work ahead of need: prefetching, overnight jobs.
    case low = 2

    /// How many requests of the class are chosen in one round: 8, 4 or 1.
    package var weight: Int {
        switch self {
        case .high: 8
        case .normal: 4
        case .low: 1
        }
    }

    /// Orders by urgency: `.high < .normal < .low`, so that an ascending sort puts the most urgent first.
    public static func < (lhs: Self, rhs: Self) -> Bool {
        lhs.rawValue < rhs.rawValue
    }
}
