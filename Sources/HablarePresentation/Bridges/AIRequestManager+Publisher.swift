public import Foundation
public import Hablare

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

extension AIRequestManager {
    /// Returns the statuses of a request as a publisher on the main actor. It publishes the current status, each later
    /// status, the final status, and then the end.
    ///
    /// If the subscriber's demand is limited, the publisher delivers the newest status at each demand. It always
    /// delivers the final status. The end follows at the next demand. Cancelling the subscription ends the watch, but
    /// does not cancel the request.
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
