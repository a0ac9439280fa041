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
    /// The time limit for establishing a connection. Default: 10 seconds. For example, use `.seconds(3)` for a server
    /// on the local network.
    ///
    /// The time includes the host lookup, the connection itself, the handshakes of a proxy and of TLS, and the wait for
    /// one of ``connectionsPerHost``.
    public var connectTimeout: Duration
    /// The idle timeout: the maximum time in which no data is sent or received. Default: 120 seconds. For example, use
    /// `.seconds(600)` for models that think for minutes before they answer.
    ///
    /// The timeout applies until the end of the answer. `HTTPCall.idleTimeout` takes precedence. The time in which the
    /// reader of the answer requests no data does not count.
    public var idleTimeout: Duration
    /// The time for which an idle connection is kept for the next call. Default: 30 seconds. For example, use
    /// `.seconds(10)` for a server that closes connections after 15 seconds.
    ///
    /// This time should be shorter than the server's own time. If a server closes an idle connection at the moment when
    /// a call is sent on it, it is unknown whether the call arrived.
    public var keepAlive: Duration
    /// The path of a PEM file with certificates of trusted authorities. They are trusted in addition to the system's
    /// authorities. Default: `nil`, for no additional authorities. For example, `"/etc/ssl/company.pem"`.
    public var authoritiesPath: String?
    /// The rules for proxies. Default: no proxy. To use the variables `https_proxy` and `no_proxy`, pass `try
    /// ProxyRules(environment: ProcessInfo.processInfo.environment)`.
    public var proxies: ProxyRules
    /// The maximum number of HTTP/1.1 connections to one host. A number below 1 counts as 1. Default: 512. For example,
    /// use 16 for a local server. HTTP/2 uses one connection for all calls.
    ///
    /// The number must not be less than the number of simultaneous calls to a host, over all providers. If a call waits
    /// for a connection longer than ``connectTimeout``, the call fails.
    public var connectionsPerHost: Int
    /// The user agent of calls that do not set a user agent. Default: `hablare`. For example, `narrator/2.1`.
    public var userAgent: String
    /// The time for which the transport still receives the remaining bytes of an abandoned answer, so that the
    /// connection can be reused. A test may increase this time for a busy machine.
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
