/// Why a call got no answer, or not the whole of one.
///
/// The one thing that matters beyond the words is ``mayHaveArrived``: a call that cannot have reached the server can be
/// made again without being paid twice.
public struct HTTPFailure: Error, Sendable, Hashable {
    /// What went wrong.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// No address is known for the host's name.
        case hostNotFound
        /// Nobody listens there, or the network is down.
        case unreachable
        /// The connection was not made in time.
        case connectTimeout
        /// The server's certificate is not trusted: its authority is unknown here, or its dates do not hold. The TLS library
        /// does not say which.
        case certificate
        /// The server's certificate is made out to another host.
        case certificateOfOtherHost
        /// No secure connection came about for another reason.
        case secureConnection
        /// The proxy refused, or could not reach the server.
        case proxy
        /// The server was silent for longer than it may be.
        case idleTimeout
        /// The connection ended before the answer did.
        case connectionLost
        /// The server's answer is not HTTP.
        case malformedAnswer
        /// The server sends from one place to the next, or to where nobody may follow.
        case redirect
        /// The body that was to be sent cannot be read.
        case unreadableBody
        /// Something else of the client's.
        case other
    }

    /// What went wrong.
    public let reason: Reason
    /// Whether the server may have got the call, and acted on it. Where nobody knows, it may.
    public let mayHaveArrived: Bool
    /// The failure in the words of the library or the system, for logs. Never a key, a query or a body.
    public let cause: String

    /// Creates a failure.
    public init(_ reason: Reason, mayHaveArrived: Bool, cause: String) {
        self.reason = reason
        self.mayHaveArrived = mayHaveArrived
        self.cause = cause
    }
}
