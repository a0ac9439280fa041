import ArgumentParser

/// What the commands share that have a job's requests made: `narrate`, `speak`, `image`, `embed`.
struct JobOptions: ParsableArguments {
    @OptionGroup var engine: EngineOptions

    @Option(
        name: .long,
        help: ArgumentHelp(
            """
            What to do when nobody knows whether an attempt was carried out, and billed. Kept with the requests when \
            they are stored.
            """
        ))
    var ifInterrupted = InterruptionOption.runAgain

    @Flag(name: .long, help: "Print nothing but errors, and what is asked for.")
    var quiet = false

    @OptionGroup var data: DataOptions
}
