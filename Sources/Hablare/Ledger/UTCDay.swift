package import Foundation

/// A day of the proleptic Gregorian calendar in UTC, counted from 1 January 1970.
///
/// The computation does not use the machine's calendar, locale or time zone. They therefore do not affect a ledger or a
/// budget.
package struct UTCDay: Sendable, Hashable, Comparable {
    package static let length: TimeInterval = 86_400
    /// The numbers of the days in the years 1 to 9999, whose names have ten characters.
    private static let named = -719_162...2_932_896

    /// The number of days since 1970-01-01.
    package let number: Int

    /// Creates a day. A day before the year 1 becomes the first day of the year 1. A day after the year 9999 becomes
    /// the last day of the year 9999.
    package init(number: Int) {
        self.number = min(max(number, Self.named.lowerBound), Self.named.upperBound)
    }

    package init(containing date: Date) {
        let days = (date.timeIntervalSince1970 / Self.length).rounded(.down)
        self.init(number: Int(exactly: days) ?? (days < 0 ? .min : .max))
    }

    /// Creates a day from its name, `2026-11-21`. Returns `nil` if the name is not the name of a day.
    package init?(_ name: some StringProtocol) {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3,
            zip(parts, [4, 2, 2]).allSatisfy({ part, width in part.count == width }),
            parts.joined().allSatisfy({ ("0"..."9").contains($0) }),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]), (1...9999).contains(year),
            (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        self.init(number: Self.number(year: year, month: month, day: day))
        guard components == (year, month, day) else { return nil }
    }

    package var start: Date { Date(timeIntervalSince1970: TimeInterval(number) * Self.length) }

    package var firstOfMonth: UTCDay {
        let (year, month, _) = components
        return UTCDay(number: Self.number(year: year, month: month, day: 1))
    }

    package var firstOfNextMonth: UTCDay {
        let (year, month, _) = components
        return UTCDay(
            number: month == 12
                ? Self.number(year: year + 1, month: 1, day: 1) : Self.number(year: year, month: month + 1, day: 1))
    }

    package var next: UTCDay { UTCDay(number: number + 1) }

    /// The name of the day: `2026-11-21`.
    package var name: String {
        let (year, month, day) = components
        func padded(_ number: Int, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    }

    package static func < (lhs: UTCDay, rhs: UTCDay) -> Bool { lhs.number < rhs.number }

    /// Computes the number of a day, by eras of 400 years. The computation begins each year in March, so that the leap
    /// day is the last day of a year.
    private static func number(year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private var components: (year: Int, month: Int, day: Int) {
        let days = number + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }
}
