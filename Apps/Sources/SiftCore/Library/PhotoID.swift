/// The opaque number of a shot in the store. It is never used again, also not after the shot was removed.
public struct PhotoID: RawRepresentable, Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    /// The number of the shot's row.
    public let rawValue: Int64

    /// Creates an id from the number of a row.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// The number in decimal digits.
    public var description: String { String(rawValue) }

    /// Reads an id as ``description`` writes it. Returns nil for anything else.
    public init?(_ text: some StringProtocol) {
        guard let number = Int64(text), number > 0, String(number) == text else { return nil }
        rawValue = number
    }

    /// Orders ids by their number.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// Reads the number.
    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(Int64.self)
    }

    /// Writes the number.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
