public import Foundation

extension AIRequestManager {
    /// Returns an answer that arrived for a request and may be billed, but could not be used. A service, or a proxy in
    /// front of it, sent something that does not have the expected form. The request has failed with
    /// ``AIServiceError/Code/invalidResponse`` or is retried.
    ///
    /// The answer is kept until the request is completed or deleted, or until the retention evicts the answer like a
    /// response.
    ///
    /// - Returns: The answer; `nil` if the request has none, or its content is no longer kept.
    /// - Throws: ``AIServiceError`` of category storage.
    @concurrent public func keptAnswer(for id: UUID) async throws -> KeptAnswer? {
        try await journal.read { try $0.keptAnswer(for: id) }
    }
}
