public import Foundation
public import Hablare

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

extension AIRequestManager {
    /// Returns the statuses of a request as a publisher on the main actor, from the current status to the final one,
    /// followed by the end.
    ///
    /// If the subscriber's demand is limited, the publisher delivers the newest status at each demand, and always the
    /// final one. The end follows the next demand. Cancelling the subscription ends the watch, not the request.
    ///
    /// - Parameters:
    ///   - id: The request's id.
    ///   - taskExecutor: The executor that watches the request. Default: the global executor.
    /// - Returns: A publisher that fails with the errors of `AIRequestManager.statusUpdates(for:)` and of reading it.
    ///   These are ``/Hablare/AIServiceError``s, with code `suspended` if the engine shuts down or is suspended.
    @MainActor
    public func statusPublisher(
        for id: UUID, taskExecutor: (any TaskExecutor)? = nil
    ) -> AnyPublisher<RequestStatus, any Error> {
        MainPublisher.elements(taskExecutor: taskExecutor) { try await self.statusUpdates(for: id) }
    }
}
