import Hablare
import HablareSupport

/// A call that a server received, and how the answer to the call ended.
package final class RecordedCall: Sendable {
    /// How the answer to a call ended.
    package enum Ending: Sendable, Hashable {
        /// The whole reply was passed to the system.
        case complete
        /// The reply's script cut the connection.
        case cut
        /// The client closed the connection before it had the whole reply.
        case clientLeft
        /// The server stopped while it was answering.
        case serverEnded
    }

    /// The call.
    package let call: ReceivedCall
    private let over = Gate()
    private let state = Locked<Ending?>(nil)

    init(_ call: ReceivedCall) { self.call = call }

    /// How the answer ended; `nil` if it has not ended.
    package var endingSoFar: Ending? { state.withLock { $0 } }

    /// Waits until the answer has ended.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first.
    package func ending() async throws(CancellationError) -> Ending {
        try await over.wait()
        return endingSoFar ?? .serverEnded
    }

    /// Waits until the answer has ended. Returns whether the client left before it had the whole reply. Use it in a
    /// test to check that a cancellation ended the transfer.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first.
    package func clientLeft() async throws(CancellationError) -> Bool { try await ending() == .clientLeft }

    func ended(_ ending: Ending) {
        state.withLock { $0 = $0 ?? ending }
        over.open()
    }
}
