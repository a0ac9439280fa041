import Foundation

extension AIRequestManager {
    /// Why requests wait, as far as it takes more than their rows to know: the account's limit and pause, a provider
    /// that fails, a provider that this process does not have.
    func explained(_ snapshots: [RequestSnapshot]) async throws -> [RequestSnapshot] {
        guard snapshots.contains(where: { $0.waiting?.isForTheLane ?? false }) else { return snapshots }
        let records = try await reading { try $0.accounts() }
        let budgets = Dictionary(records.map { ($0.id, $0.budget) }, uniquingKeysWith: { first, _ in first })
        let now = seams.date()
        return snapshots.map { snapshot in
            guard let waiting = snapshot.waiting, waiting.isForTheLane else { return snapshot }
            var explained = snapshot
            explained.waiting = reason(of: snapshot.providerID, budgets, now: now) ?? waiting
            if registry[snapshot.providerID] == nil, case .unclaimed = waiting { explained.waiting = .noProvider }
            return explained
        }
    }

    private func reason(
        of id: ProviderID, _ budgets: [AccountID: AccountBudget], now: Date
    ) -> RequestSnapshot.WaitReason? {
        let provider = registry[id]
        guard let budget = budgets[provider?.account ?? AccountID(rawValue: id.rawValue)] else { return nil }
        if let until = budget.failingUntil, until > now { return .providerFailing(until: until) }
        if let until = budget.pause(now: now) { return .rateLimited(until: until) }
        return provider?.limits.rate.flatMap { budget.nextCall(of: $0, now: now) }.map { .rateLimited(until: $0) }
    }
}

extension RequestSnapshot.WaitReason {
    /// Whether the request could be sent if its provider's lane were free.
    fileprivate var isForTheLane: Bool {
        switch self {
        case .queued, .unclaimed: true
        default: false
        }
    }
}
