public import Foundation
public import Hablare

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

extension AIRequestManager {
    /// Returns a publisher of a request's statuses. It delivers on the main actor: first the current status, then each
    /// later status, and at last the final status and the end.
    ///
    /// If the subscriber demands values one at a time, the publisher delivers the newest status for each demand, and
    /// may skip older ones. The final status is always delivered. The end follows at the demand after the final status.
    /// Cancelling the subscription stops the watch. It does not cancel the request.
    ///
    /// - Parameters:
    ///   - id: The request's id.
    ///   - taskExecutor: The executor that watches the request. Default: the global executor.
    /// - Returns: A publisher. It fails with the errors of `AIRequestManager.statusUpdates(for:)` and with the errors
    ///   of reading the statuses. All of them are ``/Hablare/AIServiceError``s. The code is `suspended` if the engine
    ///   shuts down or is suspended.
    @MainActor
    public func statusPublisher(
        for id: UUID, taskExecutor: (any TaskExecutor)? = nil
    ) -> AnyPublisher<RequestStatus, any Error> {
        MainPublisher.elements(taskExecutor: taskExecutor) { try await self.statusUpdates(for: id) }
    }
}
