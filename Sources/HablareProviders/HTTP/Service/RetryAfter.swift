package import Foundation
package import HTTPTypes

/// The pause that a server asks for. This type is pure.
package enum RetryAfter {
    /// The maximum pause: a week. A longer one is an error of the server.
    package static let longest = Duration.seconds(7 * 24 * 3600)

    /// Reads `retry-after-ms` (milliseconds, OpenAI's), otherwise `Retry-After` (RFC 9110, 10.2.3). The latter is in
    /// seconds, with a fraction on some servers, or a date; a past date means zero. Returns `nil` if neither has a
    /// valid value.
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
