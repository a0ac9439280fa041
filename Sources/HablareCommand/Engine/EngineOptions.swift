import ArgumentParser
import Hablare

struct EngineOptions: ParsableArguments {
    /// The maximum duration of a program's attempt if the user sets no other.
    static let defaultTimeout = Duration.seconds(120)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            The maximum number of calls to each provider that this process makes at the same time. Default: for a \
            service, services.NAME.concurrency in the settings. For a program, the number of processors.
            """, valueName: "n"))
    var concurrency: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            End an attempt after this time. Default: for a service, services.NAME.timeout in the settings. For a \
            program, 120.
            """, valueName: "seconds"))
    var timeout: Double?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The maximum number of attempts. Only temporary failures are retried.",
            valueName: "n"))
    var attempts = RetryPolicy().maximumAttempts

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            The maximum number of calls a minute to each provider. All processes on the store together keep this \
            limit. Default: for a service, services.NAME.rate in the settings. For a program, no limit.
            """, valueName: "n"))
    var rate: Double?

    @OptionGroup var prices: PriceOptions

    func validate() throws {
        try checkNumber("--concurrency", concurrency, in: 1...1_000)
        try Self.check(timeout: timeout)
        try checkNumber("--attempts", attempts, in: Self.mostAttempts)
        if let rate, !rate.isFinite || rate <= 0 {
            throw ValidationError(
                """
                --rate is \(rate). Give a number of calls a minute above 0, or leave it out for no limit.
                """)
        }
    }

    static let mostAttempts = 1...100

    static func check(timeout: Double?) throws {
        guard let timeout else { return }
        guard timeout >= 0.001, timeout <= 7 * 24 * 3600 else {
            throw ValidationError(
                """
                --timeout is \(timeout). Give a number of seconds above 0 and at most 604800 (a week).
                """)
        }
    }

    func limits(in composition: Composition) throws -> Composition.CallLimits {
        Composition.CallLimits(
            concurrency: concurrency, timeout: timeout.map { .seconds($0) }, rate: rate,
            prices: try prices.table(in: composition))
    }

    func retry(of providers: [InstalledProvider]) -> RetryPolicy {
        Self.retry(attempts: attempts, timeout: timeout.map { .seconds($0) }, of: providers)
    }

    static func retry(attempts: Int, timeout: Duration?, of providers: [InstalledProvider]) -> RetryPolicy {
        let longest = timeout ?? providers.compactMap(\.provider.limits.attemptTimeout).max() ?? defaultTimeout
        var policy = RetryPolicy(maximumAttempts: attempts)
        // A user who asks for many long attempts wants all of them, so the bound on their total must not cut off the
        // last ones.
        policy.maximumElapsed = max(policy.maximumElapsed, (longest + policy.maximumDelay) * attempts)
        return policy
    }
}

/// Throws an error if a number is outside the range of its option. A missing number is accepted.
func checkNumber(_ option: String, _ number: Int?, in range: ClosedRange<Int>) throws {
    guard let number, !range.contains(number) else { return }
    throw ValidationError("\(option) is \(number). Give a number from \(range.lowerBound) to \(range.upperBound).")
}
