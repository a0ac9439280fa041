/// How much may be asked of a provider.
public struct ProviderLimits: Sendable, Hashable {
    /// How many calls may run at once in one process, at least 1. Default 4.
    ///
    /// It is kept by each process for itself: three processes on one store may have three times as many under way. What
    /// all of them together may ask is ``rate``.
    public var concurrency: Int
    /// How long one attempt may take unless the request says otherwise. `nil`: the engine's default.
    public var attemptTimeout: Duration?
    /// The longest prompt it takes, in Unicode scalars of its plain text. `nil`: no limit. A longer one is refused at
    /// submission as ``AIServiceError/Code/invalidRequest``.
    public var maximumCharacters: Int?
    /// How much may be asked a minute of the provider's account, by all processes on a store together. `nil`, the
    /// default: any number of calls, as suits a local program. A pause that the provider asks for, with
    /// ``AIServiceError/Code/rateLimited``, is kept in any case, by all of them: see ``EngineConfiguration/longestPause``.
    public var rate: RateLimit?
    /// When it is left alone because it fails. `nil`, the default: as ``EngineConfiguration/breaker`` says. A program
    /// on this machine, whose failures are its input's, is best served by ``BreakerPolicy/never``.
    public var breaker: BreakerPolicy?

    /// Creates limits.
    public init(
        concurrency: Int = 4, attemptTimeout: Duration? = nil, maximumCharacters: Int? = nil, rate: RateLimit? = nil,
        breaker: BreakerPolicy? = nil
    ) {
        self.concurrency = concurrency
        self.attemptTimeout = attemptTimeout
        self.maximumCharacters = maximumCharacters
        self.rate = rate
        self.breaker = breaker
    }
}
