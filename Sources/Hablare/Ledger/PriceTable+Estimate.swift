package import Foundation

extension PriceTable {
    /// The most that a request would cost at a provider, in micro-dollars, by what the provider says that it uses at most;
    /// `nil` where that or its price is not known.
    package func mostCost(of request: AIRequest, at provider: any AIServiceProvider, on date: Date) -> Int64? {
        let payee = CostModel.Payee(
            provider: provider.id, instance: provider.instance, model: request.model ?? provider.defaultModel)
        return CostModel(prices: self).bound(by: payee, at: date) { provider.maximumUsage(of: request) }
    }
}
