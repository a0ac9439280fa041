public import Foundation

/// The unit that a provider charges for.
public enum PriceUnit: String, Sendable, Hashable, Codable, CaseIterable {
    /// A token read by a model.
    case inputToken = "input-token"
    /// An input token that the provider read from its cache. If there is no price for this unit, the price of
    /// ``inputToken`` applies.
    case cachedInputToken = "cached-input-token"
    /// An input token that the provider wrote to its cache. If there is no price for this unit, the price of
    /// ``inputToken`` applies.
    case cacheWriteToken = "cache-write-token"
    /// An input token that stands for a picture. If there is no price for this unit, the price of ``inputToken``
    /// applies.
    case imageInputToken = "image-input-token"
    /// An input token that stands for sound. If there is no price for this unit, the price of ``inputToken`` applies.
    case audioInputToken = "audio-input-token"
    /// A token written by a model.
    case outputToken = "output-token"
    /// An output token that stands for sound. If there is no price for this unit, the price of ``outputToken`` applies.
    case audioOutputToken = "audio-output-token"
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
    /// The id of a registered provider, or the kind of a provider, such as `openai`. The kind is the part of
    /// ``ProviderInstance`` before the colon.
    public var provider: String
    /// The model, or `nil` for every model that has no entry of its own at this provider.
    public var model: String?
    /// The unit.
    public var unit: PriceUnit
    /// The price of a million units in millionths of a US dollar. For example, 150,000 is 15 cents for a million units.
    public var microDollarsPerMillion: Int64
    /// The number of input tokens that a call must exceed for this price to apply. The price then applies to all units
    /// of the call, and not only to the units above the number. Cached tokens count as input tokens. For example,
    /// 272,000 means calls with 272,001 input tokens or more. With `nil`, the price applies if no other price of the
    /// unit applies.
    public var above: Int64?
    /// The date from which the price is valid. With `nil`, the price is also valid for all earlier dates.
    public var from: Date?
    /// The date from which the price is no longer valid. With `nil`, the price has no end date.
    public var until: Date?
    /// The day or month in which the price was last compared with its source, such as `2026-11-21` or `2026-11`. With
    /// `nil`, the day of the table (``PriceTable/date``) applies, if it is known. This property does not affect any
    /// cost.
    public var checked: String?
    /// The source of the price, such as the address of a page. With `nil`, the sources of the table
    /// (``PriceTable/sources``) apply. This property does not affect any cost.
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

    /// Returns whether the price may apply to a call with this number of input tokens.
    func covers(inputTokens: Int64) -> Bool { above.map { inputTokens > $0 } ?? true }

    func overlaps(_ other: PriceEntry) -> Bool {
        (from ?? .distantPast) < (other.until ?? .distantFuture)
            && (other.from ?? .distantPast) < (until ?? .distantFuture)
    }
}

/// Formats amounts of money.
public enum MicroDollars {
    /// Returns an amount in millionths of a US dollar as text, such as `$12.34`, `$0.000015` or `-$1.00`. The text has
    /// two decimals. It has more decimals only if the amount needs them.
    public static func text(_ amount: Int64) -> String {
        let magnitude = amount.magnitude
        var fraction = String(magnitude % 1_000_000)
        fraction = String(repeating: "0", count: 6 - fraction.count) + fraction
        while fraction.count > 2, fraction.hasSuffix("0") { fraction.removeLast() }
        return "\(amount < 0 ? "-" : "")$\(magnitude / 1_000_000).\(fraction)"
    }
}
