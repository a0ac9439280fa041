import Foundation

extension AIResponseData {
    /// What is left of a response whose row is gone.
    static func expired(_ id: UUID, _ snapshot: RequestSnapshot, _ now: Date) -> AIResponseData {
        AIResponseData(
            requestID: id, providerID: snapshot.providerID, result: .failure(.responseExpired),
            receivedAt: snapshot.finishedAt ?? now)
    }
}

extension AIRequestManager {
    /// The error of a request that was not found: that it is unknown.
    ///
    /// - Throws: What the store says where it is damaged, so that the request may have been submitted all the same.
    func notFound(_ id: UUID) async throws -> AIServiceError {
        _ = try await journal.read { try $0.snapshot(of: id) }
        return .unknown(id)
    }

    /// The error of a write that was refused.
    ///
    /// - Throws: As ``notFound(_:)``.
    func refusal(_ receipt: WriteReceipt, for id: UUID) async throws -> AIServiceError {
        receipt == .unknownRequest ? try await notFound(id) : .unexpected(receipt, for: id)
    }
}

extension RequestStatus {
    /// The response of a completed status.
    ///
    /// - Throws: The error of a failed one; code `cancelled` for a cancelled one.
    func response(of id: UUID) throws -> AIResponseData {
        switch self {
        case .completed(let response): return response
        case .failed(let error): throw error
        case .cancelled:
            throw AIServiceError(.cancelled, "Request \(id) was cancelled. Retry it to have it done after all.")
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
            AIServiceError(.storageFailed, "The store answered a write of \(id) unexpectedly.", cause: "\(receipt)")
        }
    }
}
