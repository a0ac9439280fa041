public import Foundation

/// Computes the cost of calls from a price table. This type is pure: it has no side effects. It computes with 128-bit
/// integers and rounds only the result, so costs are exact to the micro-dollar.
struct CostModel: Sendable, Hashable {
    let prices: PriceTable

    struct Payee: Sendable, Hashable {
        /// The names of the provider in the price table: first the provider's id, then its kind.
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

    /// Returns the cost of one call in micro-dollars.
    ///
    /// If the provider reports a cost, this is the result. Returns `nil` (unknown) in two cases: no price is valid on
    /// the date, or the call reported no count for any unit that has a price. The reason for the second case is that a
    /// provider may use a unit without reporting its count.
    func cost(of usage: Usage, by payee: Payee, at date: Date) -> Int64? {
        if let reported = usage.costMicroDollars { return reported }
        let prices = prices.prices(of: payee.names, model: payee.model, at: date).applying(to: usage)
        guard !prices.isEmpty else { return nil }
        return Self.cost(of: usage, at: prices)
    }

    private static func cost(of usage: Usage, at prices: [PriceEntry]) -> Int64? {
        let charged = prices.filter { $0.microDollarsPerMillion > 0 }
        let counts = UnitCounts(usage, pricedBy: prices)
        guard charged.isEmpty || charged.contains(where: { counts[$0.unit] > 0 }) else { return nil }
        return sum(charged, of: counts)
    }

    /// Returns the maximum cost of a call that has not been sent yet, or `nil` if the maximum is unknown.
    ///
    /// Before the call, it is unknown which tokens the provider will read from its cache or write to its cache. Each
    /// input token is therefore charged at the highest of these prices. A token of a picture or of sound is charged at
    /// its own price if that is higher. The prompt may be shorter than its maximum. Each unit is therefore charged at
    /// the highest of its prices up to that length.
    ///
    /// - Parameter maximum: A function that returns the provider's estimate of the maximum usage. It is not called if
    ///   the call is free or is charged only per call, because the cost then does not depend on the usage.
    func bound(by payee: Payee, at date: Date, maximum: () -> Usage?) -> Int64? {
        let prices = prices.prices(of: payee.names, model: payee.model, at: date)
        let charged = prices.filter { $0.microDollarsPerMillion > 0 }
        if !prices.isEmpty, charged.allSatisfy({ $0.unit == .call && $0.above == nil }) {
            return Self.sum(charged, of: UnitCounts(Usage(), pricedBy: charged))
        }
        guard var maximum = maximum(), !maximum.isImpossible else { return nil }
        if let reported = maximum.costMicroDollars { return reported }
        var possible = prices.highest(upTo: maximum)
        guard !possible.isEmpty else { return nil }
        func highest(among units: Set<PriceUnit>) -> PriceEntry? {
            possible.filter { units.contains($0.unit) }
                .max { $0.microDollarsPerMillion < $1.microDollarsPerMillion }
        }
        let read = highest(among: [.inputToken, .cachedInputToken, .cacheWriteToken])
        let written = highest(among: [.outputToken])
        // A call may have less of the cheaper kind and more of the dearer one.
        possible.removeAll { entry in
            switch entry.unit {
            case .imageInputToken, .audioInputToken:
                entry.microDollarsPerMillion < read?.microDollarsPerMillion ?? 0
            case .audioOutputToken: entry.microDollarsPerMillion < written?.microDollarsPerMillion ?? 0
            default: false
            }
        }
        maximum.cachedInputTokens = read?.unit == .cachedInputToken ? maximum.inputTokens : 0
        maximum.cacheWriteTokens = read?.unit == .cacheWriteToken ? maximum.inputTokens : 0
        return Self.cost(of: maximum, at: possible)
    }

    private static func sum(_ prices: [PriceEntry], of counts: UnitCounts) -> Int64 {
        // Counts are below 2^63, prices below 2^50, and there are eleven units: no sum reaches 2^127.
        let perThousandMillions = prices.reduce(Int128(0)) { sum, price in
            sum + Int128(counts[price.unit]) * Int128(price.microDollarsPerMillion)
                * (price.unit == .audioSecond ? 1 : 1000)
        }
        let rounded = (perThousandMillions + 500_000_000) / 1_000_000_000
        return Int64(clamping: rounded)
    }
}

extension [PriceEntry] {
    /// The prices that apply to a call. For each unit, this is the price with the highest ``PriceEntry/above`` that the
    /// call's input tokens exceed.
    fileprivate func applying(to usage: Usage) -> [PriceEntry] {
        only(reachedBy: usage) { $0.above ?? 0 < $1.above ?? 0 }
    }

    /// The highest price of each unit for any prompt up to the length of the estimate.
    fileprivate func highest(upTo maximum: Usage) -> [PriceEntry] {
        only(reachedBy: maximum) { $0.microDollarsPerMillion < $1.microDollarsPerMillion }
    }

    /// Returns one price for each unit: the greatest price, in the given order, among the prices that may apply to a
    /// prompt of this length.
    private func only(
        reachedBy usage: Usage, by areInIncreasingOrder: (PriceEntry, PriceEntry) -> Bool
    ) -> [PriceEntry] {
        guard contains(where: { $0.above != nil }) else { return self }
        let reached = filter { $0.covers(inputTokens: usage.inputTokens) }
        return PriceUnit.allCases.compactMap { unit in
            reached.filter { $0.unit == unit }.max(by: areInIncreasingOrder)
        }
    }
}

/// The number of each unit that one call used. No token is counted twice. A token of a picture or of sound counts as
/// such if there is a price for it. Of the other input tokens, one that was read from the cache or written to it counts
/// as a cache token if there is a price for it. All others are input tokens and output tokens. Audio is counted in
/// milliseconds. Negative counts are zero.
private struct UnitCounts {
    private let usage: Usage
    private let images: Int64
    private let sound: Int64
    private let cached: Int64
    private let written: Int64
    private let spoken: Int64

    init(_ usage: Usage, pricedBy prices: [PriceEntry]) {
        func part(_ unit: PriceUnit, _ count: Int64, atMost remainder: Int64) -> Int64 {
            prices.contains { $0.unit == unit } ? min(max(0, count), remainder) : 0
        }
        self.usage = usage
        let read = max(0, usage.inputTokens)
        images = part(.imageInputToken, usage.imageInputTokens, atMost: read)
        sound = part(.audioInputToken, usage.audioInputTokens, atMost: read - images)
        let text = read - images - sound
        cached = part(.cachedInputToken, usage.cachedInputTokens, atMost: text)
        written = part(.cacheWriteToken, usage.cacheWriteTokens, atMost: text - cached)
        spoken = part(.audioOutputToken, usage.audioOutputTokens, atMost: max(0, usage.outputTokens))
    }

    subscript(unit: PriceUnit) -> Int64 {
        switch unit {
        case .inputToken: max(0, usage.inputTokens) - images - sound - cached - written
        case .cachedInputToken: cached
        case .cacheWriteToken: written
        case .imageInputToken: images
        case .audioInputToken: sound
        case .outputToken: max(0, usage.outputTokens) - spoken
        case .audioOutputToken: spoken
        case .character: max(0, usage.characters)
        case .byte: max(0, usage.bytes)
        case .audioSecond: max(0, usage.audioMilliseconds)
        case .call: 1
        }
    }
}

extension PriceTable {
    /// Returns the maximum cost of a request at a provider in micro-dollars. The maximum is computed from the
    /// provider's estimate of the usage and the price table. Returns `nil` if the estimate or the price is unknown.
    public func mostCost(of request: AIRequest, at provider: any AIServiceProvider, on date: Date) -> Int64? {
        let payee = CostModel.Payee(
            provider: provider.id, instance: provider.instance, model: request.model ?? provider.defaultModel)
        return CostModel(prices: self).bound(by: payee, at: date) { provider.maximumUsage(of: request) }
    }
}
