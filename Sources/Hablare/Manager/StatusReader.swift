import Foundation

/// Reads the status of a request from the store, its answer with it.
struct StatusReader: Sendable {
    let journal: Journal
    let retention: Retention
    let date: @Sendable () -> Date

    /// The present status; `nil` for an unknown request. How far an attempt is, the store does not know.
    ///
    /// - Throws: ``AIServiceError`` of category storage.
    func status(of id: UUID) async throws -> RequestStatus? {
        let found = try await journal.read { store -> (RequestSnapshot, AIResponseData?)? in
            // A page of one, because only a single snapshot counts who is ahead.
            let page = try store.snapshots(SnapshotFilter(ids: [id], limit: 1))
            guard let snapshot = page.first else { return nil }
            return (snapshot, snapshot.phase == .completed ? try store.response(of: id) : nil)
        }
        guard let (snapshot, response) = found else { return nil }
        switch snapshot.phase {
        case .pending: return .pending
        case .executing: return .executing(progress: nil)
        case .completed:
            return .completed(kept(response, isProtected: snapshot.isProtected) ?? .expired(id, snapshot, date()))
        case .failed: return .failed(snapshot.error ?? AIServiceError(.providerFailed, "The reason is not recorded."))
        case .cancelled: return .cancelled
        }
    }

    /// A response within its keeping time; past it, what is left of it.
    private func kept(_ response: AIResponseData?, isProtected: Bool) -> AIResponseData? {
        guard let response else { return nil }
        let isKept = retention.keeps(receivedAt: response.receivedAt, isProtected: isProtected, now: date())
        return isKept ? response : response.evicted()
    }
}
