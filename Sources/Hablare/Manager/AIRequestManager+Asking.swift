public import Foundation

extension AIRequestManager {
    /// The present status.
    ///
    /// - Throws: ``AIServiceError``: `unknownRequest`, or of category storage.
    public func status(for id: UUID) async throws -> RequestStatus {
        let reader = StatusReader(journal: journal, retention: configuration.retention, date: seams.date)
        guard let status = try await reader.status(of: id) else {
            // A damaged store says so to who asks for the request alone.
            _ = try await journal.read { try $0.snapshot(of: id) }
            throw AIServiceError.unknown(id)
        }
        guard case .executing = status else { return status }
        return .executing(progress: engine.read { $0.watched.progress(of: id) })
    }

    /// What is known of a request, its content left aside.
    ///
    /// - Throws: as ``status(for:)``.
    public func snapshot(for id: UUID) async throws -> RequestSnapshot {
        guard let snapshot = try await journal.read({ try $0.snapshot(of: id) })
        else { throw AIServiceError.unknown(id) }
        return try await explained([snapshot]).first ?? snapshot
    }

    /// A page of what is known of many requests.
    ///
    /// - Throws: ``AIServiceError``: `invalidRequest` for a negative ``SnapshotFilter/limit``, or of category storage.
    public func snapshots(_ filter: SnapshotFilter = SnapshotFilter()) async throws -> [RequestSnapshot] {
        guard filter.limit >= 0 else {
            throw AIServiceError(
                .invalidRequest, "The filter's `limit` is negative. Ask for at most as many requests as you can show.")
        }
        return try await explained(try await journal.read { try $0.snapshots(filter) })
    }

    /// The response of a completed request; `nil` when it is not completed. The result of one that is no longer kept
    /// is a failure of code `responseExpired`.
    ///
    /// - Throws: ``AIServiceError``: `unknownRequest`, or of category storage.
    public func response(for id: UUID) async throws -> AIResponseData? {
        guard case .completed(let response) = try await status(for: id) else { return nil }
        return response
    }

    /// The attempts at a request that ended, oldest first.
    ///
    /// - Throws: as ``status(for:)``.
    public func attempts(for id: UUID) async throws -> [AttemptRecord] {
        guard try await journal.read({ try $0.snapshot(of: id) }) != nil else { throw AIServiceError.unknown(id) }
        return try await journal.read { try $0.attempts(of: id) }
    }

    /// Counts over the store. Reads every row: for people, not for loops.
    ///
    /// - Throws: ``AIServiceError`` of category storage.
    public func statistics() async throws -> StoreStatistics {
        try await journal.read { try $0.statistics() }
    }

    /// Sums over the attempts in the ledger: what was used, what it cost, and of how many attempts nobody knows that.
    /// Reads every attempt: for people, not for loops.
    ///
    /// - Throws: ``AIServiceError`` of category storage.
    public func ledger(_ query: LedgerQuery = LedgerQuery()) async throws -> LedgerReport {
        try await journal.read { try $0.ledger(query) }
    }

    /// What was spent of budgets in their periods, by name, then by period; also of budgets that this process is not
    /// configured with.
    ///
    /// - Throws: ``AIServiceError`` of category storage.
    public func budgets() async throws -> [BudgetRecord] {
        try await journal.read { try $0.budgets() }
    }

    func explained(_ snapshots: [RequestSnapshot]) async throws -> [RequestSnapshot] {
        let now = seams.date()
        let snapshots = resting(snapshots, now: now)
        guard snapshots.contains(where: \.waitsForItsLane) else { return snapshots }
        return try await journal.read { try $0.explaining(snapshots, now: now) }.map { snapshot in
            guard case .unclaimed = snapshot.waiting, registry[snapshot.providerID] == nil else { return snapshot }
            var explained = snapshot
            explained.waiting = .noProvider
            return explained
        }
    }

    /// Says of what nobody has taken that this engine rests. Other processes do not know it: to them nobody has.
    private func resting(_ snapshots: [RequestSnapshot], now: Date) -> [RequestSnapshot] {
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
