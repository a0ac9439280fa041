public import Foundation

/// How long a saved resource is good: so many days by the calendar, and not a moment longer.
///
/// A resource is fresh if and only if the present is before its date plus the days; exactly then it is expired. Days are those
/// of the calendar, so a week in which the clocks are changed has an hour more or less. A resource from the future, which a clock
/// that was put back leaves behind, is fresh until its days are over.
public struct FreshnessPolicy: Sendable {
    /// For how many days a resource is fresh.
    public let days: Int
    /// By which days are counted.
    public let calendar: Calendar
    /// The present.
    public let date: @Sendable () -> Date

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - days: For how many days a resource is fresh. Default: 7. Less than one: it never is. More than 36,500, a hundred
    ///     years, counts as that many.
    ///   - calendar: By which days are counted. Default: the Gregorian calendar in the time zone where the program runs.
    ///   - date: The present. Default: the system's clock.
    public init(
        days: Int = 7, calendar: Calendar = Calendar(identifier: .gregorian),
        date: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.days = min(days, 36_500)
        self.calendar = calendar
        self.date = date
    }

    /// Whether a resource that was saved at a date is fresh.
    public func isFresh(_ savedAt: Date) -> Bool {
        let now = date()
        // A date out of a damaged file may be anything, and calendars trap on what is no time at all.
        guard days > 0, Self.isDate(savedAt), Self.isDate(now),
            let end = calendar.date(byAdding: .day, value: days, to: savedAt)
        else { return false }
        return now < end
    }

    /// Within ten thousand years of today.
    private static func isDate(_ date: Date) -> Bool {
        abs(date.timeIntervalSinceReferenceDate) < 315_576_000_000
    }
}
