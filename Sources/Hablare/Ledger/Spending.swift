import Foundation

/// Computes the maximum cost of a call, and the budgets towards which the call counts. This type is pure.
struct Spending: Sendable {
    let budgets: [Budget]
    let costs: CostModel

    /// Returns whether a request to a provider may count towards a budget. Does not check the request's job.
    func mayCount(_ request: AIRequest, for provider: ProviderID) -> Bool {
        budgets.contains { $0.mayCount(request, for: provider) }
    }

    func charges(
        of request: AIRequest, for provider: any AIServiceProvider, as registered: ProviderRegistry.Registration,
        at date: Date
    ) -> [BudgetCharge] {
        let counting = budgets.filter { $0.mayCount(request, for: registered.id) }
        guard !counting.isEmpty else { return [] }
        let payee = CostModel.Payee(
            provider: registered.id, instance: registered.instance, model: request.model ?? registered.defaultModel)
        let bound = costs.bound(by: payee, at: date) { provider.maximumUsage(of: request) }
        return counting.map { budget in
            var charge = BudgetCharge(
                budget: budget.name, period: budget.period.start(containing: date), limit: budget.limit, bound: bound,
                refusesUnknown: budget.unknownCosts == .refuse)
            if case .job(let job) = budget.scope { charge.job = job }
            return charge
        }
    }

    func error(for refusal: BudgetRefusal, of charges: [BudgetCharge], at date: Date) -> AIServiceError {
        let charge = charges.first { $0.budget == refusal.budget }
        let end = budgets.first { $0.name == refusal.budget }?.period.end(containing: date)
        let left = MicroDollars.text(refusal.left)
        let limit = MicroDollars.text(charge?.limit ?? 0)
        let call =
            charge?.bound.map { "the call can cost \(MicroDollars.text($0))" } ?? "the cost of the call is unknown"
        let advice = end.map {
            "Raise the budget, or retry after \(UTCDay(containing: $0).name) 00:00 UTC, when its next period begins."
        }
        return AIServiceError(
            .budgetExceeded,
            """
            Budget \(refusal.budget) has \(left) of \(limit) left, and \(call). Nothing was sent. \
            \(advice ?? "To send it, raise the budget.")
            """
        )
    }
}

extension Budget {
    /// Returns whether a request may count towards the budget. Does not check the request's job, because only the store
    /// knows it.
    fileprivate func mayCount(_ request: AIRequest, for provider: ProviderID) -> Bool {
        switch scope {
        case .all, .job: true
        case .provider(let id): id == provider
        case .tag(let tag): request.tags.contains(tag)
        }
    }
}
