public import Foundation
public import Hablare

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

extension AIRequestManager {
    /// The statuses of a request as a publisher on the main actor: from the present one to the final one, then the end.
    ///
    /// A subscriber that asks for little gets what is the newest status when it asks, instead of all of them, and always the
    /// final one; the end comes when it asks once more. Cancelling the subscription ends the watching, not the request.
    ///
    /// - Parameters:
    ///   - id: The request.
    ///   - taskExecutor: Where it is watched from. Default: the global executor.
    /// - Returns: A publisher that fails as `AIRequestManager.statusUpdates(for:)` and reading it throw: with an
    ///   ``/Hablare/AIServiceError``, of code `suspended` when the engine shuts down or rests.
    @MainActor
    public func statusPublisher(
        for id: UUID, taskExecutor: (any TaskExecutor)? = nil
    ) -> AnyPublisher<RequestStatus, any Error> {
        MainPublisher.elements(taskExecutor: taskExecutor) { try await self.statusUpdates(for: id) }
    }
}
