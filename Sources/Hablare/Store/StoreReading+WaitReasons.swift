public import Foundation

extension StoreReading {
    /// Says why requests wait, as far as their accounts are the reason: a used-up limit, a pause that the provider asked
    /// for, a provider that fails.
    ///
    /// - Parameters:
    ///   - snapshots: As the store answered them.
    ///   - now: The present date.
    /// - Throws: ``AIServiceError`` of category storage.
    public func explaining(_ snapshots: [RequestSnapshot], now: Date) throws -> [RequestSnapshot] {
        guard snapshots.contains(where: \.waitsForItsLane) else { return snapshots }
        var reasons: [ProviderID: RequestSnapshot.WaitReason] = [:]
        for account in try accounts() {
            guard let reason = account.budget.waitReason(now: now) else { continue }
            for provider in account.providers { reasons[provider] = reason }
        }
        guard !reasons.isEmpty else { return snapshots }
        return snapshots.map { snapshot in
            guard snapshot.waitsForItsLane, let reason = reasons[snapshot.providerID] else { return snapshot }
            var explained = snapshot
            explained.waiting = reason
            return explained
        }
    }
}

extension RequestSnapshot {
    /// Whether the request could be sent if its provider's lane were free.
    package var waitsForItsLane: Bool {
        switch waiting {
        case .queued, .unclaimed: true
        default: false
        }
    }
}
