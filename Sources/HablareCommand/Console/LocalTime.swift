import Foundation

/// Tells dates that are to come to a person: the clock on the wall, and how far away.
struct LocalTime: Sendable {
    let now: Date
    let zone: TimeZone

    /// The time of day, with the day unless that is today: `14:03:22`, `2026-11-22 02:00:00`.
    func clock(_ date: Date) -> String {
        let (day, time) = parts(date)
        return day == parts(now).day ? time : "\(day) \(time)"
    }

    /// Until when, and how long that is: `until 14:03:22 (in 12 s)`.
    func until(_ date: Date) -> String {
        "until \(clock(date)) (in \(Self.span(date.timeIntervalSince(now))))"
    }

    /// A length in whole units, rounded up: `12 s`, `3 min`, `2 h 5 min`, `3 days`.
    static func span(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds < 1e9 else { return "a long time" }
        let seconds = Int(max(0, seconds).rounded(.up))
        if seconds < 60 { return "\(seconds) s" }
        let minutes = (seconds + 59) / 60
        if minutes < 60 { return "\(minutes) min" }
        if minutes < 48 * 60 { return "\(minutes / 60) h" + (minutes % 60 == 0 ? "" : " \(minutes % 60) min") }
        return "\((minutes + 24 * 60 - 1) / (24 * 60)) days"
    }

    private func parts(_ date: Date) -> (day: String, time: String) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        func two(_ number: Int?) -> String {
            let number = number ?? 0
            return number < 10 ? "0\(number)" : "\(number)"
        }
        return (
            "\(parts.year ?? 0)-\(two(parts.month))-\(two(parts.day))",
            "\(two(parts.hour)):\(two(parts.minute)):\(two(parts.second))"
        )
    }
}
