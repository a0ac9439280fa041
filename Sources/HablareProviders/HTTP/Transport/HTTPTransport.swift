/// The one way to the network: sends a call, and hands over the answer while it arrives.
///
/// Nothing else of this module opens a socket, so whoever gives a provider another transport (a test, a recording, a
/// company's own client) has seen everything it sends.
public protocol HTTPTransport: Sendable {
    /// Sends a call, and returns when the head of the answer is there. Its status may be any: what a status means is for
    /// the caller.
    ///
    /// ``HTTPCall/secrets`` go to the origin of the call's address and to no other. Redirects are followed as
    /// ``Redirect`` says; whoever follows a 303 says so in the answer (``HTTPAnswer/wasCarriedOut``).
    ///
    /// Cancelling the task ends the transfer. After the head, the transfer also ends when nobody holds the answer's body
    /// any more.
    ///
    /// - Throws: ``HTTPFailure``, which says whether the call may have arrived; `CancellationError`.
    func send(_ call: HTTPCall) async throws -> HTTPAnswer
}
