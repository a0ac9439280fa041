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
        if let milliseconds = fields.amount(named: "retry-after-ms") { return bounded(milliseconds / 1000) }
        if let seconds = fields.amount(named: "retry-after") { return bounded(seconds) }
        return fields[named: "retry-after"].flatMap { HTTPDate.date($0.trimmingCharacters(in: .whitespaces)) }
            .map { bounded(max(0, $0.timeIntervalSince(now))) }
    }

    private static func bounded(_ seconds: Double) -> Duration {
        min(longest, .milliseconds(Int64(min(seconds, 1e9) * 1000)))
    }
}
