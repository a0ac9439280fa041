public import HablareProviders

/// The settings of a transport over the system's `URLSession`.
///
/// ```swift
/// let transport = try URLSessionTransport(
///     URLSessionSettings(idleTimeout: .seconds(600), userAgent: "narrator/2.1"))
/// ```
public struct URLSessionSettings: Sendable, Hashable {
    /// The idle timeout: the maximum time in which no data is sent or received. Default: 120 seconds. For example, use
    /// `.seconds(600)` for models that think for minutes before they answer.
    ///
    /// The timeout applies from the beginning of the connection to the end of the answer. `HTTPCall.idleTimeout` takes
    /// precedence. The time in which the reader of the answer requests no data does not count.
    public var idleTimeout: Duration
    /// The rules for proxies. Default: `nil`, for the system's proxy settings.
    ///
    /// If a system has no proxy settings, such as Linux, the default is the process's environment (`https_proxy`).
    /// Custom rules work only on Apple platforms. On other platforms, ``URLSessionTransport/init(_:)`` throws an error
    /// for them.
    public var proxies: ProxyRules?
    /// The maximum number of connections to one host. A number below 1 counts as 1. Default: 512. For example, use 16
    /// for a local server.
    public var connectionsPerHost: Int
    /// The maximum number of bytes of an answer that wait for a slow reader. A number below 64 KiB counts as 64 KiB.
    /// Default: 64 MiB. For example, use `1 << 30` for films.
    ///
    /// On Apple platforms, the transport makes the server wait when 64 KiB are unread, so the limit is not reached. On
    /// other platforms, `URLSession` cannot make a server wait. An answer that exceeds the limit then fails.
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
