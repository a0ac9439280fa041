package import Foundation

/// Dates as the web's newer APIs have them (RFC 3339): `2026-11-22T13:00:00Z`, also with a fraction or an offset.
package enum InternetDate {
    /// The moment a text names; `nil` where it names none.
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
