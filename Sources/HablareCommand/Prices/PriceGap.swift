import Foundation
import Hablare

/// Attempts at one model of a provider of which nobody knows what they cost.
struct PriceGap: JSONPrintable, Sendable, Hashable {
    let provider: String
    /// `nil`: no model was asked for.
    let model: String?
    /// How many attempts were billed, and no price was known.
    let billed: Int
    /// How many may have been billed: their end was not heard of.
    let maybeBilled: Int
    /// Whether there is a price now.
    let hasPrice: Bool

    /// Finds them.
    static func all(
        of query: LedgerQuery, in store: any StoreReading, without free: Set<String>,
        hasPrice: (_ provider: String, _ model: String?) -> Bool
    ) throws -> [PriceGap] {
        var gaps: [PriceGap] = []
        var query = query
        query.grouping = .provider
        for row in try store.ledger(query).rows where row.sum.withoutCost > 0 {
            guard let provider = row.key, !free.contains(provider) else { continue }
            var models = query
            models.grouping = .model
            models.provider = ProviderID(rawValue: provider)
            for row in try store.ledger(models).rows where row.sum.withoutCost > 0 {
                // What may have been billed has no usage, and so no cost.
                let lost = min(row.sum.maybeBilled, row.sum.withoutCost)
                gaps.append(
                    PriceGap(
                        provider: provider, model: row.key, billed: row.sum.withoutCost - lost, maybeBilled: lost,
                        hasPrice: hasPrice(provider, row.key)))
            }
        }
        return gaps
    }

    /// Why nobody knows, and what to do, in lines.
    func lines(_ file: PricesFile?) -> [String] {
        var lines: [String] = []
        let subject = provider + (model.map { " with \($0)" } ?? "")
        if billed > 0 {
            let advice =
                hasPrice
                ? "or none of the units it is for were counted. There is a price now, for later attempts."
                : "and there is none now."
                    + (file.map { " For one: \($0.addition(of: provider, model: model))." } ?? "")
            lines.append("\(TimeText.count(billed, "attempt")) at \(subject): no price was known, \(advice)")
        }
        if maybeBilled > 0 {
            lines.append("\(TimeText.count(maybeBilled, "attempt")) at \(subject): the end was not heard of.")
        }
        return lines
    }

    var json: JSONObject {
        [
            "provider": provider, "model": model, "billed": billed, "maybeBilled": maybeBilled, "hasPrice": hasPrice,
        ]
    }
}
