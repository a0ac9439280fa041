import ArgumentParser
import Hablare

struct EngineOptions: ParsableArguments {
    /// The maximum duration of a program's attempt if no other is set.
    static let defaultTimeout = Duration.seconds(120)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            How many calls of one provider this process makes at once. Default: of programs the number of processors, \
            of services what their settings say.
            """, valueName: "n"))
    var concurrency: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            How long one attempt may take before it is ended. Default: of programs 120, of services what their \
            settings say.
            """, valueName: "seconds"))
    var timeout: Double?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How many attempts are made before a failure is final, where trying again can help at all.",
            valueName: "n"))
    var attempts = RetryPolicy().maximumAttempts

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            The most calls a minute to each provider, by all processes on the store together. Default: of \
            services what their settings say, else no limit.
            """, valueName: "n"))
    var rate: Double?

    @OptionGroup var prices: PriceOptions

    func validate() throws {
        try checkNumber("--concurrency", concurrency, in: 1...1_000)
        try Self.check(timeout: timeout)
        try checkNumber("--attempts", attempts, in: Self.mostAttempts)
        if let rate, !rate.isFinite || rate <= 0 {
            throw ValidationError("--rate is \(rate). Give calls a minute, more than 0, or leave it out for no limit.")
        }
    }

    static let mostAttempts = 1...100

    static func check(timeout: Double?) throws {
        guard let timeout else { return }
        guard timeout >= 0.001, timeout <= 7 * 24 * 3600 else {
            throw ValidationError("--timeout is \(timeout). Give seconds, more than 0 and at most a week (604800).")
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

/// Throws if a number is outside the range of its option. An omitted number passes.
func checkNumber(_ option: String, _ number: Int?, in range: ClosedRange<Int>) throws {
    guard let number, !range.contains(number) else { return }
    throw ValidationError("\(option) is \(number). Give a number from \(range.lowerBound) to \(range.upperBound).")
}
