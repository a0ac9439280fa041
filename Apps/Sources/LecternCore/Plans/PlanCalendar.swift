import Foundation
public import LecternTexts

/// Reminders of a plan as an iCalendar document (RFC 5545), which calendars of all kinds import.
public struct PlanCalendar: Sendable {
    /// How the calendar reminds.
    public enum Style: String, Hashable, Sendable, Codable {
        /// An event for each day that was not read, with its passages.
        case portions
        /// One event that repeats each day until the end of the plan.
        case daily
    }

    /// The style.
    public var style: Style
    /// The minute of the day, 0 to 1439, by the clock where the person is. A change of the time zone does not move it.
    public var minute: Int
    /// The names of books. A book without a name has its id.
    public var names: [BookID: String]

    /// Creates a calendar. A minute outside a day is limited to it.
    public init(style: Style = .portions, minute: Int = 7 * 60, names: [BookID: String] = [:]) {
        self.style = style
        self.minute = min(max(minute, 0), 1439)
        self.names = names
    }

    /// Returns the document for what was not read from a day on. Import it again after a change: the ids of the events
    /// stay, so a calendar replaces them.
    ///
    /// - Returns: The document; `nil` if there is nothing to be reminded of.
    public func document(for plan: ReadingPlan, from day: CalendarDay, now: Moment) -> String? {
        let open = plan.portions.filter { $0.day >= day && plan.done[$0.number] == nil }
        guard let first = open.first, let last = open.last else { return nil }
        let stamp = Self.utc(now)
        var lines = [
            "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Hablare//Lectern//EN", "CALSCALE:GREGORIAN",
            "METHOD:PUBLISH", "X-WR-CALNAME:" + Self.escaped(plan.name),
        ]
        switch style {
        case .portions:
            for portion in open {
                lines += event(
                    "\(plan.id.key)-\(portion.number)", stamp, portion.day, title(portion.references, plan))
            }
        case .daily:
            let days = last.day.rawValue - first.day.rawValue + 1
            lines += event(plan.id.key, stamp, first.day, plan.name, rule: "RRULE:FREQ=DAILY;COUNT=\(days)")
        }
        lines.append("END:VCALENDAR")
        return lines.map { Self.folded($0) + "\r\n" }.joined()
    }

    private func event(
        _ id: String, _ stamp: String, _ day: CalendarDay, _ title: String, rule: String? = nil
    ) -> [String] {
        let hour = minute / 60
        let time = [hour, minute % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined()
        // A time without a zone is the time where the person is (RFC 5545, section 3.3.5, form 1).
        return [
            "BEGIN:VEVENT", "UID:\(id)@lectern.invalid", "DTSTAMP:" + stamp,
            "DTSTART:\(day.text(separator: ""))T\(time)00", "DURATION:PT15M",
        ] + (rule.map { [$0] } ?? []) + [
            "SUMMARY:" + Self.escaped(title), "TRANSP:TRANSPARENT", "BEGIN:VALARM", "ACTION:DISPLAY",
            "DESCRIPTION:" + Self.escaped(title), "TRIGGER:PT0S", "END:VALARM", "END:VEVENT",
        ]
    }

    private func title(_ references: [Reference], _ plan: ReadingPlan) -> String {
        let passages = references.map { reference in
            let name = names[reference.book] ?? reference.book.rawValue
            guard let places = reference.places else { return name }
            let (first, last) = (places.lowerBound, places.upperBound)
            let start = "\(first.chapter)" + (first.verse.map { ":\($0)" } ?? "")
            guard first != last else { return "\(name) \(start)" }
            let end =
                first.chapter == last.chapter && first.verse != nil
                ? last.verse.map { "\($0)" } ?? "" : "\(last.chapter)" + (last.verse.map { ":\($0)" } ?? "")
            return "\(name) \(start)\u{2013}\(end)"
        }
        return "\(plan.name): " + passages.joined(separator: "; ")
    }

    /// Returns a time in UTC, such as `20261128T074500Z`.
    static func utc(_ moment: Moment) -> String {
        let day = CalendarDay(moment, offset: 0)
        let seconds = Int((moment.rawValue - Int64(day.rawValue) * 86_400_000) / 1000)
        let parts = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return day.text(separator: "") + "T" + parts.joined() + "Z"
    }

    /// Returns a text as a value (section 3.3.11). Other controls than line breaks are not allowed, and are dropped.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text.replacingOccurrences(of: "\r\n", with: "\n").unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case ";": escaped += "\\;"
            case ",": escaped += "\\,"
            case "\n", "\r", "\u{2028}", "\u{2029}": escaped += "\\n"
            case "\t": escaped += "\t"
            case "\0"..."\u{1F}", "\u{7F}": break
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }

    /// Returns a line folded into lines of at most 75 bytes (section 3.1), without dividing a character.
    static func folded(_ line: String) -> String {
        var (folded, count) = ("", 0)
        for scalar in line.unicodeScalars {
            let size = UTF8.width(scalar)
            if count + size > 75 {
                folded += "\r\n "
                count = 1
            }
            folded.unicodeScalars.append(scalar)
            count += size
        }
        return folded
    }
}
