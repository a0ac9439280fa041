/// Durations in the form of OpenAI's headers, such as `6m0s`, `120ms` or `1h2m3.5s`.
enum OpenAIDuration {
    private static let units: [(name: String, seconds: Double)] = [
        ("d", 86_400), ("h", 3600), ("m", 60), ("s", 1), ("ms", 1e-3), ("us", 1e-6), ("µs", 1e-6), ("ns", 1e-9),
    ]

    /// Reads a duration: numbers with units, the larger units first. A number without a unit is in seconds, as in the
    /// headers of compatible servers.
    ///
    /// - Returns: The duration; `nil` for any other form, and for more than a year, which is not plausible for a limit.
    static func duration(_ text: String) -> Duration? {
        var remainder = text[...]
        var seconds = 0.0
        var smallest = Double.infinity
        while !remainder.isEmpty {
            let digits = remainder.prefix { $0.isASCII && $0.isNumber || $0 == "." }
            guard let number = Double(digits), number.isFinite else { return nil }
            remainder = remainder.dropFirst(digits.count)
            let name = remainder.prefix { !($0.isASCII && $0.isNumber) && $0 != "." }
            remainder = remainder.dropFirst(name.count)
            if name.isEmpty, smallest == .infinity {
                seconds = number
                break
            }
            guard let unit = units.first(where: { $0.name == name }), unit.seconds < smallest else { return nil }
            smallest = unit.seconds
            seconds += number * unit.seconds
        }
        guard !text.isEmpty, seconds <= 366 * 86_400 else { return nil }
        return .nanoseconds(Int64((seconds * 1e9).rounded()))
    }
}
