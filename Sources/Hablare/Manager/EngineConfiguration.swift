/// The options of an engine, the part of Hablare that calls providers. Every option has a default that suits an app.
///
/// ``EngineService`` checks the options when it starts. If an option is out of range, it throws
/// ``AIServiceError/Code/invalidConfiguration``.
///
/// ```swift
/// let configuration = EngineConfiguration(
///     attemptTimeout: .seconds(120),
///     retry: RetryPolicy(maximumAttempts: 5),
///     suspendsRefusingAccounts: true,
///     budgets: [Budget("month", microDollars: 20_000_000)],
///     retention: Retention(maximumAge: 30 * 86_400))
/// let manager = AIRequestManager(store: store, providers: providers, configuration: configuration)
/// ```
public struct EngineConfiguration: Sendable, Hashable {
    /// The requests that this process takes from the store and executes. Default ``ClaimScope/everything``. For
    /// example, a command that narrates one book uses `.job(key)`. It then does not execute the other requests in the
    /// store, and you do not pay for them.
    public var scope: ClaimScope
    /// The timeout of one attempt. If the request or its provider has a timeout of its own, that timeout applies
    /// instead. More than 0. Default 30 s. For example, `.seconds(120)` for providers that answer slowly.
    public var attemptTimeout: Duration
    /// The time that a provider may take to return after its call was cancelled or timed out, 0 or more. After this
    /// time, the engine uses the slot of the call for the next request, even if the call has not returned. Default 5 s.
    /// For example, `.seconds(1)` if a new request should start soon after a cancelled request, or `.seconds(30)` for
    /// providers that clean up slowly.
    public var cancellationGrace: Duration
    /// The time that attempts in flight may continue after shutdown begins, 0 or more. Default 10 s. For example,
    /// `.seconds(25)` on a server that is killed 30 seconds after the signal, or `.zero` to stop attempts at once.
    public var shutdownGrace: Duration
    /// The interval at which the process renews its registration and looks for dead processes. More than 0. Default 5
    /// s. For example, `.seconds(1)` to notice sooner that another process has died.
    public var renewalInterval: Duration
    /// The time for which a process on another host counts as alive after it last renewed its registration. It applies
    /// because a process cannot inspect a lock on another host. It must be longer than ``renewalInterval``. The clocks
    /// of hosts that share a store must differ by less than this time minus ``renewalInterval``. Otherwise one host may
    /// assume that a living process on the other host is dead, and start its attempts again. Default 30 s. For example,
    /// `.seconds(120)` for hosts whose clocks differ by up to a minute.
    public var leaseDuration: Duration
    /// The rules for retrying a failed attempt. Default: at most three attempts; see ``RetryPolicy``. For example,
    /// `RetryPolicy(maximumAttempts: 5)`, or `.never`.
    public var retry: RetryPolicy
    /// The rules for pausing a failing provider, if the provider's ``ProviderLimits/breaker`` is `nil`. Default: a
    /// pause after five failures in a row; see ``BreakerPolicy``. For example,
    /// `BreakerPolicy(threshold: 3, pause: .seconds(30))`, or `.never`.
    public var breaker: BreakerPolicy
    /// Whether this process suspends an account that refuses a call because of a wrong key (`unauthorized`) or lack of
    /// credit (`quotaExceeded`). These two errors would occur for every call. While the account is suspended, the
    /// process sends it no calls. ``AIRequestManager/resume(_:)`` ends the suspension. Requests that wait for the
    /// account's providers stay in the store, where other processes may take them. Calls in flight continue. With
    /// `false`, the default, each request is sent, and fails with the refusal. For example, set `true` for an overnight
    /// batch. If the key is wrong, only the calls in flight fail, and the remaining requests wait.
    public var suspendsRefusingAccounts: Bool
    /// The maximum pause of an account after its provider refuses a call with ``AIServiceError/Code/rateLimited``. A
    /// pause begins if the provider asks the client to wait, or reports that the limit of calls or of units (such as
    /// tokens) is used up. The pause applies to all processes on the store. During the pause, requests wait with the
    /// reason ``RequestSnapshot/WaitReason/rateLimited(until:)``. ``AIRequestManager/resume(_:)`` lifts the pause. 0 or
    /// more, at most a day. Default 15 min. For example, `.seconds(3600)` for a service that asks for pauses of up to
    /// an hour.
    public var longestPause: Duration
    /// The prices from which the engine computes the cost of a call, if the provider does not report the cost. Default
    /// ``PriceTable/shipped``. For example,
    /// `try PriceTable([PriceEntry(provider: "narrator", unit: .character, microDollarsPerMillion: 15_000_000)])` for a
    /// service whose price you enter yourself.
    public var prices: PriceTable
    /// The limits on spending. Default: none. For example, `[Budget("month", microDollars: 20_000_000)]` for 20 dollars
    /// a month.
    public var budgets: [Budget]
    /// The rules for keeping responses. Default: the newest 10,000 responses of the last 7 days, up to 1 GiB; see
    /// ``Retention``. For example, `Retention(maximumAge: 86_400)` for a day.
    public var retention: Retention
    /// The limits on the number, size and age of the answers in the cache. Default: 10,000 answers, up to 256 MiB, for
    /// an hour; see ``CacheLimits``. For example, `CacheLimits(timeToLive: 86_400)` for a day.
    public var cache: CacheLimits
    /// The interval at which the process evicts responses that ``retention`` does not keep. At the first interval, and
    /// then once an hour, the process also removes content files that no row refers to. More than 0. Default 5 min. For
    /// example, `.seconds(30)` if ``retention`` keeps little and responses arrive fast.
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
            throw AIServiceError(.invalidConfiguration, "`\(name)` is not positive. Set it to a time above zero.")
        }
        let natural: [(String, Duration)] = [
            ("cancellationGrace", cancellationGrace), ("shutdownGrace", shutdownGrace),
            ("longestPause", longestPause),
            ("retry.baseDelay", retry.baseDelay),
            ("retry.maximumDelay", retry.maximumDelay),
            ("retry.maximumElapsed", retry.maximumElapsed),
        ]
        for (name, value) in natural where value < .zero {
            throw AIServiceError(.invalidConfiguration, "`\(name)` is negative. Set it to zero or more.")
        }
        try breaker.check("`breaker`")
        try Budget.check(budgets, of: registry)
        try retention.check()
        try cache.check()
        guard retry.maximumAttempts >= 1 else {
            throw AIServiceError(.invalidConfiguration, "`retry.maximumAttempts` is less than 1. Set it to 1 or more.")
        }
        guard leaseDuration > renewalInterval else {
            throw AIServiceError(
                .invalidConfiguration,
                "`leaseDuration` is not longer than `renewalInterval`, so leases would end before they are renewed. Set a longer lease duration."
            )
        }
    }
}
