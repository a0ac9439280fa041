package import Foundation

/// The prices of providers as dated entries. The engine computes costs from them.
///
/// An entry names a provider or a kind of provider, and optionally a model. For a call, only the first of these levels
/// that has a valid entry is used:
/// 1. The provider's id and the model.
/// 2. The provider's id and the model without the date at the end of its name: for `gpt-5.5-2026-04-23` the prices of
///    `gpt-5.5`.
/// 3. The provider's id without a model.
/// 4. The provider's kind, in the same three steps.
///
/// All valid entries of this level apply, one for each unit. Entries of other levels are ignored. With the price 0, a
/// unit is free.
///
/// A unit may also have prices for long prompts (``PriceEntry/above``). Such a price applies if the call has more input
/// tokens than its `above`. If several of these prices apply, the one with the highest `above` is used. The price then
/// applies to the whole call.
public struct PriceTable: Sendable, Hashable {
    /// The maximum price of an entry: a thousand dollars for one unit. The limit makes exact computation of costs
    /// possible.
    public static let highestPrice: Int64 = 1_000_000_000_000_000

    /// The day on which the prices were collected, such as `2026-11-21`. Empty if the day is not known.
    public let date: String
    /// The sources of the prices.
    public let sources: [String]
    /// The prices, in the order in which they were given.
    public let entries: [PriceEntry]
    private let byOwner: [Owner: [PriceEntry]]

    private struct Owner: Sendable, Hashable {
        var provider: String
        var model: String?
    }

    /// A table without prices.
    public static let empty = PriceTable(checked: [], date: "", sources: [])

    /// Creates a table.
    ///
    /// - Throws: ``AIServiceError`` with code ``AIServiceError/Code/invalidConfiguration`` in these cases. The message
    ///   names the wrong entry.
    ///   - The price is negative or above ``highestPrice``.
    ///   - The price ends before it begins.
    ///   - `above` is not positive.
    ///   - `checked` is not a day or a month.
    ///   - Two prices of the same provider, model, unit and `above` overlap in time.
    public init(_ entries: [PriceEntry], date: String = "", sources: [String] = []) throws(AIServiceError) {
        for (index, entry) in entries.enumerated() { try Self.check(entry, number: index + 1) }
        try Self.checkOverlaps(entries)
        self.init(checked: entries, date: date, sources: sources)
    }

    private init(checked entries: [PriceEntry], date: String, sources: [String]) {
        self.entries = entries
        self.date = date
        self.sources = sources
        byOwner = Dictionary(grouping: entries) { Owner(provider: $0.provider, model: $0.model) }
    }

    private static func check(_ entry: PriceEntry, number: Int) throws(AIServiceError) {
        guard !entry.provider.isEmpty else {
            throw .badPrice(number, "has no provider. Give the provider's id or kind.")
        }
        guard entry.microDollarsPerMillion >= 0 else {
            throw .badPrice(number, "is negative. Give 0 if it is free.")
        }
        guard entry.microDollarsPerMillion <= highestPrice else {
            throw .badPrice(number, "is above a thousand dollars a unit. Give micro-dollars for a million units.")
        }
        guard entry.above.map({ $0 > 0 }) ?? true else {
            throw .badPrice(
                number, "has an `above` that is not positive. Give a number of input tokens, or leave it out.")
        }
        guard (entry.from ?? .distantPast) < (entry.until ?? .distantFuture) else {
            throw .badPrice(number, "ends before it begins. Give a later `until`, or none.")
        }
        // A month is valid if it has a first day.
        guard entry.checked.map({ UTCDay($0) ?? UTCDay($0 + "-01") }) != .some(nil) else {
            throw .badPrice(
                number,
                """
                has an invalid `checked`. Give a day such as 2026-11-21, or a month such as 2026-11.
                """)
        }
    }

    private static func checkOverlaps(_ entries: [PriceEntry]) throws(AIServiceError) {
        struct Key: Hashable {
            let owner: Owner
            let unit: PriceUnit
            let above: Int64?
        }
        let groups = Dictionary(grouping: entries.enumerated()) {
            Key(
                owner: Owner(provider: $0.element.provider, model: $0.element.model), unit: $0.element.unit,
                above: $0.element.above)
        }
        var first: (earlier: Int, later: Int)?
        for group in groups.values where group.count > 1 {
            // In the order of their beginnings, a price can only overlap the one before it, or one that overlapped
            // earlier.
            let ordered = group.sorted {
                ($0.element.from ?? .distantPast, $0.offset) < ($1.element.from ?? .distantPast, $1.offset)
            }
            for (one, other) in zip(ordered, ordered.dropFirst()) where one.element.overlaps(other.element) {
                let pair = (min(one.offset, other.offset), max(one.offset, other.offset))
                if first == nil || pair.1 < first?.later ?? .max { first = pair }
            }
        }
        guard let first else { return }
        throw .badPrice(
            first.later + 1,
            "overlaps entry \(first.earlier + 1): a unit has one price at a time. Set `until` of the earlier entry to the day on which the later entry begins."
        )
    }

    package func hasPrice(of names: [String], model: String?, at date: Date) -> Bool {
        !prices(of: names, model: model, at: date).isEmpty
    }

    /// Returns the prices that may apply to a call. Searches in this order: for each name, first the name with the
    /// model, then the name with the model without its date, then the name without a model. The first step that finds
    /// a price determines the result. A unit may have several prices in the result, because it also contains the prices
    /// for long prompts.
    package func prices(of names: [String], model: String?, at date: Date) -> [PriceEntry] {
        let models: [String?] = model.map { [$0] + (ModelName.withoutDate($0).map { [$0] } ?? []) } ?? []
        for name in names {
            for model in models + [nil] {
                let found = prices(of: Owner(provider: name, model: model), at: date)
                if !found.isEmpty { return found }
            }
        }
        return []
    }

    private func prices(of owner: Owner, at date: Date) -> [PriceEntry] {
        byOwner[owner]?.filter { $0.holds(at: date) } ?? []
    }
}

extension AIServiceError {
    static func badPrice(_ number: Int, _ what: String) -> AIServiceError {
        AIServiceError(.invalidConfiguration, "Entry \(number) of the price table \(what)")
    }
}
