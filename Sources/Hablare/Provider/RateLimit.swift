/// The number of calls and units per minute that a provider account allows, for all processes on a store together.
///
/// A token bucket enforces the limit. In any period, the calls use at most the ``burst`` plus the amount that is
/// refilled in this period. They may also use the amount of one additional second, because a process may reserve
/// permits before it uses them. The bucket is in the store, so all processes share it, and a restart does not fill it.
///
/// ```swift
/// let limit = RateLimit(requestsPerMinute: 120, unitsPerMinute: 40_000, burst: 0.25)
/// ```
public struct RateLimit: Sendable, Hashable {
    /// The number of calls per minute. `nil`: no limit, unless the provider reports a limit. More than 0. Default
    /// 60. For example, 120 for two calls a second.
    public var requestsPerMinute: Double?
    /// The number of units per minute, such as tokens or characters (see ``AIServiceProvider/units(of:)``). `nil`: no
    /// limit, unless the provider reports a limit. More than 0. Default `nil`. For example, 40,000 for an account that
    /// may send 40,000 tokens a minute.
    public var unitsPerMinute: Double?
    /// The fraction of the limit per minute that may be used at once after an idle period, from 0 to 1. At least one
    /// call may always start at once. Default 0.1: the calls of six seconds may start at once. For example, 0.5 if the
    /// calls of half a minute may start at once, or 0 to space all calls evenly.
    public var burst: Double
    /// Whether the limit is an estimate. If it is, a higher limit that the provider reports replaces it. A lower limit
    /// that the provider reports always replaces it. Default `false`. For example, `true` if you do not know the
    /// account's plan.
    public var isEstimate: Bool

    /// Creates a limit. The default, 60 calls per minute, is for a web service whose limit is not known.
    public init(
        requestsPerMinute: Double? = 60, unitsPerMinute: Double? = nil, burst: Double = 0.1, isEstimate: Bool = false
    ) {
        self.requestsPerMinute = requestsPerMinute
        self.unitsPerMinute = unitsPerMinute
        self.burst = burst
        self.isEstimate = isEstimate
    }

    /// The limit of a new account at OpenAI: 500 calls per minute, until OpenAI's headers report another limit.
    public static let openAI = RateLimit(requestsPerMinute: 500, isEstimate: true)
    /// The limit of a new account at Anthropic: 50 calls per minute, until Anthropic's headers report another limit.
    public static let anthropic = RateLimit(requestsPerMinute: 50, isEstimate: true)
    /// 300 calls per minute, for ElevenLabs.
    public static let elevenLabs = RateLimit(requestsPerMinute: 300, isEstimate: true)

    /// Only the limits that the provider reports. Use it for a service whose limits are not known. The process that
    /// made a call applies reported pauses and rates at once. Other processes on the store apply them within a second.
    /// If ``ProviderLimits/rate`` is `nil` instead, processes apply reported pauses, but not reported rates.
    public static let asReported = RateLimit(requestsPerMinute: nil, isEstimate: true)

    /// Whether every number is valid for a token bucket.
    var isValid: Bool {
        let rates = [requestsPerMinute, unitsPerMinute].compactMap(\.self)
        return rates.allSatisfy { $0.isFinite && $0 > 0 } && burst.isFinite && (0...1).contains(burst)
    }
}

/// The name of an account at a service. Providers that use the same key of the same service share the account and its
/// limits.
///
/// Never use the key itself as the name, because the name is stored and shown.
public struct AccountID: Sendable, Hashable, Comparable, Codable, RawRepresentable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The name.
    public let rawValue: String
    /// Creates an id.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates an id from a literal.
    public init(stringLiteral value: String) { self.init(rawValue: value) }
    /// The name.
    public var description: String { rawValue }
    /// Returns whether one name precedes another.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// The limits that a provider reports in an answer or a refusal. A limit that it does not report is `nil`.
public struct ReportedLimits: Sendable, Hashable {
    /// The state of one limited quantity.
    public struct Quota: Sendable, Hashable {
        /// The amount per minute.
        public var perMinute: Double?
        /// The amount left now.
        public var remaining: Double?
        /// The time from now until the quota is full again.
        public var resetsAfter: Duration?

        /// Creates a quota.
        public init(perMinute: Double? = nil, remaining: Double? = nil, resetsAfter: Duration? = nil) {
            self.perMinute = perMinute
            self.remaining = remaining
            self.resetsAfter = resetsAfter
        }
    }

    /// The quota of calls.
    public var requests: Quota?
    /// The quota of units.
    public var units: Quota?
    /// The maximum number of concurrent calls. If it is smaller than the provider's ``ProviderLimits/concurrency``, it
    /// applies after the end of the call. It applies only in the process that made the call, and only to the provider
    /// of the call. A greater number restores ``ProviderLimits/concurrency``.
    public var concurrency: Int?

    /// Creates a report.
    public init(requests: Quota? = nil, units: Quota? = nil, concurrency: Int? = nil) {
        self.requests = requests
        self.units = units
        self.concurrency = concurrency
    }

    /// The limits that apply to the account, for the store. `nil` if there are none.
    var ofAccount: ReportedLimits? {
        requests == nil && units == nil ? nil : ReportedLimits(requests: requests, units: units)
    }

    /// Returns the same limits with their waits shortened to a maximum.
    func pausing(atMost longest: Duration) -> ReportedLimits {
        var limits = self
        if let reset = requests?.resetsAfter { limits.requests?.resetsAfter = min(reset, longest) }
        if let reset = units?.resetsAfter { limits.units?.resetsAfter = min(reset, longest) }
        return limits
    }

    /// The time during which no call can be sent, because a quota is used up.
    var pause: Duration? {
        [requests, units].compactMap(\.self).compactMap { quota -> Duration? in
            guard let remaining = quota.remaining, remaining < 1, let reset = quota.resetsAfter, reset > .zero else {
                return nil
            }
            return reset
        }.max()
    }
}

/// The limits of calls to a provider.
///
/// ```swift
/// let limits = ProviderLimits(
///     concurrency: 8, attemptTimeout: .seconds(120), maximumCharacters: 10_000,
///     rate: RateLimit(requestsPerMinute: 300), breaker: BreakerPolicy(threshold: 3))
/// ```
public struct ProviderLimits: Sendable, Hashable {
    /// The maximum number of concurrent calls in one process, at least 1. Default 4. For example, 1 for a local model
    /// that fills the memory.
    ///
    /// The limit applies to each process separately: three processes on one store may have three times as many calls in
    /// flight. To limit all processes together, use ``rate``.
    public var concurrency: Int
    /// The timeout of one attempt, unless the request sets one. More than 0. `nil`, the default: the engine's default.
    /// For example, `.seconds(600)` for a reasoning model.
    public var attemptTimeout: Duration?
    /// The maximum length of a prompt, in Unicode scalars of its plain text. `nil`, the default: no limit. `submit`
    /// refuses a longer prompt with ``AIServiceError/Code/invalidRequest``. At least 1. For example, 4,096 for a speech
    /// service that refuses longer texts.
    public var maximumCharacters: Int?
    /// The rate limit of the provider's account, for all processes on a store together. `nil`, the default: no limit,
    /// which suits a local program. If the provider asks for a pause with ``AIServiceError/Code/rateLimited``, all
    /// processes keep the pause, even without a rate limit. See ``EngineConfiguration/longestPause``. For example,
    /// `RateLimit(requestsPerMinute: 300)`, or `.asReported` for a service whose limits are not known.
    public var rate: RateLimit?
    /// The rules for pausing the provider while it fails. `nil`, the default: ``EngineConfiguration/breaker`` applies.
    /// For a program on this machine, whose failures come from its input, use ``BreakerPolicy/never``. For example,
    /// `BreakerPolicy(pause: .seconds(60))` for a service whose outages are long.
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
