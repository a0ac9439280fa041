/// Reads names of models. Pure.
package enum ModelName {
    /// Returns a name without the date at its end, such as `gpt-5.5` for `gpt-5.5-2026-04-23` and `claude-opus-4-5` for
    /// `claude-opus-4-5-20251101`. Returns `nil` for a name without a date.
    package static func withoutDate(_ name: String) -> String? {
        for length in [8, 10] {
            let (rest, date) = (name.dropLast(length), name.suffix(length))
            let day = length == 10 ? String(date) : "\(date.prefix(4))-\(date.dropFirst(4).prefix(2))-\(date.suffix(2))"
            if rest.hasSuffix("-"), rest.count > 1, UTCDay(day) != nil { return String(rest.dropLast()) }
        }
        return nil
    }
}
