public import HablareProviders

/// The settings of a transport over the system's `URLSession`.
///
/// ```swift
/// let transport = try URLSessionTransport(
///     URLSessionSettings(idleTimeout: .seconds(600), userAgent: "narrator/2.1"))
/// ```
public struct URLSessionSettings: Sendable, Hashable {
    /// The maximum time in which a server neither receives nor sends anything, from the call's beginning (the
    /// connection included) to the answer's end. `HTTPCall.idleTimeout` takes precedence. Time in
    /// which the answer's reader requests nothing does not count. Default: 120 seconds. For example, `.seconds(600)`
    /// for models that think for minutes before they answer.
    public var idleTimeout: Duration
    /// The proxies. Default: `nil`, for those of the system; where the system has no such settings, as on Linux, for
    /// those of the process's environment (`https_proxy`). Rules of your own work on Apple platforms only; elsewhere
    /// ``URLSessionTransport/init(_:)`` refuses them.
    public var proxies: ProxyRules?
    /// The maximum number of connections to one host. Default: 512. At least 1; less counts as 1. For example, 16 for a
    /// local server.
    public var connectionsPerHost: Int
    /// The maximum number of bytes of an answer that wait for a slow reader. Default: 64 MiB. At least 64 KiB; less
    /// counts as that. For example, `1 << 30` for films.
    ///
    /// On Apple platforms the server is made to wait when 64 KiB are unread, so that the limit is not reached.
    /// Elsewhere `URLSession` cannot make a server wait: an answer of which more is unread fails.
    public var mostUnread: Int
    /// The user agent of calls that do not set their own. Default: `hablare`. For example, `narrator/2.1`.
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
