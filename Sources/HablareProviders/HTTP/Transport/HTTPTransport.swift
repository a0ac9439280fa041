/// The module's only access to the network: it sends a call, and returns the answer while it arrives.
///
/// Nothing else in this module opens a socket. A replacement transport (a test, a recording, a company's own client)
/// therefore sees everything that a provider sends.
public protocol HTTPTransport: Sendable {
    /// Sends a call, and returns when the head of the answer arrives. It returns an answer with any status; the caller
    /// interprets it.
    ///
    /// ``HTTPCall/secrets`` are sent only to the origin of the call's address. Redirects are followed as ``Redirect``
    /// describes. A transport that follows a 303 sets ``HTTPAnswer/wasCarriedOut``.
    ///
    /// Cancelling the task ends the transfer. After the head, the transfer also ends when the answer's body is
    /// released.
    ///
    /// - Throws: ``HTTPFailure``, which reports whether the call may have arrived; `CancellationError`.
    func send(_ call: HTTPCall) async throws -> HTTPAnswer
}
