public import Foundation

/// The unit that a provider charges for.
public enum PriceUnit: String, Sendable, Hashable, Codable, CaseIterable {
    /// A token read by a model.
    case inputToken = "input-token"
    /// An input token that the provider read from its cache. Charged as ``inputToken`` if it has no price of its own.
    case cachedInputToken = "cached-input-token"
    /// An input token that the provider wrote to its cache. Charged as ``inputToken`` if it has no price of its own.
    case cacheWriteToken = "cache-write-token"
    /// A token written by a model.
    case outputToken = "output-token"
    /// A character (Unicode scalar) of input text.
    case character
    /// A byte of content produced.
    case byte
    /// A second of audio input or output.
    case audioSecond = "audio-second"
    /// A call, regardless of its usage.
    case call
}

/// The price of a unit at a provider, with the period in which it is valid.
///
/// For example, 15 dollars for a million characters:
///
/// ```swift
/// let price = PriceEntry(
///     provider: "narrator", model: "large", unit: .character, microDollarsPerMillion: 15_000_000, checked: "2026-11")
/// ```
public struct PriceEntry: Sendable, Hashable {
    /// The id of a registered provider, or the kind of its instance (``ProviderInstance``).
    public var provider: String
    /// The model. `nil`: every model that has no price of its own.
    public var model: String?
    /// The unit.
    public var unit: PriceUnit
    /// The price of a million units in millionths of a US dollar: 150,000 is 15 cents per million.
    public var microDollarsPerMillion: Int64
    /// The number of input tokens that a call must exceed for the price to apply, to the whole call. Cached tokens
    /// count, too. 272,000 for example: the price of calls with 272,001 input tokens or more. `nil`: the price of every
    /// call to which no other price of the unit applies.
    public var above: Int64?
    /// The date from which the price is valid. `nil`: it always was.
    public var from: Date?
    /// The date until which the price is valid, exclusive. `nil`: until further notice.
    public var until: Date?
    /// The day or month in which the price was last compared with its source, `2026-11-21` or `2026-11`. `nil`: on the
    /// day of its table (``PriceTable/date``), or not known. It shows the age of the price and does not affect any
    /// cost.
    public var checked: String?
    /// Where the price was read, such as the address of a page. `nil`: see the sources of its table
    /// (``PriceTable/sources``). It does not affect any cost.
    public var source: String?

    /// Creates a price.
    public init(
        provider: String, model: String? = nil, unit: PriceUnit, microDollarsPerMillion: Int64, above: Int64? = nil,
        from: Date? = nil, until: Date? = nil, checked: String? = nil, source: String? = nil
    ) {
        self.provider = provider
        self.model = model
        self.unit = unit
        self.microDollarsPerMillion = microDollarsPerMillion
        self.above = above
        self.from = from
        self.until = until
        self.checked = checked
        self.source = source
    }

    func holds(at date: Date) -> Bool {
        (from ?? .distantPast) <= date && date < (until ?? .distantFuture)
    }

    /// Whether the price may apply to a call with so many input tokens.
    func covers(inputTokens: Int64) -> Bool { above.map { inputTokens > $0 } ?? true }

    func overlaps(_ other: PriceEntry) -> Bool {
        (from ?? .distantPast) < (other.until ?? .distantFuture)
            && (other.from ?? .distantPast) < (until ?? .distantFuture)
    }
}

/// Formats amounts of money.
public enum MicroDollars {
    /// Returns an amount in millionths of a US dollar as text: `$12.34`, `$0.000015`, `-$1.00`. At least two decimals,
    /// and as many as the amount needs.
    public static func text(_ amount: Int64) -> String {
        let magnitude = amount.magnitude
        var fraction = String(magnitude % 1_000_000)
        fraction = String(repeating: "0", count: 6 - fraction.count) + fraction
        while fraction.count > 2, fraction.hasSuffix("0") { fraction.removeLast() }
        return "\(amount < 0 ? "-" : "")$\(magnitude / 1_000_000).\(fraction)"
    }
}
