/// A transport that sends a call and returns the answer while it arrives. It is the module's only access to the
/// network.
///
/// You can replace the transport, for example with a recorder, a test's transport or a company's own client. The
/// replacement sees everything that a provider sends.
public protocol HTTPTransport: Sendable {
    /// Sends a call. Returns when the head of the answer (status and header fields) arrives. The answer may have any
    /// status; the caller interprets it.
    ///
    /// The transport sends ``HTTPCall/secrets`` only to the origin of the call's address. It follows redirects by the
    /// rules of ``Redirect``. A transport that follows a 303 sets ``HTTPAnswer/wasCarriedOut``.
    ///
    /// Cancelling the task ends the transfer. After the head has arrived, releasing the answer's body also ends the
    /// transfer.
    ///
    /// - Throws: ``HTTPFailure``, which says whether the call may have arrived. `CancellationError` if the task is
    ///   cancelled.
    func send(_ call: HTTPCall) async throws -> HTTPAnswer
}
