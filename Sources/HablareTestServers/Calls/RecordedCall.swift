import Hablare

/// A call that a server got, and how it ended.
package final class RecordedCall: Sendable {
    /// How the answering of a call ended.
    package enum Ending: Sendable, Hashable {
        /// The reply was handed over to the system in full.
        case complete
        /// The reply's script cut the connection.
        case cut
        /// The client closed the connection before it had the whole reply.
        case clientLeft
        /// The server was ended while it still answered.
        case serverEnded
    }

    /// The call.
    package let call: ReceivedCall
    private let over = Gate()
    private let state = Guarded<Ending?>(nil)

    init(_ call: ReceivedCall) { self.call = call }

    /// How it ended; `nil` while it has not.
    package var endingSoFar: Ending? { state.withLock { $0 } }

    /// Waits for the end.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    package func ending() async throws(CancellationError) -> Ending {
        try await over.wait()
        return endingSoFar ?? .serverEnded
    }

    /// Waits for the end, and says whether the client went away before it had the whole reply: so a test sees that a
    /// cancellation ended the transfer.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    package func clientLeft() async throws(CancellationError) -> Bool { try await ending() == .clientLeft }

    func ended(_ ending: Ending) {
        state.withLock { $0 = $0 ?? ending }
        over.open()
    }
}
