package import Foundation

/// What calls cost, from a price table. Pure, exact to the micro-dollar: integers of 128 bits, rounded once, at the end.
struct CostModel: Sendable, Hashable {
    let prices: PriceTable

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
        let counts = UnitCounts(usage, pricedBy: prices)
        guard charged.isEmpty || charged.contains(where: { counts[$0.unit] > 0 }) else { return nil }
        return Self.sum(charged, of: counts)
    }

    /// The most that a call can cost, before it is sent; `nil` where that is not known.
    ///
    /// Nobody knows yet which tokens the provider has in its cache, or will put there: each is charged at the highest of
    /// their prices.
    ///
    /// - Parameter maximum: What the provider says that the call will use at most. Not asked for where the price does
    ///   not depend on it: for what is free, or has a price for each call alone.
    func bound(by payee: Payee, at date: Date, maximum: () -> Usage?) -> Int64? {
        let prices = prices.prices(of: payee.names, model: payee.model, at: date)
        let charged = prices.filter { $0.microDollarsPerMillion > 0 }
        if !prices.isEmpty, charged.allSatisfy({ $0.unit == .call }) {
            return Self.sum(charged, of: UnitCounts(Usage(), pricedBy: charged))
        }
        guard var maximum = maximum(), !maximum.isImpossible else { return nil }
        let read = prices.filter { $0.unit.isInputToken }.max { $0.microDollarsPerMillion < $1.microDollarsPerMillion }
        maximum.cachedInputTokens = read?.unit == .cachedInputToken ? maximum.inputTokens : 0
        maximum.cacheWriteTokens = read?.unit == .cacheWriteToken ? maximum.inputTokens : 0
        return cost(of: maximum, by: payee, at: date)
    }

    private static func sum(_ prices: [PriceEntry], of counts: UnitCounts) -> Int64 {
        // Counts are below 2^63, prices below 2^50, units are eight: no sum reaches 2^127.
        let perThousandMillions = prices.reduce(Int128(0)) { sum, price in
            sum + Int128(counts[price.unit]) * Int128(price.microDollarsPerMillion)
                * (price.unit == .audioSecond ? 1 : 1000)
        }
        let rounded = (perThousandMillions + 500_000_000) / 1_000_000_000
        return Int64(clamping: rounded)
    }
}

extension PriceUnit {
    fileprivate var isInputToken: Bool {
        switch self {
        case .inputToken, .cachedInputToken, .cacheWriteToken: true
        case .outputToken, .character, .byte, .audioSecond, .call: false
        }
    }
}

/// How many of each unit one call used, no token counted twice: one from the cache, or to it, counts as such where that has
/// a price, and else among the others. Seconds of sound are in milliseconds; nothing is less than none.
private struct UnitCounts {
    private let usage: Usage
    private let cached: Int64
    private let written: Int64

    init(_ usage: Usage, pricedBy prices: [PriceEntry]) {
        func part(_ unit: PriceUnit, _ count: Int64, atMost rest: Int64) -> Int64 {
            prices.contains { $0.unit == unit } ? min(max(0, count), rest) : 0
        }
        self.usage = usage
        let read = max(0, usage.inputTokens)
        cached = part(.cachedInputToken, usage.cachedInputTokens, atMost: read)
        written = part(.cacheWriteToken, usage.cacheWriteTokens, atMost: read - cached)
    }

    subscript(unit: PriceUnit) -> Int64 {
        switch unit {
        case .inputToken: max(0, usage.inputTokens) - cached - written
        case .cachedInputToken: cached
        case .cacheWriteToken: written
        case .outputToken: max(0, usage.outputTokens)
        case .character: max(0, usage.characters)
        case .byte: max(0, usage.bytes)
        case .audioSecond: max(0, usage.audioMilliseconds)
        case .call: 1
        }
    }
}

extension PriceTable {
    /// The most that a request would cost at a provider, in micro-dollars, by what the provider says that it uses at most;
    /// `nil` where that or its price is not known.
    package func mostCost(of request: AIRequest, at provider: any AIServiceProvider, on date: Date) -> Int64? {
        let payee = CostModel.Payee(
            provider: provider.id, instance: provider.instance, model: request.model ?? provider.defaultModel)
        return CostModel(prices: self).bound(by: payee, at: date) { provider.maximumUsage(of: request) }
    }
}
