import ArgumentParser
import Hablare

/// The provider that a command has a job's requests made by: what `narrate`, `speak`, `image` and `embed` do before
/// anything is asked.
struct AskedProvider: Sendable {
    let installed: InstalledProvider
    let address: RequestAddress
    let prices: PriceTable
    private let options: JobOptions
    private let asksNobody: Bool
    private let directory: ProviderDirectory

    /// Finds out who is asked, and on what terms.
    ///
    /// - Parameters:
    ///   - program: What a program would have to answer with, as `programs.json` has it.
    ///   - asksNobody: Whether it is only looked what would be asked: then a service needs neither key nor network.
    init(
        _ asked: ServiceOptions, _ options: JobOptions, for use: ProviderUse, making type: ContentType, program: String,
        asksNobody: Bool = false, in composition: Composition
    ) throws {
        let limits = try options.engine.limits(in: composition)
        let (settings, name) = try asked.applied(to: options.data, for: use, in: composition)
        self.options = options
        self.asksNobody = asksNobody
        prices = limits.prices
        directory = try ProviderDirectory(settings, limits, asksNobody: asksNobody, in: composition)
        installed = try directory.provider(name, for: use, answering: type, program: program)
        address = ServiceOptions.address(of: installed)
        guard installed.provider.responseType == type else {
            throw CommandFailure(
                .usage,
                "The provider \(installed.name) \(Self.lack(of: type)). Choose another with --provider.")
        }
    }

    private static func lack(of type: ContentType) -> String {
        switch type {
        case .audio: "does not speak"
        case .image: "makes no pictures"
        case .embedding: "makes no vectors"
        default: "does not answer with \(type.rawValue)"
        }
    }

    var settings: Settings { directory.settings }

    /// Whether it is a service of which only what is known here is looked at: not its key, the way to it, its voices.
    var isUnasked: Bool { asksNobody && installed.service != nil }

    /// Looks at all that can be known to fail before anything is sent, and makes the way to the network.
    func open(for request: AIRequest) async throws {
        try installed.check(request)
        guard !isUnasked else { return }
        if let problem = await installed.health().problem { throw problem }
        try directory.openNetwork(for: [installed])
    }

    /// A session in which it makes a job.
    ///
    /// - Parameters:
    ///   - streams: What the command reads and prints beside the words of its line.
    ///   - seconds: How long an answer is to be heard; `nil` where answers are no sound.
    func session(
        for work: JobWork, _ streams: SameCommand.Streams,
        seconds: (@Sendable (AIResponseData) async -> Double)? = nil
    ) -> JobSession {
        JobSession(
            work: work, installed: installed, retry: options.engine.retry(of: [installed]), prices: prices,
            data: options.data, settings: settings, quiet: options.quiet, streams: streams, seconds: seconds)
    }
}

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
