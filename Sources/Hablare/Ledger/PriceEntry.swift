public import Foundation

/// What a provider charges for.
public enum PriceUnit: String, Sendable, Hashable, Codable, CaseIterable {
    /// A token read by a model.
    case inputToken = "input-token"
    /// A token read by a model that the provider had in its cache. Charged as ``inputToken`` where it has no price.
    case cachedInputToken = "cached-input-token"
    /// A token read by a model that the provider put into its cache. Charged as ``inputToken`` where it has no price.
    case cacheWriteToken = "cache-write-token"
    /// A token written by a model.
    case outputToken = "output-token"
    /// A character (Unicode scalar) of text taken in.
    case character
    /// A byte of content produced.
    case byte
    /// A second of sound taken in or produced.
    case audioSecond = "audio-second"
    /// A call, whatever it uses.
    case call
}

/// One price: what a unit costs at a provider for a time.
public struct PriceEntry: Sendable, Hashable {
    /// Whose price: the id of a registered provider, or the kind of its instance (``ProviderInstance``).
    public var provider: String
    /// Of which model; `nil`: of every model that has no price of its own.
    public var model: String?
    /// Of which unit.
    public var unit: PriceUnit
    /// What a million units cost, in millionths of a US dollar: 150,000 is 15 cents a million.
    public var microDollarsPerMillion: Int64
    /// From when on it holds; `nil`: it always did.
    public var from: Date?
    /// Until when it holds, that moment excluded; `nil`: until further notice.
    public var until: Date?
    /// The day or month in which it was last compared with where it is from, `2026-11-21` or `2026-11`; `nil`: on the
    /// day of its table (``PriceTable/date``), or nobody said. It says how old the figure is, and changes no cost.
    public var checked: String?

    /// Creates a price.
    public init(
        provider: String, model: String? = nil, unit: PriceUnit, microDollarsPerMillion: Int64, from: Date? = nil,
        until: Date? = nil, checked: String? = nil
    ) {
        self.provider = provider
        self.model = model
        self.unit = unit
        self.microDollarsPerMillion = microDollarsPerMillion
        self.from = from
        self.until = until
        self.checked = checked
    }

    func holds(at date: Date) -> Bool {
        (from ?? .distantPast) <= date && date < (until ?? .distantFuture)
    }

    func overlaps(_ other: PriceEntry) -> Bool {
        (from ?? .distantPast) < (other.until ?? .distantFuture)
            && (other.from ?? .distantPast) < (until ?? .distantFuture)
    }
}

/// Money as people read it.
public enum MicroDollars {
    /// An amount in millionths of a US dollar as text: `$12.34`, `$0.000015`, `-$1.00`. Cents at least, then as many
    /// digits as there are.
    public static func text(_ amount: Int64) -> String {
        let magnitude = amount.magnitude
        var fraction = String(magnitude % 1_000_000)
        fraction = String(repeating: "0", count: 6 - fraction.count) + fraction
        while fraction.count > 2, fraction.hasSuffix("0") { fraction.removeLast() }
        return "\(amount < 0 ? "-" : "")$\(magnitude / 1_000_000).\(fraction)"
    }
}
