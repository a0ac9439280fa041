import Foundation

/// What calls cost, from a price table. Pure, exact to the micro-dollar: integers of 128 bits, rounded once, at the end.
struct CostModel: Sendable, Hashable {
    let prices: PriceTable

    /// Who charges for a call.
    struct Payee: Sendable, Hashable {
        /// The provider's id, then its kind: what an entry of the table may name it.
        let names: [String]
        let model: String?

        init(names: [String], model: String?) {
            self.names = names
            self.model = model
        }

        init(provider: ProviderID, instance: ProviderInstance?, model: String?) {
            self.init(names: Self.names(of: provider, instance), model: model)
        }

        static func names(of provider: ProviderID, _ instance: ProviderInstance?) -> [String] {
            let kind = instance?.rawValue.split(separator: ":", omittingEmptySubsequences: false).first.map(String.init)
            return [provider.rawValue] + (kind.map { $0 == provider.rawValue ? [] : [$0] } ?? [])
        }
    }

    /// The cost of one call in micro-dollars.
    ///
    /// What the provider says it charged wins. `nil`, unknown, where no price holds at the date, or where the call
    /// reported none of what it is charged for: nothing counted is not nothing used.
    func cost(of usage: Usage, by payee: Payee, at date: Date) -> Int64? {
        if let reported = usage.costMicroDollars { return reported }
        let prices = prices.prices(of: payee.names, model: payee.model, at: date)
        guard !prices.isEmpty else { return nil }
        let charged = prices.filter { $0.microDollarsPerMillion > 0 }
        guard charged.isEmpty || charged.contains(where: { usage.count(of: $0.unit) > 0 }) else { return nil }
        return Self.sum(charged, of: usage)
    }

    /// The most that a call can cost, before it is sent; `nil` where that is not known.
    ///
    /// - Parameter maximum: What the provider says that the call will use at most. Not asked for where the price does
    ///   not depend on it: for what is free, or has a price for each call alone.
    func bound(by payee: Payee, at date: Date, maximum: () -> Usage?) -> Int64? {
        let prices = prices.prices(of: payee.names, model: payee.model, at: date)
        let charged = prices.filter { $0.microDollarsPerMillion > 0 }
        if !prices.isEmpty, charged.allSatisfy({ $0.unit == .call }) { return Self.sum(charged, of: Usage()) }
        guard let maximum = maximum() else { return nil }
        return cost(of: maximum, by: payee, at: date)
    }

    private static func sum(_ prices: [PriceEntry], of usage: Usage) -> Int64 {
        // Counts are below 2^63, prices below 2^50, units are six: no sum reaches 2^127.
        let perThousandMillions = prices.reduce(Int128(0)) { sum, price in
            sum + Int128(usage.count(of: price.unit)) * Int128(price.microDollarsPerMillion)
                * (price.unit == .audioSecond ? 1 : 1000)
        }
        let rounded = (perThousandMillions + 500_000_000) / 1_000_000_000
        return Int64(clamping: rounded)
    }
}

extension Usage {
    /// How many of a unit one call used: seconds of sound in milliseconds, and never less than none.
    fileprivate func count(of unit: PriceUnit) -> Int64 {
        switch unit {
        case .inputToken: max(0, inputTokens)
        case .outputToken: max(0, outputTokens)
        case .character: max(0, characters)
        case .byte: max(0, bytes)
        case .audioSecond: max(0, audioMilliseconds)
        case .call: 1
        }
    }
}
