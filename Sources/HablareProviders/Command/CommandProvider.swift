#if os(macOS) || os(Linux)
public import Foundation
public import Hablare

/// A local program as a provider. The program reads the prompt's text, or the prompt's recording, from its standard
/// input. It writes the answer to its standard output or to a file.
///
/// The provider uses no shell, so no text is ever run as a command. The program runs in its own session. When the
/// program ends or is cancelled, the provider kills every process left in that session. If a program leaves its session
/// (a daemon), the provider cannot end it. The program inherits the working directory, but no open file. It inherits
/// the environment without credentials: see ``CommandTemplate/environment``.
///
/// If this process is killed, a helper process ends the running programs: see ``CommandSupervisor`` and ``diagnose()``.
public struct CommandProvider: AIServiceProvider, RequestChecking {
    /// The template of the program.
    public let template: CommandTemplate
    private let plan: ArgumentPlan
    private let supervisor: CommandSupervisor
    private let catalog: VoiceCatalog
    private let searchPath: String?
    private let found: String?

    /// Creates a provider. The program need not be installed yet.
    ///
    /// - Parameters:
    ///   - template: The template of the program.
    ///   - supervisor: The supervisor that runs the program. Share one supervisor between all providers. Default: a
    ///     separate supervisor.
    ///   - searchPath: The directories to search for the program, separated by colons. Relative directories are
    ///     skipped. Default: `PATH`.
    /// - Throws: ``/Hablare/AIServiceError`` with code ``/Hablare/AIServiceError/Code/invalidConfiguration`` for an
    ///   invalid template. An argument must not contain the prompt, because the program reads the prompt from standard
    ///   input. Each placeholder must be declared and used. Arguments and defaults must be valid. The path of the
    ///   program must not be relative.
    public init(
        _ template: CommandTemplate,
        supervisor: CommandSupervisor = CommandSupervisor(),
        searchPath: String? = ProcessInfo.processInfo.environment["PATH"]
    ) throws(AIServiceError) {
        plan = try ArgumentPlan(template)
        self.template = template
        self.supervisor = supervisor
        self.searchPath = searchPath
        catalog = VoiceCatalog(template.voices)
        found = ExecutableSearch(template.executable, in: searchPath).path
    }

    /// The template's id.
    public var id: ProviderID { template.id }

    /// The provider's identity: `command`, the program's resolved path, and everything in the template on which the
    /// answer depends. So requests with different templates never share answers. If a new program is installed at the
    /// same path, this is not detected.
    public var instance: ProviderInstance {
        ProviderInstance(
            kind: "command", location: "\(program.path ?? template.executable) \(template.fingerprintText)")
    }

    /// The template's kind of content.
    public var responseType: ContentType { template.content.type }

    /// The template's limits. If the template sets no circuit breaker, the breaker never opens.
    ///
    /// A circuit breaker protects a service that many callers share, but this program runs on this machine. If a
    /// program hangs on five texts, it may still answer the sixth. With a breaker, a book of such texts would take
    /// days, because the breaker would wait five minutes before each trial call.
    public var limits: ProviderLimits {
        var limits = template.limits
        limits.breaker = limits.breaker ?? .never
        return limits
    }

    /// Whether the template needs the network.
    public var needsNetwork: Bool { template.needsNetwork }

    /// Runs the program once.
    ///
    /// For a streaming request, the provider yields the standard output while the program writes it, as soon as the
    /// first bytes match the promised format. If the engine cannot keep up, the program has to wait. Streaming helps
    /// only if the program writes in pieces. Many programs write to a pipe in blocks of 4 KiB, unless they run with
    /// options such as `python3 -u`, `stdbuf -oL` or `grep --line-buffered`. If the program writes its answer to a
    /// file, the whole answer arrives at the end.
    ///
    /// The answer's metadata has `program` (the file's name). It also has `voice` if the template has such a
    /// placeholder. The usage is the number of Unicode scalars in the prompt and the number of bytes in the answer. The
    /// cost is 0 unless ``CommandTemplate/isCharged`` is `true`. Cancelling the task ends the program and everything
    /// that it started, at the latest after the supervisor's grace period. A task that is already cancelled starts no
    /// program.
    ///
    /// Fails with ``/Hablare/AIServiceError/Code/invalidRequest`` (parameters, an unknown voice, a model, a prompt with
    /// pictures), ``/Hablare/AIServiceError/Code/programMissing``, ``/Hablare/AIServiceError/Code/providerFailed``,
    /// ``/Hablare/AIServiceError/Code/invalidResponse``, ``/Hablare/AIServiceError/Code/responseTooLarge``,
    /// ``/Hablare/AIServiceError/Code/storageFull`` (temporary files) or ``/Hablare/AIServiceError/Code/cancelled``. A
    /// streaming request may also fail with the errors of ``/Hablare/ProviderCall/yield(_:)-(Data)``. Pieces that were
    /// yielded before a failure are not taken back.
    public func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
        await Result(of: call, by: answer)
    }

    /// Checks the prompt's parts and the parameters of a request.
    package func check(_ request: AIRequest) throws(AIServiceError) {
        switch template.input {
        case .text: try request.prompt.refuseAllButText(for: id)
        case .audio: _ = try request.prompt.recording(for: id)
        }
    }

    /// Returns an upper bound of the usage. For a program that costs nothing, the cost is 0. For a program that is
    /// charged, the usage is the prompt's characters and the maximum size of the answer.
    public func maximumUsage(of request: AIRequest) -> Usage? {
        guard template.isCharged else { return Usage(costMicroDollars: 0) }
        return Usage(
            characters: Int64(request.prompt.plainText.unicodeScalars.count), bytes: Int64(template.maximumOutputBytes))
    }

    private func answer(_ call: ProviderCall) async throws(AIServiceError) -> ProviderAnswer {
        let request = call.request
        guard !Task.isCancelled else { throw cancelled }
        try refuseModel(in: request)
        let prompt = template.input == .text ? try text(of: request) : ""
        let values = try plan.values(for: request.parameters)
        let executable = try path(report: CommandReport(of: template, prompt: prompt))
        if let voice = request.parameters["voice"].flatMap(\.text), values["voice"] != nil {
            try await validate(voice: voice)
        }
        let input = template.input == .text ? Data(prompt.utf8) : try await recording(of: request)
        let taker = taker(of: call)
        let (content, byteCount) = try await run(executable, input: input, prompt: prompt, taker: taker) {
            plan.arguments(for: values, output: $0)
        }
        if template.textForm == .whisperSegments, case .text(let body) = content {
            return try await transcript(body, of: executable)
        }
        var metadata = ["program": URL(filePath: executable).lastPathComponent]
        metadata["voice"] = values["voice"]
        let usage = Usage(
            characters: Int64(prompt.unicodeScalars.count), bytes: Int64(byteCount),
            costMicroDollars: template.isCharged ? nil : 0)
        guard taker == nil else {
            return ProviderAnswer(streamed: template.content.streamed, metadata: metadata, usage: usage)
        }
        return ProviderAnswer(content, metadata: metadata, usage: usage)
    }

    /// Returns the receiver of streamed output. Returns `nil` in three cases: the request does not stream, the text
    /// form is not plain, or the answer is a file, because a program may change earlier parts of a file.
    private func taker(of call: ProviderCall) -> OutputTaker? {
        guard call.isStreaming, template.output == .standardOutput, template.textForm == .plain else { return nil }
        return OutputTaker(content: template.content) { try await call.yield($0) }
    }

    private func refuseModel(in request: AIRequest) throws(AIServiceError) {
        guard request.model == nil else {
            throw AIServiceError(.invalidRequest, "Provider \(id) has no models. Leave the model out.")
        }
    }

    private func text(of request: AIRequest) throws(AIServiceError) -> String {
        try request.prompt.refuseAllButText(for: id)
        return request.prompt.plainText
    }

    private func recording(of request: AIRequest) async throws(AIServiceError) -> Data {
        let recording = try request.prompt.recording(for: id)
        guard recording.hint.allSatisfy(\.isWhitespace) else {
            throw AIServiceError(
                .invalidRequest, "The provider \(id) accepts only audio, and no text. Leave the text out.")
        }
        return try await recording.body.content()
    }

    /// Returns the answer for a transcript in the program's text form.
    private func transcript(_ body: Body, of executable: String) async throws(AIServiceError) -> ProviderAnswer {
        let transcript = Transcript(whisperSegments: String(decoding: try await body.content(), as: UTF8.self))
        var metadata = try transcript.metadata()
        metadata["program"] = URL(filePath: executable).lastPathComponent
        let usage = Usage(
            bytes: Int64(transcript.text.utf8.count), audioMilliseconds: transcript.milliseconds,
            costMicroDollars: template.isCharged ? nil : 0)
        return ProviderAnswer(.text(Body(transcript.text)), metadata: metadata, usage: usage)
    }

    private func run(
        _ executable: String, input: Data, prompt: String, taker: OutputTaker?,
        arguments: (_ output: String?) -> [String]
    ) async throws(AIServiceError) -> (content: ResponseContent, byteCount: Int) {
        var suffix: String?
        if case .file(let name) = template.output { suffix = name }
        let outcome = await supervisor.run(outputExtension: suffix) { file in
            CommandInvocation(
                executable: executable, arguments: arguments(file), input: Array(input), outputFile: file,
                maximumOutputBytes: template.maximumOutputBytes, taker: taker, credentials: template.environment)
        }
        let content = try CommandReport(of: template, prompt: prompt).judge(outcome).get()
        if case .relayed(let tally) = outcome.output { return (content, tally.byteCount) }
        return (content, content.body?.byteCount ?? 0)
    }
}

extension CommandProvider {
    /// The program's current location. If the program was found at the start, its path does not change, so that the
    /// fingerprint (the value by which equal requests are recognised) is stable. If it was missing at the start, it is
    /// searched for again, because it may have been installed since.
    var program: ExecutableSearch {
        ExecutableSearch(found ?? template.executable, in: searchPath)
    }

    /// Returns the program's path.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/programMissing``.
    func path(report: CommandReport) throws(AIServiceError) -> String {
        let program = program
        if let problem = report.problem(of: program) { throw problem }
        return program.path ?? template.executable
    }

    /// Returns the mechanism that ends the programs if this process is killed.
    func protection() async -> OrphanProtection { await supervisor.protection() }

    /// Returns the voices. The program is asked at most once.
    func voiceList() async throws(AIServiceError) -> VoiceList {
        try await catalog.list { arguments throws(AIServiceError) in
            var listing = CommandTemplate(id: id, executable: template.executable, content: .text)
            listing.maximumOutputBytes = 1 << 20
            listing.installation = template.installation
            let report = CommandReport(of: listing, prompt: "")
            let executable = try path(report: report)
            let outcome = await supervisor.run(outputExtension: nil) { _ in
                CommandInvocation(
                    executable: executable, arguments: arguments, input: [], outputFile: nil,
                    maximumOutputBytes: listing.maximumOutputBytes, credentials: template.environment)
            }
            _ = try report.judge(outcome).get()
            guard case .bytes(let bytes) = outcome.output else { return "" }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    fileprivate var cancelled: AIServiceError {
        AIServiceError(.cancelled, "The run of \(template.executable) was cancelled before it began.")
    }
}
#endif
