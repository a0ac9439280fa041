package import Foundation

/// Dates in the form of newer web APIs (RFC 3339), such as `2026-11-22T13:00:00Z`. The time may have a fraction or an
/// offset.
package enum InternetDate {
    /// Returns the date that a text contains; `nil` for an invalid text.
    package static func date(_ text: String) -> Date? {
        for hasFraction in [false, true] {
            do {
                return try Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction))
            } catch {
                continue
            }
        }
        return nil
    }
}
