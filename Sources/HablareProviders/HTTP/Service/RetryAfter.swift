package import Foundation
package import HTTPTypes

/// How long a server asks to be left alone. Pure.
package enum RetryAfter {
    /// A longer pause than a week is a mistake of the server's, and no wish.
    package static let longest = Duration.seconds(7 * 24 * 3600)

    /// Reads `retry-after-ms` (milliseconds, OpenAI's), else `Retry-After` (RFC 9110, 10.2.3): seconds, also with a
    /// fraction as some servers write them, or a date. `nil` where there is none that makes sense; a date that is past is
    /// zero.
    package static func duration(in fields: HTTPFields, now: Date) -> Duration? {
        if let text = fields[named: "retry-after-ms"], let milliseconds = number(text) {
            return bounded(milliseconds / 1000)
        }
        guard let text = fields[named: "retry-after"]?.trimmingCharacters(in: .whitespaces) else { return nil }
        if let seconds = number(text) { return bounded(seconds) }
        return HTTPDate.date(text).flatMap { bounded(max(0, $0.timeIntervalSince(now))) }
    }

    private static func number(_ text: String) -> Double? {
        Double(text.trimmingCharacters(in: .whitespaces)).flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    }

    private static func bounded(_ seconds: Double) -> Duration {
        min(longest, .milliseconds(Int64(min(seconds, 1e9) * 1000)))
    }
}
