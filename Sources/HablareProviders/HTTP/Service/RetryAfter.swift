package import Foundation
package import HTTPTypes

/// The pause that a server asks for before a retry.
package enum RetryAfter {
    /// The maximum pause: a week. A server that asks for a longer pause is in error.
    package static let longest = Duration.seconds(7 * 24 * 3600)

    /// Reads the pause from an answer's fields. Returns `nil` if no field has a valid value.
    ///
    /// The field `retry-after-ms` (milliseconds, used by OpenAI) takes precedence over `Retry-After` (RFC 9110,
    /// 10.2.3). `Retry-After` is a date or a number of seconds; some servers send a fraction. If the date has passed,
    /// the pause is zero.
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
