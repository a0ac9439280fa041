/// How much a provider account may be asked for a minute, by all processes on a store together.
///
/// Kept by a token bucket: in any span of time no more is spent than ``burst`` plus what the span refills, give or
/// take the permits of a second, which a process may hold before it spends them. The bucket lives in the store, so
/// processes share it and a restart does not fill it.
public struct RateLimit: Sendable, Hashable {
    /// Calls a minute. `nil`: not limited, unless the provider reports a limit.
    public var requestsPerMinute: Double?
    /// Units (tokens, characters: what ``AIServiceProvider/units(of:)`` counts) a minute. `nil`: not limited, unless the provider
    /// reports a limit.
    public var unitsPerMinute: Double?
    /// How much of a minute's share may be spent at once after a quiet time, between 0 and 1; at least one call in any
    /// case. Default 0.1: six seconds' worth.
    public var burst: Double
    /// Whether the numbers are a guess, which a higher limit that the provider reports corrects. A lower one corrects
    /// any. Default `false`.
    public var isEstimate: Bool

    /// Creates a limit. Default: 60 calls a minute, for a web service whose limit is not known.
    public init(
        requestsPerMinute: Double? = 60, unitsPerMinute: Double? = nil, burst: Double = 0.1, isEstimate: Bool = false
    ) {
        self.requestsPerMinute = requestsPerMinute
        self.unitsPerMinute = unitsPerMinute
        self.burst = burst
        self.isEstimate = isEstimate
    }

    /// What OpenAI grants a new account: 500 calls a minute, until its headers say otherwise.
    public static let openAI = RateLimit(requestsPerMinute: 500, isEstimate: true)
    /// What Anthropic grants a new account: 50 calls a minute, until its headers say otherwise.
    public static let anthropic = RateLimit(requestsPerMinute: 50, isEstimate: true)
    /// 300 calls a minute, for ElevenLabs.
    public static let elevenLabs = RateLimit(requestsPerMinute: 300, isEstimate: true)

    /// No limit but those that the provider reports: its pauses and its rates are kept. The process that made the call keeps
    /// them at once; other processes on its store follow within a second. For a service whose limits are not known.
    /// With no limit at all (`nil` in ``ProviderLimits/rate``) pauses are kept likewise, but not the rates that it reports.
    public static let asReported = RateLimit(requestsPerMinute: nil, isEstimate: true)

    /// Whether every number is one that a bucket can be made of.
    var isValid: Bool {
        let rates = [requestsPerMinute, unitsPerMinute].compactMap(\.self)
        return rates.allSatisfy { $0.isFinite && $0 > 0 } && burst.isFinite && (0...1).contains(burst)
    }
}

/// Names an account at a provider: providers with the same key of the same service share its limits.
///
/// Never the secret itself: it is stored and shown.
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
    /// Orders by name.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// What a provider says of its limits in an answer or a refusal. Whatever it does not say is `nil`.
public struct ReportedLimits: Sendable, Hashable {
    /// One limited quantity.
    public struct Quota: Sendable, Hashable {
        /// How much a minute.
        public var perMinute: Double?
        /// How much is left now.
        public var remaining: Double?
        /// When it is full again, from now.
        public var resetsAfter: Duration?

        /// Creates a quota.
        public init(perMinute: Double? = nil, remaining: Double? = nil, resetsAfter: Duration? = nil) {
            self.perMinute = perMinute
            self.remaining = remaining
            self.resetsAfter = resetsAfter
        }
    }

    /// Calls.
    public var requests: Quota?
    /// Units.
    public var units: Quota?
    /// How many calls may run at once. A smaller number than the provider's own ``ProviderLimits/concurrency`` is kept
    /// from the end of the call on, by each process for itself and for the provider whose call it was; a greater one has
    /// that limit count again.
    public var concurrency: Int?

    /// Creates a report.
    public init(requests: Quota? = nil, units: Quota? = nil, concurrency: Int? = nil) {
        self.requests = requests
        self.units = units
        self.concurrency = concurrency
    }

    /// What of it is for the account, in the store; `nil` where that is nothing.
    var ofAccount: ReportedLimits? {
        requests == nil && units == nil ? nil : ReportedLimits(requests: requests, units: units)
    }

    /// The same, without a wait that is longer than is to be kept to.
    func pausing(atMost longest: Duration) -> ReportedLimits {
        var limits = self
        if let reset = requests?.resetsAfter { limits.requests?.resetsAfter = min(reset, longest) }
        if let reset = units?.resetsAfter { limits.units?.resetsAfter = min(reset, longest) }
        return limits
    }

    /// For how long nothing can be sent: what is used up has to be filled first.
    var pause: Duration? {
        [requests, units].compactMap(\.self).compactMap { quota -> Duration? in
            guard let remaining = quota.remaining, remaining < 1, let reset = quota.resetsAfter, reset > .zero else {
                return nil
            }
            return reset
        }.max()
    }
}

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
