/// A day of the calendar, without a time and a time zone: the number of days since 1970-01-01.
public struct CalendarDay: RawRepresentable, Hashable, Sendable, Codable, Comparable, CustomStringConvertible {
    /// The number of days since 1970-01-01.
    public let rawValue: Int

    /// Creates a day. Days outside the years 1 to 9999 are limited to them.
    public init(rawValue: Int) { self.rawValue = min(max(rawValue, -719_162), 2_932_896) }

    /// Creates the day that a calendar on the wall shows at a moment.
    ///
    /// - Parameter offset: The seconds east of UTC.
    public init(_ moment: Moment, offset: Int) {
        let seconds = moment.rawValue / 1000 - (moment.rawValue % 1000 < 0 ? 1 : 0) + Int64(offset)
        self.init(rawValue: Int(seconds / 86_400 - (seconds % 86_400 < 0 ? 1 : 0)))
    }

    /// Creates a day of a year, month and day. Returns `nil` if the calendar has no such day.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
        // Counts years from March, so that the day of a leap year is the last one.
        let shifted = month > 2 ? year : year - 1
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        self.init(rawValue: era * 146_097 + dayOfEra - 719_468)
        guard parts == (year, month, day) else { return nil }
    }

    /// The year, the month and the day.
    public var parts: (year: Int, month: Int, day: Int) {
        let number = rawValue + 719_468
        let era = (number >= 0 ? number : number - 146_096) / 146_097
        let dayOfEra = number - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    /// The day as `2026-11-28`.
    public var description: String { text(separator: "-") }

    func text(separator: String) -> String {
        let (year, month, day) = parts
        func padded(_ number: Int, _ count: Int) -> String {
            String(repeating: "0", count: max(0, count - String(number).count)) + String(number)
        }
        return [padded(year, 4), padded(month, 2), padded(day, 2)].joined(separator: separator)
    }

    /// Returns the day that is a number of days later.
    public func adding(_ days: Int) -> CalendarDay {
        CalendarDay(rawValue: rawValue + min(max(days, -1 << 24), 1 << 24))
    }

    /// Orders days by time.
    public static func < (one: CalendarDay, other: CalendarDay) -> Bool { one.rawValue < other.rawValue }
}
