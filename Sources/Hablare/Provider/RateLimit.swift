/// The number of calls and units per minute that an account at a provider allows. The limit applies to all processes on
/// a store together.
///
/// A token bucket enforces the limit. In any period, the calls use at most the ``burst`` plus the amount that is added
/// to the bucket in this period. They may also use the amount of one more second, because a process may reserve
/// permission for calls in advance. The store contains the bucket. All processes share it, and it does not become full
/// at a restart.
///
/// ```swift
/// let limit = RateLimit(requestsPerMinute: 120, unitsPerMinute: 40_000, burst: 0.25)
/// ```
public struct RateLimit: Sendable, Hashable {
    /// The number of calls per minute. `nil` means no limit, unless the provider reports a limit. More than 0. Default
    /// 60. For example, 120 for two calls a second.
    public var requestsPerMinute: Double?
    /// The number of units per minute, such as tokens or characters (see ``AIServiceProvider/units(of:)``). `nil` means
    /// no limit, unless the provider reports a limit. More than 0. Default `nil`. For example, 40,000 for an account
    /// that may send 40,000 tokens a minute.
    public var unitsPerMinute: Double?
    /// The fraction of the limit per minute that may be used at once after an idle period, from 0 to 1. At least one
    /// call may always start at once. Default 0.1: the calls of six seconds may start at the same time. For example,
    /// 0.5 if the calls of half a minute may start at the same time, or 0 to send calls at equal intervals.
    public var burst: Double
    /// Whether the limit is an estimate. If the limit is an estimate and the provider reports a higher limit, the
    /// reported limit replaces it. A lower limit that the provider reports replaces the limit in any case. Default
    /// `false`. For example, `true` if you do not know the account's plan.
    public var isEstimate: Bool

    /// Creates a limit. The default of 60 calls per minute suits a web service whose limit is not known.
    public init(
        requestsPerMinute: Double? = 60, unitsPerMinute: Double? = nil, burst: Double = 0.1, isEstimate: Bool = false
    ) {
        self.requestsPerMinute = requestsPerMinute
        self.unitsPerMinute = unitsPerMinute
        self.burst = burst
        self.isEstimate = isEstimate
    }

    /// The limit of a new account at OpenAI: 500 calls per minute. If OpenAI's responses report another limit, the
    /// reported limit replaces it.
    public static let openAI = RateLimit(requestsPerMinute: 500, isEstimate: true)
    /// The limit of a new account at Anthropic: 50 calls per minute. If Anthropic's responses report another limit, the
    /// reported limit replaces it.
    public static let anthropic = RateLimit(requestsPerMinute: 50, isEstimate: true)
    /// 300 calls per minute, for ElevenLabs.
    public static let elevenLabs = RateLimit(requestsPerMinute: 300, isEstimate: true)

    /// A rate limit that consists only of the limits that the provider reports. Use this value for a service whose
    /// limits are not known. The process that made a call applies the reported limits and pauses at once. Other
    /// processes on the store apply them within a second. In contrast, if ``ProviderLimits/rate`` is `nil`, processes
    /// apply reported pauses, but not reported limits.
    public static let asReported = RateLimit(requestsPerMinute: nil, isEstimate: true)

    /// Whether a token bucket can use every number of the limit.
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
    /// The state of one limited quantity, such as calls or tokens.
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
    /// The quota of units, such as tokens.
    public var units: Quota?
    /// The maximum number of concurrent calls. If it is smaller than the provider's ``ProviderLimits/concurrency``, it
    /// replaces that limit when the call has ended. It affects only the process that made the call, and only the
    /// provider of the call. If a later report is greater, ``ProviderLimits/concurrency`` applies again.
    public var concurrency: Int?

    /// Creates a report of limits.
    public init(requests: Quota? = nil, units: Quota? = nil, concurrency: Int? = nil) {
        self.requests = requests
        self.units = units
        self.concurrency = concurrency
    }

    /// The limits of the account, in the form in which the store keeps them. `nil` if there are none.
    var ofAccount: ReportedLimits? {
        requests == nil && units == nil ? nil : ReportedLimits(requests: requests, units: units)
    }

    /// Returns the same limits, with waiting times of at most the given duration.
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
    /// The timeout of one attempt. A timeout of the request (``AIRequest/attemptTimeout``) overrides it. More than 0.
    /// With `nil`, the default, ``EngineConfiguration/attemptTimeout`` applies. For example, `.seconds(600)` for a
    /// reasoning model.
    public var attemptTimeout: Duration?
    /// The maximum length of a prompt, in Unicode scalars of its plain text. `nil`, the default, means no limit.
    /// `submit` refuses a longer prompt with ``AIServiceError/Code/invalidRequest``. At least 1. For example, 4,096 for
    /// a speech service that refuses longer texts.
    public var maximumCharacters: Int?
    /// The rate limit of the provider's account, for all processes on a store together. With `nil`, the default, there
    /// is no rate limit, which suits a local program. A pause that the provider asks for with
    /// ``AIServiceError/Code/rateLimited`` applies to all processes even if there is no rate limit. See
    /// ``EngineConfiguration/longestPause``. For example, `RateLimit(requestsPerMinute: 300)`, or `.asReported` for a
    /// service whose limits are not known.
    public var rate: RateLimit?
    /// The rules for pausing the provider while it fails. With `nil`, the default, ``EngineConfiguration/breaker``
    /// applies. For a program on this machine, use ``BreakerPolicy/never``, because its failures usually come from its
    /// input. For example, `BreakerPolicy(pause: .seconds(60))` for a service whose outages are long.
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
