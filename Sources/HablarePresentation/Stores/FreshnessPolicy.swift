public import Foundation

/// The time for which a saved resource is fresh, in calendar days.
///
/// A resource is fresh from its save date until ``days`` days later. At exactly that time it is expired. Days are
/// calendar days, so a week with a clock change is an hour longer or shorter. If a clock was set back, a save date may
/// be in the future. Such a resource is also fresh until ``days`` days after its save date.
///
/// For example, for a feed that is loaded again on the next day:
///
/// ```swift
/// let policy = FreshnessPolicy(days: 1)
/// ```
public struct FreshnessPolicy: Sendable {
    /// The number of days for which a resource is fresh. For example, 30 for a list of countries.
    public let days: Int
    /// The calendar that counts the days. If all devices must agree on the end of a day, use a calendar with the time
    /// zone GMT.
    public let calendar: Calendar
    /// A closure that returns the current date. In a test, use a closure such as `{ now }`.
    public let date: @Sendable () -> Date

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - days: The number of days for which a resource is fresh. Default: 7. With a number below 1, a resource is
    ///     never fresh. The maximum is 36,500, a hundred years.
    ///   - calendar: The calendar that counts the days. Default: the Gregorian calendar in the current time zone.
    ///   - date: A closure that returns the current date. Default: the system's clock.
    public init(
        days: Int = 7, calendar: Calendar = Calendar(identifier: .gregorian),
        date: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.days = min(days, 36_500)
        self.calendar = calendar
        self.date = date
    }

    /// Returns whether a resource with a given save date is fresh.
    public func isFresh(_ savedAt: Date) -> Bool {
        let now = date()
        // A damaged file may contain any date, and calendars trap for dates out of their range.
        guard days > 0, Self.isDate(savedAt), Self.isDate(now),
            let end = calendar.date(byAdding: .day, value: days, to: savedAt)
        else { return false }
        return now < end
    }

    /// Whether a date is within ten thousand years of 2001.
    private static func isDate(_ date: Date) -> Bool {
        abs(date.timeIntervalSinceReferenceDate) < 315_576_000_000
    }
}
