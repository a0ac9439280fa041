import Foundation

/// Texts with numbers, for a person. Pure functions.
enum Wording {
    /// Returns a number with commas between thousands.
    static func number(_ value: Int) -> String {
        var digits = String(abs(value))
        var groups: [Substring] = []
        while digits.count > 3 {
            groups.insert(digits.suffix(3), at: 0)
            digits = String(digits.dropLast(3))
        }
        return (value < 0 ? "-" : "") + ([digits[...]] + groups).joined(separator: ",")
    }

    /// Returns a count with its noun, such as `1 photo` or `3,412 photos`.
    static func count(_ value: Int, _ noun: String) -> String { "\(number(value)) \(noun)\(value == 1 ? "" : "s")" }

    /// Returns a file name in one line. Control characters and characters that turn the direction of text are replaced,
    /// so that a name cannot pose as another.
    static func name(_ name: String) -> String {
        String(
            String.UnicodeScalarView(
                name.unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate:
                        scalar == "\u{200D}" ? scalar : "\u{FFFD}"
                    default: scalar
                    }
                }))
    }

    /// Returns the share in whole percent. It is 100 only if nothing is left.
    static func percent(_ part: Int, of whole: Int) -> String {
        guard whole > 0 else { return "" }
        return "\(min(part, whole) * 100 / whole) %"
    }

    /// Returns a share as CSS takes it, from `0.0000` to `1.0000`.
    static func share(_ part: Int, of whole: Int) -> String {
        let parts = whole > 0 ? max(0, min(part, whole)) * 10_000 / whole : 0
        return "\(parts / 10_000)." + String(10_000 + parts % 10_000).dropFirst()
    }

    /// Returns a time to go, roughly: `about 25 min left`, `about 1 h 25 min left`.
    static func left(_ duration: Duration) -> String {
        let minutes = Int((duration / .seconds(60)).rounded(.up))
        if minutes < 1 { return "" }
        if minutes == 1 { return "about a minute left" }
        if minutes < 60 { return "about \(minutes) min left" }
        let rest = minutes % 60 / 5 * 5
        return "about \(minutes / 60) h" + (rest == 0 ? "" : " \(rest) min") + " left"
    }

    /// Returns the time at which a photo was taken, as the camera's clock showed it.
    static func captured(localSeconds: Double) -> String {
        guard let moment = Moment(localSeconds) else { return "" }
        return "\(moment.date), \(moment.time)"
    }

    /// Returns the time of a day.
    static func time(_ date: Date, in zone: TimeZone) -> String { Moment(date, in: zone)?.time ?? "" }

    /// Returns the name of a day as seen from another: `Today`, `Yesterday` or its date.
    static func day(_ date: Date, now: Date, in zone: TimeZone) -> String {
        guard let moment = Moment(date, in: zone), let present = Moment(now, in: zone) else { return "" }
        switch present.day - moment.day {
        case 0: return "Today"
        case 1: return "Yesterday"
        default: return "\(moment.weekday), \(moment.date)"
        }
    }

    /// Returns the name of a key as it is printed on a keyboard.
    static func key(_ name: String) -> String {
        let labels = ["ArrowLeft": "←", "ArrowRight": "→", "ArrowUp": "↑", "ArrowDown": "↓", "Escape": "Esc"]
        guard name.count > 1, let plus = name.dropLast().lastIndex(of: "+") else { return labels[name] ?? name }
        let key = String(name[name.index(after: plus)...])
        return name[...plus] + (labels[key] ?? key)
    }

    /// A moment as a clock and a calendar of one place show it. A formatter of Foundation takes a hundred times as long,
    /// and the card's state has several dates.
    private struct Moment {
        /// The number of the day since 1 January 1970.
        let day: Int
        private let minute: Int

        /// Reads the seconds of a clock since 1970. Returns `nil` for what no clock shows.
        init?(_ localSeconds: Double) {
            guard localSeconds.isFinite, abs(localSeconds) < 1e11 else { return nil }
            day = Int((localSeconds / 86_400).rounded(.down))
            minute = Int((localSeconds / 60).rounded(.down)) - day * 1440
        }

        init?(_ date: Date, in zone: TimeZone) {
            self.init(date.timeIntervalSince1970 + Double(zone.secondsFromGMT(for: date)))
        }

        var time: String { "\(Self.two(minute / 60)):\(Self.two(minute % 60))" }

        var weekday: String {
            let names = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"]
            return names[((day % 7) + 7) % 7]
        }

        /// The date, such as `12 May 2024`. Counts days from 1 March of the year 0, so that a leap day ends a year.
        var date: String {
            let names = [
                "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
                "January", "February",
            ]
            let days = day + 719_468
            let era = Int((Double(days) / 146_097).rounded(.down))
            let inEra = days - era * 146_097
            let yearOfEra = (inEra - inEra / 1460 + inEra / 36_524 - inEra / 146_096) / 365
            let inYear = inEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
            let month = (5 * inYear + 2) / 153
            let year = era * 400 + yearOfEra + (month >= 10 ? 1 : 0)
            return "\(inYear - (153 * month + 2) / 5 + 1) \(names[month]) \(year)"
        }

        private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
    }
}
