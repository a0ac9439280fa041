import Foundation

extension AIResponseData {
    static func expired(_ id: UUID, _ snapshot: RequestSnapshot, _ now: Date) -> AIResponseData {
        AIResponseData(
            requestID: id, providerID: snapshot.providerID, result: .failure(.responseExpired),
            receivedAt: snapshot.finishedAt ?? now)
    }
}

extension AIRequestManager {
    /// Returns the error for a write that the store refused.
    func refusal(_ receipt: WriteReceipt, for id: UUID) async -> AIServiceError {
        receipt == .unknownRequest ? await journal.notFound(id) : .unexpected(receipt, for: id)
    }
}

extension RequestStatus {
    /// Returns the response of a completed status.
    ///
    /// - Throws: The error of a failed status. The code is `cancelled` for a cancelled status.
    func response(of id: UUID) throws -> AIResponseData {
        switch self {
        case .completed(let response): return response
        case .failed(let error): throw error
        case .cancelled:
            throw AIServiceError(.cancelled, "Request \(id) was cancelled. To run it, retry it.")
        case .pending, .executing: throw AIServiceError(.invalidState, "Request \(id) is not final.")
        }
    }
}

extension AIServiceError {
    static func notAllowed(_ what: String, _ id: UUID, in phase: RequestPhase) -> AIServiceError {
        let advice =
            switch phase {
            case .pending, .executing: "Wait for its outcome, or cancel it."
            case .completed: "Use `regenerate` for another answer."
            case .failed, .cancelled: "Retry it first."
            }
        return AIServiceError(.invalidState, "Request \(id) is \(phase.rawValue) and cannot be \(what). \(advice)")
    }

    static func unexpected(_ receipt: WriteReceipt, for id: UUID) -> AIServiceError {
        switch receipt {
        case .unknownRequest: .unknown(id)
        case .rejected(let error): error
        default:
            AIServiceError(
                .storageFailed,
                "The store returned an unexpected receipt for a write of \(id). This is a fault of the store: report it.",
                cause: "\(receipt)")
        }
    }
}

struct StatusReader: Sendable {
    let journal: Journal
    let retention: Retention
    let date: @Sendable () -> Date

    /// Returns the current status, or `nil` for an unknown request. The status contains no progress, because the store
    /// does not contain the progress of attempts.
    ///
    /// - Throws: ``AIServiceError`` of category storage.
    func status(of id: UUID) async throws -> RequestStatus? {
        let found = try await journal.read { store -> (RequestSnapshot, AIResponseData?)? in
            // A page of one, because only the query for a single snapshot counts the requests ahead of it.
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

    private func kept(_ response: AIResponseData?, isProtected: Bool) -> AIResponseData? {
        guard let response else { return nil }
        let isKept = retention.keeps(receivedAt: response.receivedAt, isProtected: isProtected, now: date())
        return isKept ? response : response.evicted()
    }
}
