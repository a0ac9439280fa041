/// How an engine behaves. Every option has a default that suits an app.
public struct EngineConfiguration: Sendable, Hashable {
    /// What this process is there for. Default ``ClaimScope/everything``.
    public var scope: ClaimScope
    /// How long one attempt may take where neither request nor provider says. Default 30 s.
    public var attemptTimeout: Duration
    /// How long a provider may take to come back once its call was cancelled or timed out. After that its place among
    /// the calls under way is given to the next request. Default 5 s.
    public var cancellationGrace: Duration
    /// How long attempts may go on once the engine is told to shut down. Default 10 s.
    public var shutdownGrace: Duration
    /// How often the process says that it lives, and looks for dead ones. Default 5 s.
    public var renewalInterval: Duration
    /// How long a process counts as living after it last said so, if its lock cannot be looked at: it is on another host.
    /// The clocks of hosts that share a store must then agree to within this less ``renewalInterval``, or one takes the
    /// other for dead while it lives, and ends its attempts. Default 30 s.
    public var leaseDuration: Duration
    /// When a failed attempt is followed by another one.
    public var retry: RetryPolicy
    /// When a provider that fails is left alone, where ``ProviderLimits/breaker`` does not say.
    public var breaker: BreakerPolicy
    /// Whether an account that refuses a call as it would refuse every other, for a wrong key or for lack of credit
    /// (`unauthorized`, `quotaExceeded`), is suspended: this process calls it no more until
    /// ``AIRequestManager/resume(_:)``, and what waits for its providers stays in the store, where other processes may
    /// take it. Calls under way go on. Default `false`: each request is sent, and fails with the refusal.
    public var suspendsRefusingAccounts: Bool
    /// For how long an account is paused at most when its provider refuses a call with a limit of calls or units
    /// (``AIServiceError/Code/rateLimited``) and asks for some time, or says that a limit is used up. All processes on the
    /// store keep the pause, their requests say ``RequestSnapshot/WaitReason/rateLimited(until:)``, and
    /// ``AIRequestManager/resume(_:)`` lifts it. 0 or more, at most a day. Default 15 min.
    public var longestPause: Duration
    /// What calls cost, where the provider does not say. Default ``PriceTable/shipped``.
    public var prices: PriceTable
    /// What may be spent. Default: as much as requests ask for.
    public var budgets: [Budget]
    /// How long responses are kept.
    public var retention: Retention
    /// How long and how many answers later requests for the same work find.
    public var cache: CacheLimits
    /// How often the process gives up responses past ``retention``. The first time, and then when an hour has passed, it
    /// also removes content files that nobody refers to. Default 5 min.
    public var pruneInterval: Duration

    /// Creates a configuration.
    public init(
        scope: ClaimScope = .everything,
        attemptTimeout: Duration = .seconds(30),
        cancellationGrace: Duration = .seconds(5),
        shutdownGrace: Duration = .seconds(10),
        renewalInterval: Duration = .seconds(5),
        leaseDuration: Duration = .seconds(30),
        retry: RetryPolicy = RetryPolicy(),
        breaker: BreakerPolicy = BreakerPolicy(),
        suspendsRefusingAccounts: Bool = false,
        longestPause: Duration = .seconds(900),
        prices: PriceTable = .shipped,
        budgets: [Budget] = [],
        retention: Retention = Retention(),
        cache: CacheLimits = CacheLimits(),
        pruneInterval: Duration = .seconds(300)
    ) {
        self.scope = scope
        self.attemptTimeout = attemptTimeout
        self.cancellationGrace = cancellationGrace
        self.shutdownGrace = shutdownGrace
        self.renewalInterval = renewalInterval
        self.leaseDuration = leaseDuration
        self.retry = retry
        self.breaker = breaker
        self.suspendsRefusingAccounts = suspendsRefusingAccounts
        self.longestPause = longestPause
        self.prices = prices
        self.budgets = budgets
        self.retention = retention
        self.cache = cache
        self.pruneInterval = pruneInterval
    }

    func check(with registry: ProviderRegistry) throws(AIServiceError) {
        let positive: [(String, Duration)] = [
            ("attemptTimeout", attemptTimeout), ("renewalInterval", renewalInterval), ("leaseDuration", leaseDuration),
            ("pruneInterval", pruneInterval),
        ]
        for (name, value) in positive where value <= .zero {
            throw AIServiceError(.invalidConfiguration, "`\(name)` is not positive. Give it some time.")
        }
        let natural: [(String, Duration)] = [
            ("cancellationGrace", cancellationGrace), ("shutdownGrace", shutdownGrace),
            ("longestPause", longestPause),
            ("retry.baseDelay", retry.baseDelay),
            ("retry.maximumDelay", retry.maximumDelay),
            ("retry.maximumElapsed", retry.maximumElapsed),
        ]
        for (name, value) in natural where value < .zero {
            throw AIServiceError(.invalidConfiguration, "`\(name)` is negative. Give it zero or more.")
        }
        try breaker.check("`breaker`")
        try Budget.check(budgets, of: registry)
        try retention.check()
        try cache.check()
        guard retry.maximumAttempts >= 1 else {
            throw AIServiceError(.invalidConfiguration, "`retry.maximumAttempts` is less than 1. Give it 1 or more.")
        }
        guard leaseDuration > renewalInterval else {
            throw AIServiceError(
                .invalidConfiguration,
                "`leaseDuration` is not longer than `renewalInterval`, so leases would run out before they are renewed."
            )
        }
    }
}
