import ArgumentParser
import Foundation
import Hablare

/// The provider of the requests of a job, for `narrate`, `speak`, `image` and `embed`. A job is a group of requests
/// that the same command finds again.
struct AskedProvider: Sendable {
    let installed: InstalledProvider
    let prices: PriceTable
    private let options: JobOptions
    private let asksNobody: Bool
    private let directory: ProviderDirectory

    /// - Parameters:
    ///   - program: The content type that a program must answer with, as `programs.json` spells it.
    ///   - asksNobody: Whether the command only shows what it would do. A service then needs no key and no network.
    init(
        _ asked: ServiceOptions, _ options: JobOptions, for use: ProviderUse, making type: ContentType, program: String,
        asksNobody: Bool = false, in composition: Composition
    ) async throws {
        let limits = try options.engine.limits(in: composition)
        let asked = try await asked.choosing(
            for: use, answering: type, data: options.data, quiet: options.quiet, in: composition)
        let (settings, name) = try asked.applied(to: options.data, for: use, in: composition)
        self.options = options
        self.asksNobody = asksNobody
        prices = limits.prices
        directory = try ProviderDirectory(settings, limits, asksNobody: asksNobody, in: composition)
        installed = try directory.provider(name, for: use, answering: type, program: program)
        guard installed.provider.responseType == type else {
            throw CommandFailure(
                .usage,
                "Provider \(installed.name) \(Self.lack(of: type, for: use)). Choose another with --provider.")
        }
    }

    private static func lack(of type: ContentType, for use: ProviderUse) -> String {
        if use == .transcribe { return "does not transcribe" }
        return switch type {
        case .audio: "does not speak"
        case .image: "makes no pictures"
        case .embedding: "makes no vectors"
        default: "does not answer with \(type.rawValue)"
        }
    }

    var settings: Settings { directory.settings }

    /// Whether only local facts about a service are used: not its key, its network or its voices.
    var isUnasked: Bool { asksNobody && installed.service != nil }

    /// Makes all checks that are possible before anything is sent, and opens the network.
    func open(for request: AIRequest) async throws {
        try installed.check(request)
        guard !isUnasked else { return }
        if let problem = await installed.health().problem { throw problem }
        try directory.openNetwork(for: [installed])
    }

    /// Runs a job until it ends or a signal arrives. Reports missing answers and how to continue.
    ///
    /// - Parameters:
    ///   - consequence: The consequence of missing answers, which follows a comma in the report.
    ///   - seconds: Returns the length of an answer's audio; `nil` if answers are not audio.
    func run<Value: Sendable>(
        _ work: JobWork, _ streams: SameCommand.Streams, in composition: Composition, consequence: String,
        seconds: (@Sendable (AIResponseData) async -> Double)? = nil,
        finish: @escaping @Sendable (StoreSession, _ ids: [UUID], _ gaps: [JobGap]) async throws -> Value,
        report: @escaping @Sendable (JobEnd<Value>) async throws -> Void
    ) async throws -> CommandStatus {
        try await JobSession(
            providers: [installed], retry: options.engine.retry(of: [installed]), prices: prices, settings: settings,
            data: options.data, isQuiet: options.quiet, composition: composition
        ).run(work, streams, consequence: consequence, seconds: seconds, finish: finish, report: report)
    }
}

struct JobOptions: ParsableArguments {
    @OptionGroup var engine: EngineOptions

    @Option(
        help: ArgumentHelp(
            """
            What to do if a call's outcome is unknown and the call may have been billed: call again, or hold the \
            request for your decision. The choice is stored with each new request.
            """, valueName: "action"))
    var ifInterrupted = InterruptionOption.runAgain

    @Flag(help: "Print only the requested output and errors.")
    var quiet = false

    @OptionGroup var data: DataOptions
}
