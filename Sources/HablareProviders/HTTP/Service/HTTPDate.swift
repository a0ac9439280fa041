package import Foundation

/// Dates in HTTP's form (RFC 9110, 5.6.7). There is a current form, such as `Sun, 06 Nov 1994 08:49:37 GMT`, and there
/// are two obsolete forms that clients must also accept.
package enum HTTPDate {
    private static let months = [
        "jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "oct": 10, "nov": 11,
        "dec": 12,
    ]

    /// Returns the date that a text contains; `nil` for an invalid text.
    package static func date(_ text: String) -> Date? {
        let words = text.lowercased().split { $0 == " " || $0 == "," || $0 == "-" }.map(String.init)
        // sun 06 nov 1994 08:49:37 gmt · sunday 06 nov 94 08:49:37 gmt · sun nov 6 08:49:37 1994
        if words.count == 6, words[5] == "gmt" {
            return date(day: words[1], month: words[2], year: words[3], time: words[4])
        }
        if words.count == 5 { return date(day: words[2], month: words[1], year: words[4], time: words[3]) }
        return nil
    }

    private static func date(day: String, month: String, year: String, time: String) -> Date? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        guard let day = Int(day), let month = months[month], var year = Int(year), clock.count == 3,
            let hour = clock[0], let minute = clock[1], let second = clock[2],
            (1...31).contains(day), (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        // Two digits mean the latest such year that is at most 50 years ahead. No service still writes them.
        if year < 100 { year += year < 70 ? 2000 : 1900 }
        guard (1900...9999).contains(year) else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = DateComponents(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        guard let date = calendar.date(from: parts), calendar.component(.day, from: date) == day || second == 60 else {
            return nil
        }
        return date
    }
}
