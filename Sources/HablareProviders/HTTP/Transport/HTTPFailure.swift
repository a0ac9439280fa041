/// The reason why a call got no answer, or only a part of an answer.
///
/// The engine uses ``mayHaveArrived`` to decide about a retry: if a call cannot have reached the server, the engine can
/// repeat it without paying twice.
public struct HTTPFailure: Error, Sendable, Hashable {
    /// The kind of failure.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// No address is known for the host's name.
        case hostNotFound
        /// The server does not listen at the address, or the network is down.
        case unreachable
        /// The connection was not established in time.
        case connectTimeout
        /// The server's certificate is not trusted. Either its authority is unknown on this machine, or the certificate
        /// is expired or not yet valid. The TLS library does not distinguish these cases.
        case certificate
        /// The server's certificate belongs to another host.
        case certificateOfOtherHost
        /// The secure connection failed for another reason.
        case secureConnection
        /// The proxy refused the call, or could not reach the server.
        case proxy
        /// The server was silent for longer than the idle timeout.
        case idleTimeout
        /// The connection closed before the answer was complete.
        case connectionLost
        /// The server's answer is not HTTP.
        case malformedAnswer
        /// The server sent too many redirects, or a redirect that must not be followed.
        case redirect
        /// The body to send cannot be read.
        case unreadableBody
        /// Another error on the client's side.
        case other
    }

    /// The kind of failure.
    public let reason: Reason
    /// Whether the server may have received the call and acted on it. `true` if this is unknown.
    public let mayHaveArrived: Bool
    /// The message of the library or the system, for logs. It never contains a key, a query or a body.
    public let cause: String

    /// Creates a failure.
    public init(_ reason: Reason, mayHaveArrived: Bool, cause: String) {
        self.reason = reason
        self.mayHaveArrived = mayHaveArrived
        self.cause = cause
    }
}
