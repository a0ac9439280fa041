public import Foundation

extension AIRequestManager {
    /// The present status.
    ///
    /// - Throws: ``AIServiceError``: `unknownRequest`, or of category storage.
    public func status(for id: UUID) async throws -> RequestStatus {
        let found = try await journal.read { store -> (RequestSnapshot, AIResponseData?)? in
            // A page of one, because only a single snapshot counts who is ahead.
            let page = try store.snapshots(SnapshotFilter(ids: [id], limit: 1))
            guard let snapshot = page.first else { return nil }
            return (snapshot, snapshot.phase == .completed ? try store.response(of: id) : nil)
        }
        guard let (snapshot, response) = found else { throw AIServiceError.unknown(id) }
        switch snapshot.phase {
        case .pending: return .pending
        case .executing: return .executing(progress: hub.progress(of: id))
        case .completed:
            return .completed(kept(response, isProtected: snapshot.isProtected) ?? .expired(id, snapshot, seams.date()))
        case .failed: return .failed(snapshot.error ?? AIServiceError(.providerFailed, "The reason is not recorded."))
        case .cancelled: return .cancelled
        }
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
    /// - Throws: ``AIServiceError`` of category storage.
    public func snapshots(_ filter: SnapshotFilter = SnapshotFilter()) async throws -> [RequestSnapshot] {
        try await explained(try await journal.read { try $0.snapshots(filter) })
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
