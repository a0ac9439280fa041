public import Foundation

extension AIRequestManager {
    /// The present status.
    ///
    /// - Throws: ``AIServiceError``: `unknownRequest`, or of category storage.
    public func status(for id: UUID) async throws -> RequestStatus {
        let reader = StatusReader(journal: journal, retention: configuration.retention, date: seams.date)
        guard let status = try await reader.status(of: id) else { throw try await notFound(id) }
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
}
