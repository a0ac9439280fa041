public import HablareProviders

/// The settings of a transport over the system's `URLSession`.
///
/// ```swift
/// let transport = try URLSessionTransport(
///     URLSessionSettings(idleTimeout: .seconds(600), userAgent: "narrator/2.1"))
/// ```
public struct URLSessionSettings: Sendable, Hashable {
    /// The idle timeout: the maximum time in which no data is sent or received. It applies during the whole call,
    /// including the connection, until the end of the answer. `HTTPCall.idleTimeout` takes precedence. Time in which
    /// the answer's reader requests nothing does not count. Default: 120 seconds. For example, `.seconds(600)` for
    /// models that think for minutes before they answer.
    public var idleTimeout: Duration
    /// The rules for proxies. Default: `nil`, for the system's proxy settings. On a system without such settings, such
    /// as Linux, the default is the process's environment (`https_proxy`). Custom rules work only on Apple platforms.
    /// On other platforms, ``URLSessionTransport/init(_:)`` refuses them.
    public var proxies: ProxyRules?
    /// The maximum number of connections to one host. Default: 512. At least 1; a smaller number counts as 1. For
    /// example, 16 for a local server.
    public var connectionsPerHost: Int
    /// The maximum number of bytes of an answer that wait for a slow reader. Default: 64 MiB. At least 64 KiB; a
    /// smaller number counts as 64 KiB. For example, `1 << 30` for films.
    ///
    /// On Apple platforms, the transport makes the server wait when 64 KiB are unread, so the limit is not reached. On
    /// other platforms, `URLSession` cannot make a server wait. An answer that exceeds the limit fails.
    public var mostUnread: Int
    /// The user agent of calls that do not set a user agent. Default: `hablare`. For example, `narrator/2.1`.
    public var userAgent: String

    /// Creates settings.
    public init(
        idleTimeout: Duration = .seconds(120), proxies: ProxyRules? = nil, connectionsPerHost: Int = 512,
        mostUnread: Int = 64 << 20, userAgent: String = "hablare"
    ) {
        self.idleTimeout = idleTimeout
        self.proxies = proxies
        self.connectionsPerHost = connectionsPerHost
        self.mostUnread = mostUnread
        self.userAgent = userAgent
    }
}
