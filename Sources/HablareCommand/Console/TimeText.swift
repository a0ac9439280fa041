import Foundation

enum TimeText {
    /// Formats hours, minutes and seconds as on a clock: `0:07`, `12:34`, `1:02:03`. Rounds to seconds.
    static func clock(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds >= 0, seconds < 1e12 else { return "-:--" }
        let whole = Int(seconds.rounded())
        let (hours, minutes, remainder) = (whole / 3600, whole / 60 % 60, whole % 60)
        let tail = twoDigits(remainder)
        return hours > 0 ? "\(hours):\(twoDigits(minutes)):\(tail)" : "\(minutes):\(tail)"
    }

    /// Formats a duration: `45 ms`, `3.2 s`, `12:34`.
    static func length(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds >= 0 else { return "-" }
        if seconds < 0.9995 { return "\(Int((seconds * 1000).rounded())) ms" }
        if seconds < 59.95 { return "\(decimal(seconds)) s" }
        return clock(seconds)
    }

    /// Formats a frequency with one decimal digit; `nil` if it rounds to zero.
    static func rate(_ timesASecond: Double?) -> String? {
        guard let timesASecond, timesASecond >= 0.05 else { return nil }
        return decimal(timesASecond)
    }

    /// Formats a number with one decimal digit, the same in every locale.
    static func decimal(_ number: Double) -> String {
        guard number.isFinite, abs(number) < 1e15 else { return "-" }
        let tenths = Int((number * 10).rounded())
        return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }

    /// Formats a date in ISO 8601 with milliseconds, in UTC, for machines.
    static func stamp(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// Formats a date in ISO 8601 without fractions, in UTC, for tables.
    static func moment(_ date: Date?) -> String {
        date?.formatted(Date.ISO8601FormatStyle()) ?? "-"
    }

    /// Formats a count with its noun: `1 segment`, `2 segments`.
    static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }

    private static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}

extension Duration {
    var inSeconds: Double { self / .seconds(1) }
}

/// Formats future dates for people, as a time of day and as a distance from now.
struct LocalTime: Sendable {
    let now: Date
    let zone: TimeZone

    /// Formats a time of day. If the date is not today, the date precedes the time: `14:03:22`, `2026-11-22 02:00:00`.
    func clock(_ date: Date) -> String {
        let (day, time) = parts(date)
        return day == parts(now).day ? time : "\(day) \(time)"
    }

    /// Formats a date and the time until then: `until 14:03:22 (in 12 s)`.
    func until(_ date: Date) -> String {
        "until \(clock(date)) (in \(Self.span(date.timeIntervalSince(now))))"
    }

    /// Formats a duration in whole units, rounded up: `12 s`, `3 min`, `2 h 5 min`, `3 days`.
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
        let style = Date.ISO8601FormatStyle(timeZone: zone)
        return (
            date.formatted(style.year().month().day()), date.formatted(style.time(includingFractionalSeconds: false))
        )
    }
}
