#if os(macOS) || os(Linux)
public import Foundation
public import Hablare

/// A local program as a provider: the prompt goes to its standard input, the answer comes from its standard output or
/// from a file.
///
/// There is no shell, so no text is ever taken for a command. The program runs in a session of its own; whatever of
/// that session is left when it ends, succeeds or is cancelled is killed. A program that leaves its session (a daemon)
/// is on its own. It inherits the environment and the working directory, and no open file.
///
/// When this process is killed, a helper process ends the programs that run: see ``CommandSupervisor`` and
/// ``diagnose()``.
public struct CommandProvider: AIServiceProvider {
    /// What is run.
    public let template: CommandTemplate
    private let plan: ArgumentPlan
    private let supervisor: CommandSupervisor
    private let catalog: VoiceCatalog
    private let searchPath: String?
    private let found: String?

    /// Creates a provider. The program need not be installed yet.
    ///
    /// - Parameters:
    ///   - template: What is run.
    ///   - supervisor: Runs it. Give all providers the same one. Default: one of its own.
    ///   - searchPath: The directories in which a program's name is looked up, separated by colons; relative ones are
    ///     skipped. Default: `PATH`.
    /// - Throws: ``/Hablare/AIServiceError`` with code ``/Hablare/AIServiceError/Code/invalidConfiguration`` for a
    ///   template that cannot work: a placeholder for the prompt, one that is undeclared or unused, a malformed argument,
    ///   an impossible default, a relative path.
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

    /// `command`, the program's resolved path and everything in the template that changes what comes out, so that
    /// work done with another template is other work. Another program installed at the same path is not noticed.
    public var instance: ProviderInstance {
        ProviderInstance(
            kind: "command", location: "\(program.path ?? template.executable) \(template.fingerprintText)")
    }

    /// The template's kind of content.
    public var responseType: ContentType { template.content.type }

    /// The template's limits, and a breaker that never opens unless they name one. A breaker spares a service that
    /// many callers share. This is a program on this machine: five texts on which a voice hangs say nothing about the
    /// sixth, and a book of them would wait for days, five minutes for each probe.
    public var limits: ProviderLimits {
        var limits = template.limits
        limits.breaker = limits.breaker ?? .never
        return limits
    }

    /// What the template says.
    public var needsNetwork: Bool { template.needsNetwork }

    /// Runs the program once.
    ///
    /// For a request that streams, what the program writes to standard output is yielded while it is written, except
    /// that nothing is before its first bytes are known to be of the promised format. The program waits while the engine
    /// has more than it can put away. It must write in pieces for this to be of use: many programs keep back what they
    /// write to a pipe until it is 4 KiB (`python3 -u`, `stdbuf -oL` and `grep --line-buffered` do not). An answer in a
    /// file comes whole at the end.
    ///
    /// The answer's metadata has `program` (the file's name) and, where there is such a placeholder, `voice`. Usage is
    /// the prompt's Unicode scalars, the answer's bytes, and a cost of 0 unless ``CommandTemplate/isCharged``. Cancelling the task ends the program and all it
    /// started, at the latest after the supervisor's grace; a task cancelled beforehand starts nothing.
    ///
    /// Fails with ``/Hablare/AIServiceError/Code/invalidRequest`` (parameters, a voice that does not exist, a model,
    /// a prompt with pictures), ``/Hablare/AIServiceError/Code/programMissing``,
    /// ``/Hablare/AIServiceError/Code/providerFailed``, ``/Hablare/AIServiceError/Code/invalidResponse``,
    /// ``/Hablare/AIServiceError/Code/responseTooLarge``, ``/Hablare/AIServiceError/Code/storageFull`` (temporary files)
    /// or ``/Hablare/AIServiceError/Code/cancelled``; for a request that streams also with the errors of
    /// ``/Hablare/ProviderCall/yield(_:)-(Data)``. What came before a failure stays yielded.
    public func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
        await Result(of: call, by: answer)
    }

    /// Nothing that costs anything; where somebody charges for it, the prompt and the largest answer.
    public func maximumUsage(of request: AIRequest) -> Usage? {
        guard template.isCharged else { return Usage(costMicroDollars: 0) }
        return Usage(
            characters: Int64(request.prompt.plainText.unicodeScalars.count), bytes: Int64(template.maximumOutputBytes))
    }

    private func answer(_ call: ProviderCall) async throws(AIServiceError) -> ProviderAnswer {
        let request = call.request
        guard !Task.isCancelled else { throw cancelled }
        let prompt = try text(of: request)
        let values = try plan.values(for: request.parameters)
        let executable = try path(report: CommandReport(of: template, prompt: prompt))
        if let voice = request.parameters["voice"].flatMap(\.text), values["voice"] != nil {
            try await validate(voice: voice)
        }
        let taker = taker(of: call)
        let (content, byteCount) = try await run(executable, input: prompt, taker: taker) {
            plan.arguments(for: values, output: $0)
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

    /// Who takes what the program writes while it writes it: nobody where the request does not stream, or where the
    /// answer is a file, in which a program may go back.
    private func taker(of call: ProviderCall) -> OutputTaker? {
        guard call.isStreaming, template.output == .standardOutput else { return nil }
        return OutputTaker(content: template.content) { try await call.yield($0) }
    }

    private func text(of request: AIRequest) throws(AIServiceError) -> String {
        guard request.model == nil else {
            throw AIServiceError(.invalidRequest, "The provider \(id) has no models. Leave the model out.")
        }
        if case .messages(let messages) = request.prompt, !messages.flatMap(\.parts).allSatisfy(\.isText) {
            throw AIServiceError(.invalidRequest, "The provider \(id) takes text only. Leave pictures and tools out.")
        }
        return request.prompt.plainText
    }

    private func run(
        _ executable: String, input: String, taker: OutputTaker?, arguments: (_ output: String?) -> [String]
    ) async throws(AIServiceError) -> (content: ResponseContent, byteCount: Int) {
        var suffix: String?
        if case .file(let name) = template.output { suffix = name }
        let outcome = await supervisor.run(outputExtension: suffix) { file in
            CommandInvocation(
                executable: executable, arguments: arguments(file), input: Array(input.utf8), outputFile: file,
                maximumOutputBytes: template.maximumOutputBytes, taker: taker)
        }
        let content = try CommandReport(of: template, prompt: input).judge(outcome).get()
        if case .relayed(let tally) = outcome.output { return (content, tally.byteCount) }
        return (content, content.body?.byteCount ?? 0)
    }
}

extension CommandProvider {
    /// The program as it is now. One that was there at the start stays where it was found, so that the fingerprint
    /// does; one that was not may have been installed since.
    var program: ExecutableSearch {
        ExecutableSearch(found ?? template.executable, in: searchPath)
    }

    /// The program's path.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/programMissing``.
    func path(report: CommandReport) throws(AIServiceError) -> String {
        let program = program
        if let problem = report.problem(of: program) { throw problem }
        return program.path ?? template.executable
    }

    /// What protects the programs from outliving this process.
    func protection() async -> OrphanProtection { await supervisor.protection() }

    /// The voices, asked for at most once.
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
                    maximumOutputBytes: listing.maximumOutputBytes)
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

extension Prompt.Part {
    fileprivate var isText: Bool {
        if case .text = self { true } else { false }
    }
}
#endif
