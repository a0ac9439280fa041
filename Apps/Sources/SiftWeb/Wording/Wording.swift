import Foundation

/// Texts with numbers, for a person. Pure functions.
enum Wording {
    private static let locale = Locale(identifier: "en_GB")

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
        text(Date(timeIntervalSince1970: localSeconds), "d MMMM yyyy, HH:mm", TimeZone(secondsFromGMT: 0))
    }

    /// Returns the time of a day.
    static func time(_ date: Date, in zone: TimeZone) -> String { text(date, "HH:mm", zone) }

    /// Returns the name of a day as seen from another: `Today`, `Yesterday` or its date.
    static func day(_ date: Date, now: Date, in zone: TimeZone) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let days = calendar.dateComponents(
            [.day], from: calendar.startOfDay(for: date), to: calendar.startOfDay(for: now)
        ).day
        switch days {
        case 0: return "Today"
        case 1: return "Yesterday"
        default: return text(date, "EEEE, d MMMM yyyy", zone)
        }
    }

    /// Returns the name of a key as it is printed on a keyboard.
    static func key(_ name: String) -> String {
        let labels = ["ArrowLeft": "←", "ArrowRight": "→", "ArrowUp": "↑", "ArrowDown": "↓", "Escape": "Esc"]
        guard name.count > 1, let plus = name.dropLast().lastIndex(of: "+") else { return labels[name] ?? name }
        let key = String(name[name.index(after: plus)...])
        return name[...plus] + (labels[key] ?? key)
    }

    private static func text(_ date: Date, _ format: String, _ zone: TimeZone?) -> String {
        let formatter = DateFormatter()
        formatter.locale = locale
        formatter.timeZone = zone
        formatter.dateFormat = format
        return formatter.string(from: date)
    }
}
