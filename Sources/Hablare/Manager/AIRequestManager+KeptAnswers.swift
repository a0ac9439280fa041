public import Foundation

extension AIRequestManager {
    /// Returns the answer of a request that arrived, may be billed, and could not be used: a service, or a proxy before
    /// it, answered something that is not of the expected form. The request has failed with
    /// ``AIServiceError/Code/invalidResponse`` or is tried again.
    ///
    /// The answer stays until the request is answered after all, until it is deleted, or until the retention evicts it
    /// like a response.
    ///
    /// - Returns: The answer; `nil` if the request has none, or its content is no longer kept.
    /// - Throws: ``AIServiceError`` of category storage.
    @concurrent public func keptAnswer(for id: UUID) async throws -> KeptAnswer? {
        try await journal.read { try $0.keptAnswer(for: id) }
    }
}
