public import Foundation

extension AIRequestManager {
    /// Returns the current status of a request.
    ///
    /// - Throws: ``AIServiceError``: `unknownRequest`, or an error of category storage.
    public func status(for id: UUID) async throws -> RequestStatus {
        let reader = StatusReader(journal: journal, retention: configuration.retention, date: seams.date)
        guard let status = try await reader.status(of: id) else { throw await journal.notFound(id) }
        guard case .executing = status else { return status }
        return .executing(progress: engine.read { $0.watched.progress(of: id) })
    }

    /// Returns the metadata of a request, without its content.
    ///
    /// - Throws: The errors of ``status(for:)``.
    public func snapshot(for id: UUID) async throws -> RequestSnapshot {
        guard let snapshot = try await journal.read({ try $0.snapshot(of: id) })
        else { throw AIServiceError.unknown(id) }
        return try await explained([snapshot]).first ?? snapshot
    }

    /// Returns a page of metadata of the requests that match a filter.
    ///
    /// - Throws: ``AIServiceError``: `invalidRequest` if ``SnapshotFilter/limit`` is negative, or an error of category
    ///   storage.
    public func snapshots(_ filter: SnapshotFilter = SnapshotFilter()) async throws -> [RequestSnapshot] {
        guard filter.limit >= 0 else {
            throw AIServiceError(
                .invalidRequest, "The filter's `limit` is negative. Set it to zero or more.")
        }
        return try await explained(try await journal.read { try $0.snapshots(filter) })
    }

    /// Returns the response of a completed request, or `nil` if the request is not completed. If the response is no
    /// longer kept, the `result` of the returned value is a failure with the code `responseExpired`.
    ///
    /// - Throws: ``AIServiceError``: `unknownRequest`, or an error of category storage.
    public func response(for id: UUID) async throws -> AIResponseData? {
        guard case .completed(let response) = try await status(for: id) else { return nil }
        return response
    }

    /// Returns the attempts of a request that have ended, oldest first.
    ///
    /// - Throws: The errors of ``status(for:)``.
    public func attempts(for id: UUID) async throws -> [AttemptRecord] {
        guard try await journal.read({ try $0.snapshot(of: id) }) != nil else { throw AIServiceError.unknown(id) }
        return try await journal.read { try $0.attempts(of: id) }
    }

    /// Returns counts over the whole store, for example of requests and responses. Reads every row, so do not call this
    /// method in a loop.
    ///
    /// - Throws: ``AIServiceError`` of category storage.
    public func statistics() async throws -> StoreStatistics {
        try await journal.read { try $0.statistics() }
    }

    /// Returns sums over the attempts in the ledger: the usage, the cost, and the number of attempts whose cost is
    /// unknown. Reads every attempt, so do not call this method in a loop.
    ///
    /// - Throws: ``AIServiceError`` of category storage.
    public func ledger(_ query: LedgerQuery = LedgerQuery()) async throws -> LedgerReport {
        try await journal.read { try $0.ledger(query) }
    }

    /// Returns the amounts spent of each budget in each of its periods, sorted by name, then by period. Includes
    /// budgets that this process is not configured with.
    ///
    /// - Throws: ``AIServiceError`` of category storage.
    public func budgets() async throws -> [BudgetRecord] {
        try await journal.read { try $0.budgets() }
    }

    func explained(_ snapshots: [RequestSnapshot]) async throws -> [RequestSnapshot] {
        let now = seams.date()
        let snapshots = explainingSuspensions(snapshots, now: now)
        guard snapshots.contains(where: \.waitsForItsLane) else { return snapshots }
        return try await journal.read { try $0.explaining(snapshots, now: now) }.map { snapshot in
            guard case .unclaimed = snapshot.waiting, registry[snapshot.providerID] == nil else { return snapshot }
            var explained = snapshot
            explained.waiting = .noProvider
            return explained
        }
    }

    /// Corrects the wait reason of unclaimed requests that wait because this engine is suspended. The store does not
    /// know of the suspension, so it and other processes report these requests as unclaimed.
    private func explainingSuspensions(_ snapshots: [RequestSnapshot], now: Date) -> [RequestSnapshot] {
        let reasons = suspensions
        guard !reasons.isEmpty else { return snapshots }
        return snapshots.map { snapshot in
            switch snapshot.waiting {
            case .unclaimed: break
            case .backingOff(let until) where until <= now: break
            default: return snapshot
            }
            guard let provider = registry.registration(of: snapshot.providerID) else { return snapshot }
            var explained = snapshot
            if reasons.contains(.background) {
                explained.waiting = .suspended
            } else if provider.needsNetwork {
                explained.waiting = .offline
            }
            return explained
        }
    }
}
