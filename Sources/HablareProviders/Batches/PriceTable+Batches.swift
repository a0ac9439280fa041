import Foundation
public import Hablare

extension PriceTable {
    /// The kinds of providers whose vendors charge half the price for batches, each with the kind of its batch
    /// provider.
    private static let halved = ["openai": "openai-batch", "anthropic": "anthropic-batch"]

    /// Returns the table with added prices for ``VendorBatchProvider``s: half of the price of each token in a normal
    /// call. The prices are added under the kinds `openai-batch` and `anthropic-batch`. If the table already has prices
    /// under these kinds, they do not change.
    ///
    /// The vendors charge half of the price for every kind of token
    /// (https://platform.claude.com/docs/en/build-with-claude/batch-processing,
    /// https://developers.openai.com/api/docs/guides/batch). Half of an odd price is rounded up.
    ///
    /// - Parameter names: The ids of other providers whose prices are also halved. Each key is the id of a provider,
    ///   and its value is the id of the provider's batch provider.
    public func withBatchPrices(of names: [String: String] = [:]) -> PriceTable {
        let own = Set(entries.map(\.provider))
        let halved = Self.halved.merging(names) { kind, _ in kind }
        let derived = entries.compactMap { entry -> PriceEntry? in
            guard let kind = halved[entry.provider], !own.contains(kind), entry.unit.isToken else { return nil }
            var half = entry
            half.provider = kind
            half.microDollarsPerMillion = (entry.microDollarsPerMillion + 1) / 2
            return half
        }
        do {
            return try PriceTable(entries + derived, date: date, sources: sources)
        } catch {
            return self  // unreachable: the new prices overlap as little as those that they are derived from
        }
    }
}

extension PriceUnit {
    fileprivate var isToken: Bool {
        switch self {
        case .inputToken, .cachedInputToken, .cacheWriteToken, .imageInputToken, .audioInputToken, .outputToken,
            .audioOutputToken:
            true
        case .character, .byte, .audioSecond, .call: false
        }
    }
}
