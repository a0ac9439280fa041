import Hablare

/// A call that a server received, and its ending.
package final class RecordedCall: Sendable {
    /// The end of answering a call.
    package enum Ending: Sendable, Hashable {
        /// The whole reply was handed to the system.
        case complete
        /// The reply's script cut the connection.
        case cut
        /// The client closed the connection before it had the whole reply.
        case clientLeft
        /// The server ended while it was answering.
        case serverEnded
    }

    /// The call.
    package let call: ReceivedCall
    private let over = Gate()
    private let state = Locked<Ending?>(nil)

    init(_ call: ReceivedCall) { self.call = call }

    /// The ending, or `nil` while there is none.
    package var endingSoFar: Ending? { state.withLock { $0 } }

    /// Waits for the ending.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    package func ending() async throws(CancellationError) -> Ending {
        try await over.wait()
        return endingSoFar ?? .serverEnded
    }

    /// Waits for the ending, and returns whether the client left before it had the whole reply. A test uses it to check
    /// that a cancellation ended the transfer.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    package func clientLeft() async throws(CancellationError) -> Bool { try await ending() == .clientLeft }

    func ended(_ ending: Ending) {
        state.withLock { $0 = $0 ?? ending }
        over.open()
    }
}
