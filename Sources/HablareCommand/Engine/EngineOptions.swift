import ArgumentParser

/// How the engine is run.
struct EngineOptions: ParsableArguments {
    static let defaultTimeout = 120.0

    @Option(
        name: .long,
        help: ArgumentHelp("How many programs run at once. Default: the number of processors.", valueName: "n"))
    var concurrency: Int?

    @Option(
        name: .long,
        help: ArgumentHelp("How long one segment may take before it counts as failed.", valueName: "seconds"))
    var timeout = defaultTimeout

    func validate() throws {
        if let concurrency, !(1...1_000).contains(concurrency) {
            throw ValidationError("--concurrency is \(concurrency). Give a number from 1 to 1000.")
        }
        guard timeout >= 0.001, timeout <= 7 * 24 * 3600 else {
            throw ValidationError("--timeout is \(timeout). Give seconds, more than 0 and at most a week (604800).")
        }
    }

    /// The limits for every provider.
    func limits(in composition: Composition) -> Composition.CallLimits {
        Composition.CallLimits(
            concurrency: concurrency ?? max(1, composition.processorCount), timeout: .seconds(timeout))
    }
}
