import Foundation
import Hablare

/// The attempts at one model of a provider whose cost is unknown.
struct PriceGap: JSONPrintable, Sendable, Hashable {
    let provider: String
    /// The model; `nil` if none was requested.
    let model: String?
    /// The number of attempts that were billed without a known price.
    let billed: Int
    /// The number of attempts with an unknown outcome, which may have been billed.
    let maybeBilled: Int
    let hasPrice: Bool

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
                // An attempt that may have been billed has no usage, and so no cost.
                let lost = min(row.sum.maybeBilled, row.sum.withoutCost)
                gaps.append(
                    PriceGap(
                        provider: provider, model: row.key, billed: row.sum.withoutCost - lost, maybeBilled: lost,
                        hasPrice: hasPrice(provider, row.key)))
            }
        }
        return gaps
    }

    func lines(_ file: PricesFile?) -> [String] {
        var lines: [String] = []
        let subject = provider + (model.map { " with \($0)" } ?? "")
        if billed > 0 {
            let advice =
                hasPrice
                ? "or its units were not counted. There is a price now, for later attempts."
                : "and there is none now."
                    + (file.map { " To add one: \($0.addition(of: provider, model: model))." } ?? "")
            lines.append("\(TimeText.count(billed, "attempt")) at \(subject): no price was known, \(advice)")
        }
        if maybeBilled > 0 {
            lines.append("\(TimeText.count(maybeBilled, "attempt")) at \(subject): the outcome is unknown.")
        }
        return lines
    }

    var json: JSONObject {
        [
            "provider": provider, "model": model, "billed": billed, "maybeBilled": maybeBilled, "hasPrice": hasPrice,
        ]
    }
}

/// The part of a cost report for providers without a price, such as programs of this machine.
struct UnpricedSums: Sendable {
    private(set) var total = LedgerSum()
    private(set) var providers: Set<String> = []
    private var rows: [String?: LedgerSum] = [:]

    init() {}

    /// - Parameter free: The providers that charge nothing. A provider that is not in this set is also free if its
    ///   attempts cost nothing.
    init(of query: LedgerQuery, in store: any StoreReading, free: Set<String>) throws {
        var providers = query
        providers.grouping = .provider
        for row in try store.ledger(providers).rows {
            guard let name = row.key else { continue }
            guard row.sum.usage.costMicroDollars ?? 0 == 0, free.contains(name) || row.sum.withoutCost == 0 else {
                continue
            }
            try add(name, query, store)
        }
    }

    private mutating func add(_ provider: String, _ query: LedgerQuery, _ store: any StoreReading) throws {
        providers.insert(provider)
        var query = query
        query.provider = ProviderID(rawValue: provider)
        let report = try store.ledger(query)
        total.add(report.total)
        for row in report.rows { rows[row.key, default: LedgerSum()].add(row.sum) }
    }

    func row(_ key: String?) -> LedgerSum { rows[key] ?? LedgerSum() }
}

extension LedgerSum {
    fileprivate mutating func add(_ other: LedgerSum) {
        attempts += other.attempts
        billed += other.billed
        discarded += other.discarded
        maybeBilled += other.maybeBilled
        withoutCost += other.withoutCost
    }

    /// Returns the sum without the attempts of free providers, which were not billed. No part falls below zero, even if
    /// an attempt changed between the two reads.
    func charged(without free: LedgerSum) -> LedgerSum {
        var sum = self
        sum.billed = max(0, sum.billed - free.billed)
        sum.discarded = max(0, sum.discarded - free.discarded)
        sum.maybeBilled = max(0, sum.maybeBilled - free.maybeBilled)
        sum.withoutCost = max(0, sum.withoutCost - free.withoutCost)
        return sum
    }
}
