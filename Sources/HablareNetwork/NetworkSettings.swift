public import HablareProviders

/// The settings of network connections.
///
/// ```swift
/// let transport = try NetworkTransport(
///     NetworkSettings(
///         connectTimeout: .seconds(3), idleTimeout: .seconds(600), keepAlive: .seconds(10),
///         proxies: try ProxyRules(environment: ProcessInfo.processInfo.environment), userAgent: "narrator/2.1"))
/// ```
public struct NetworkSettings: Sendable, Hashable {
    /// The time limit for establishing a connection. It includes the host lookup, the connection itself, the handshakes
    /// of a proxy and of TLS, and the wait for one of ``connectionsPerHost``. Default: 10 seconds. For example,
    /// `.seconds(3)` for a server on the local network.
    public var connectTimeout: Duration
    /// The idle timeout: the maximum time in which no data is sent or received. It applies during the whole call, until
    /// the end of the answer. `HTTPCall.idleTimeout` takes precedence. Time in which the answer's reader requests
    /// nothing does not count. Default: 120 seconds. For example, `.seconds(600)` for models that think for minutes
    /// before they answer.
    public var idleTimeout: Duration
    /// The time for which an idle connection is kept for the next call. Default: 30 seconds. For example,
    /// `.seconds(10)` for a server that closes connections after 15 seconds.
    ///
    /// This time should be shorter than the server's own time. If a server closes an idle connection at the moment when
    /// a call is sent on it, it is unknown whether the call arrived.
    public var keepAlive: Duration
    /// The path of a PEM file with certificates of trusted authorities. They are trusted in addition to the system's
    /// authorities. Default: `nil`, for no additional authorities. For example, `"/etc/ssl/company.pem"`.
    public var authoritiesPath: String?
    /// The rules for proxies. Default: no proxy. For example,
    /// `try ProxyRules(environment: ProcessInfo.processInfo.environment)` to use `https_proxy` and `no_proxy`.
    public var proxies: ProxyRules
    /// The maximum number of HTTP/1.1 connections to one host. HTTP/2 uses one connection for all calls. Default: 512.
    /// At least 1; a smaller number counts as 1. For example, 16 for a local server.
    ///
    /// The number must not be less than the number of calls in flight to a host, over all providers. A call fails if it
    /// waits for a connection longer than ``connectTimeout``.
    public var connectionsPerHost: Int
    /// The user agent of calls that do not set a user agent. Default: `hablare`. For example, `narrator/2.1`.
    public var userAgent: String
    /// The time for which the remaining bytes of an abandoned answer are still received, so that its connection can be
    /// reused. A test may increase it for a busy machine.
    package var lingering = TransferMachine.lingering

    /// Creates settings.
    public init(
        connectTimeout: Duration = .seconds(10), idleTimeout: Duration = .seconds(120),
        keepAlive: Duration = .seconds(30), authoritiesPath: String? = nil, proxies: ProxyRules = .direct,
        connectionsPerHost: Int = 512, userAgent: String = "hablare"
    ) {
        self.connectTimeout = connectTimeout
        self.idleTimeout = idleTimeout
        self.keepAlive = keepAlive
        self.authoritiesPath = authoritiesPath
        self.proxies = proxies
        self.connectionsPerHost = connectionsPerHost
        self.userAgent = userAgent
    }
}
