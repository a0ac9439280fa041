/// How calls go over the network.
public struct NetworkSettings: Sendable, Hashable {
    /// How long a connection may take to come about: the host's address, the connection itself, a proxy's and the secure
    /// connection's greetings, and the wait for one of ``connectionsPerHost``. Default: 10 seconds.
    public var connectTimeout: Duration
    /// How long a server may neither take nor say anything, from the beginning of a call to the end of its answer.
    /// ``HTTPCall/idleTimeout`` wins. Time in which the answer's reader asks for nothing does not count. Default: 120
    /// seconds.
    public var idleTimeout: Duration
    /// How long an idle connection is kept for the next call. Default: 30 seconds.
    ///
    /// A server that closes an idle connection at the moment in which a call is sent on it leaves nobody knowing whether it
    /// arrived, so this should be shorter than the server's own time.
    public var keepAlive: Duration
    /// The file of certificates (PEM) of further authorities to trust, beside those of the system; `nil`, the default, for
    /// none.
    public var authoritiesPath: String?
    /// Which calls go through which proxy. Default: none.
    public var proxies: ProxyRules
    /// The most connections to one host over HTTP/1.1; over HTTP/2 one connection has all calls. Default: 512.
    ///
    /// It must not be less than all lanes to a host have in flight together: a call that waits for a connection for longer
    /// than ``connectTimeout`` fails.
    public var connectionsPerHost: Int
    /// What calls say of the program that makes them, unless they say it themselves. Default: `hablare`.
    public var userAgent: String
    /// How long the rest of an answer that nobody reads on is still taken, so that its connection can be used again. A test
    /// gives it more time than a busy machine needs.
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
