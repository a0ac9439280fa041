public import Foundation

extension AIRequestManager {
    /// Returns an answer that arrived for a request and may have been billed, but could not be used. This happens if a
    /// service, or a proxy in front of the service, sends an answer that does not have the expected form. The request
    /// then fails with ``AIServiceError/Code/invalidResponse``, or the engine retries it.
    ///
    /// The answer is kept until the request is completed or deleted, or until retention evicts the answer. Retention
    /// treats the answer like a response.
    ///
    /// - Returns: The answer. The result is `nil` if the request has no such answer, or if the answer is no longer
    ///   kept.
    /// - Throws: ``AIServiceError`` of category storage.
    @concurrent public func keptAnswer(for id: UUID) async throws -> KeptAnswer? {
        try await journal.read { try $0.keptAnswer(for: id) }
    }
}
