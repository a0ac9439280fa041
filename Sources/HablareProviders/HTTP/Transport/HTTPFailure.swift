/// The reason why a call got no answer, or only a part of one.
///
/// The engine depends on ``mayHaveArrived``: a call that cannot have reached the server can be repeated without paying
/// twice.
public struct HTTPFailure: Error, Sendable, Hashable {
    /// The kind of failure.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The host's name has no known address.
        case hostNotFound
        /// The server does not listen there, or the network is down.
        case unreachable
        /// The connection was not made in time.
        case connectTimeout
        /// The server's certificate is not trusted: its authority is unknown here, or it is expired or not yet valid.
        /// The TLS library does not distinguish them.
        case certificate
        /// The server's certificate belongs to another host.
        case certificateOfOtherHost
        /// The secure connection failed for another reason.
        case secureConnection
        /// The proxy refused, or could not reach the server.
        case proxy
        /// The server was silent for longer than the idle timeout.
        case idleTimeout
        /// The connection ended before the answer did.
        case connectionLost
        /// The server's answer is not HTTP.
        case malformedAnswer
        /// The server redirects too often, or to an address that must not be followed.
        case redirect
        /// The body to send cannot be read.
        case unreadableBody
        /// Another error of the client.
        case other
    }

    /// The kind of failure.
    public let reason: Reason
    /// Whether the server may have received the call and acted on it. It is `true` if this is unknown.
    public let mayHaveArrived: Bool
    /// The words of the library or the system, for logs. They never contain a key, a query or a body.
    public let cause: String

    /// Creates a failure.
    public init(_ reason: Reason, mayHaveArrived: Bool, cause: String) {
        self.reason = reason
        self.mayHaveArrived = mayHaveArrived
        self.cause = cause
    }
}
