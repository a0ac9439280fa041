import ArgumentParser
import Foundation
import Hablare

/// `hablare generate`: one prompt in, its answer out.
struct GenerateCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Ask a provider one thing and print its answer.",
        discussion: """
            The request is on disk before it is sent, and so is what comes back. With --stream the answer is printed \
            while it is made; others read along with hablare stream, also from another terminal, later, and after a \
            crash. Ctrl-C gives the answer 10 s to end; then the request waits in the store, where hablare work makes \
            it. A stream that was begun is begun anew only with --restart: without it, it fails then, what came stays \
            readable, and hablare retry has it made anew.

            Nothing but this request is run: what else waits in the store goes on waiting. Exit status 0 when the \
            answer is complete, 1 when the request failed, was cancelled, or is held. A pipe or file into which a part \
            was printed before the answer was begun anew (--restart) has both, and the exit status is 2; --output \
            writes the answer alone.

            A provider is a service, such as openai, as hablare.yaml has it (hablare providers), or a program on this \
            machine: those for speech (hablare voices), and those in programs.json in $XDG_CONFIG_HOME/hablare or \
            ~/.config/hablare. Everybody on the machine can read the arguments of a command: give a private prompt on \
            standard input.

            EXAMPLES:
              hablare generate --provider openai --stream 'Tell me about whales.'
              hablare generate --provider anthropic --image whale.jpg 'Which whale is this?'
              hablare generate --provider openai --base-url http://localhost:8080/v1 --model llama 'Hello.'
              hablare generate --provider openai --schema whale.json 'The largest whale.'
              hablare generate --provider espeak-ng --output hello.wav 'Hello.' --voice en-gb
              pdftotext report.pdf - | hablare generate --provider writer --detach --deadline 3600
            """)

    @Argument(help: "What is asked; without it, or with -, standard input is read.")
    var prompt: String?

    @OptionGroup var asked: ServiceOptions

    @Option(name: .long, help: "The voice, where the provider speaks. Default: the provider's.")
    var voice: String?

    @OptionGroup var beside: PromptOptions

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("Have so many answers made, side by side, and print them in order.", valueName: "n"))
    var sample: Int?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "A file with a JSON schema: the answer is a value that satisfies it, and is printed as JSON.",
            valueName: "file"),
        completion: .file(extensions: ["json"]))
    var schema: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "With --schema: how often an answer that does not satisfy it is sent back to be mended.", valueName: "n"))
    var repairs = 1

    @OptionGroup var call: CallOptions

    @OptionGroup var prices: PriceOptions

    @Flag(name: .long, help: "Only submit the request, and print its id: something else runs it, such as hablare work.")
    var detach = false

    @Option(
        name: [.short, .long],
        help: """
            Write the answer to this file once it is complete, and print nothing of it. Audio becomes what the name \
            says: .wav, .flac or .mp3. A pipe or device is written into; - is standard output.
            """, completion: .file())
    var output: String?

    @Flag(
        name: .long,
        help: "Print one JSON object at the end with the answer, what it used and what it cost; with --sample an array."
    )
    var json = false

    @Flag(name: .long, help: "Print nothing but the answer and errors.")
    var quiet = false

    @OptionGroup var data: DataOptions

    func validate() throws {
        guard !(json && call.stream && output == nil && !detach) else {
            throw ValidationError("--stream prints the answer, --json an object instead. Leave one of them out.")
        }
        guard output == nil || !detach else {
            throw ValidationError(
                "With --detach nobody is there to write --output. Leave it out, and take the answer with hablare show.")
        }
        if let sample, !(1...Self.mostSamples).contains(sample) {
            throw ValidationError("--sample is \(sample). Give a number from 1 to \(Self.mostSamples).")
        }
        guard (0...5).contains(repairs) else {
            throw ValidationError("--repairs is \(repairs). Give a number from 0 to 5.")
        }
        guard sample == nil && schema == nil || !call.stream && !detach else {
            throw ValidationError("--sample and --schema wait for whole answers. Leave --stream and --detach out.")
        }
        guard schema == nil || call.ifInterrupted == .runAgain else {
            throw ValidationError("With --schema nothing can be held. Leave --if-interrupted out.")
        }
    }

    static let mostSamples = 100

    func run(in composition: Composition) async throws -> CommandStatus {
        let limits = Composition.CallLimits(
            timeout: call.timeout.map { .seconds($0) }, prices: try prices.table(in: composition))
        let (settings, name) = try asked.applied(to: data, for: .generate, in: composition)
        let wanted = try schema.map { try SchemaFile.schema(composition.url($0)) }
        let directory = try ProviderDirectory(settings, limits, in: composition)
        let installed = try directory.provider(
            name, for: .generate, answering: wanted == nil ? .text : .structured)
        let judge = try wanted.map { try SchemaJudge($0, repairs: repairs, of: installed) }
        guard sample == nil || judge != nil || installed.provider.responseType == .text else {
            throw CommandFailure(.usage, "--sample is for texts. Ask \(installed.name) several times instead.")
        }
        let parameters = try installed.parameters(voice: voice, asked.parameter)
        let target = try AnswerTarget(output, json: json, in: composition)
        if !detach { try target.check(installed, in: composition.console) }
        if let problem = await installed.health().problem { throw problem }
        let prompt = try beside.prompt(try readPrompt(in: composition), for: installed, in: composition)
        var request = call.request(prompt: prompt, parameters: parameters, now: composition.seams.date())
        try judge?.prepare(&request)
        let others = try fallback(of: installed, in: directory, composition.console)
        address(&request, to: installed, others)
        try installed.check(request)
        let team = [installed] + others
        try directory.openNetwork(for: team)
        if let voice = parameters["voice"]?.text, voice != installed.defaultVoice {
            try await installed.check(voice: voice)
        }
        if detach { return try await submit(request, to: team, in: composition) }
        // Neither a value tree nor a vector has bytes that could be printed as they come.
        guard judge == nil, sample == nil, ![.structured, .embedding].contains(installed.provider.responseType)
        else {
            return try await several(request, judge, to: target, with: team, prices: limits.prices, in: composition)
        }
        return try await generate(request, to: target, with: team, prices: limits.prices, in: composition)
    }

    /// Says in a request what whoever goes on with it must know: the model, and who is asked instead.
    private func address(_ request: inout AIRequest, to installed: InstalledProvider, _ others: [InstalledProvider]) {
        ServiceOptions.address(of: installed).mark(&request)
        request.fallback = others.map { FallbackHop($0.provider.id, model: $0.model) }
    }

    private func fallback(
        of installed: InstalledProvider, in directory: ProviderDirectory, _ console: Console
    ) throws -> [InstalledProvider] {
        // A prompt that is for a server of one's own choice goes to no other.
        guard asked.baseURL == nil else { return [] }
        return try directory.fallback(of: installed) { [quiet] name, failure in
            if !quiet { console.note("\(name) is not asked where \(installed.name) fails: \(failure.message)") }
        }
    }

    /// When a failed attempt is followed by another one.
    func retry(of team: [InstalledProvider]) -> RetryPolicy {
        EngineOptions.retry(attempts: call.attempts, timeout: call.timeout.map { .seconds($0) }, of: team)
    }

    private func readPrompt(in composition: Composition) throws -> String {
        var text = prompt ?? "-"
        if text == "-" {
            guard let input = String(validating: try composition.readInput(), as: UTF8.self) else {
                throw CommandFailure(.badInput, "The prompt on standard input is not UTF-8. Convert it, as with iconv.")
            }
            text = input
        }
        guard !text.isEmpty else {
            throw CommandFailure(.badInput, "The prompt is empty. Say what is asked, or pipe it in.")
        }
        return text
    }

    // MARK: Elsewhere

    private func submit(
        _ request: AIRequest, to team: [InstalledProvider], in composition: Composition
    ) async throws -> CommandStatus {
        let opened = try data.open(in: composition)
        let manager = AIRequestManager(
            store: opened.store, providers: try team.registry(), seams: composition.seams,
            logger: composition.logger(verbose: data.verbose))
        try await manager.submit(request, to: team[0].provider.id)
        let console = composition.console
        do {
            try await console.print(
                json ? JSONText.of(try details(of: request.id, in: opened.store)) : request.id.text)
        } catch let failure as CommandFailure {
            throw failure.advising("The request is in the store: \(data.commandLine("show", request.id.text))")
        }
        if quiet { return .success }
        if let age = try opened.store.response(of: request.id)?.ageInCache {
            console.note(Self.cacheNote(age))
        } else {
            // Whatever runs already does not know the address.
            let isPlaced = PlacedName(team[0].name) != nil
            let condition = isPlaced ? "Run it with" : "Unless something runs on this store already, run it with"
            console.note("\(condition): \(data.commandLine("work"))")
        }
        return .success
    }

    // MARK: Here

    private func generate(
        _ request: AIRequest, to target: AnswerTarget, with team: [InstalledProvider], prices: PriceTable,
        in composition: Composition
    ) async throws -> CommandStatus {
        let console = composition.console
        let workplace = try Workplace(
            try data.open(in: composition), providers: team, scope: .request(request.id), retry: retry(of: team),
            prices: prices,
            verbose: data.verbose, in: composition)
        let printer = target == .standardOutput ? AnswerPrinter(of: request.id, to: console) : nil
        let run = GenerateRun(
            request: request, provider: team[0].provider.id, manager: workplace.manager,
            lookout: Lookout(
                manager: workplace.manager, signal: workplace.store.signal, clock: composition.seams.clock),
            printer: call.stream ? printer : nil,
            submitted: { [data, store = workplace.store, own = workplace.own] in
                // It may have joined a call whose process died, and which is begun anew: nothing of that was printed here.
                if let ended = try composition.endedGeneration(of: request.id, in: store) { printer?.passOver(ended) }
                guard !quiet else { return }
                if console.terminal.isErrorTerminal,
                    let words = composition.sharing(of: request.id, in: store, own, verbose: data.verbose)
                {
                    console.note(words)
                }
                guard call.stream else { return }
                console.note("To read along: \(data.commandLine("stream", request.id.text))")
            },
            readerLeft: { [quiet] failure in
                guard !quiet else { return }
                let seconds = Int(Workplace.grace.inSeconds)
                let reason =
                    failure.status == .brokenPipe ? "The reader of the output went away." : failure.message
                console.note("\(reason) What is under way may finish (\(seconds) s).")
            })
        return try await workplace.session(quiet: quiet).run { () -> CommandFailure? in
            do {
                try await run.run()
                return nil
            } catch let error as AIServiceError where error.code == .unknownRequest {
                throw Self.removed(request.id)
            } catch let failure as CommandFailure {
                // Leaving is not cancelling: who reads along goes on reading, and whoever runs the store makes it. No more
                // is a full disk.
                return failure
            }
        } keep: { end in
            // What waits for a reader is part of the report: no signal ends our own work.
            if case .finished(.some) = end { return }
            guard try !target.waitsForReader else { return }
            try await keep(request.id, in: target, workplace.store, console)
        } then: { end in
            switch end {
            case .finished(let failure?):
                let status = try tell(of: request.id, workplace.store, to: console, isOurs: true)
                throw status == .success ? failure.advising(target.advice(for: request.id, data)) : failure
            case .finished(nil):
                return try await report(of: request.id, to: target, printer, workplace.store, console)
            case .stopped(let signal):
                _ = try await report(of: request.id, to: target, printer, workplace.store, console, isOurs: true)
                return signal.status
            }
        }
    }

    /// Writes a complete answer to its file.
    ///
    /// - Throws: ``CommandFailure``; `CancellationError` when the command is to end at once.
    private func keep(
        _ id: UUID, in target: AnswerTarget, _ store: any StoreReading, _ console: Console
    ) async throws {
        guard try store.snapshot(of: id)?.phase == .completed else { return }
        do {
            try await target.take(try store.response(of: id), of: id, data, console, quiet: quiet)
        } catch let error as CancellationError {
            console.note("hablare: The answer was not written. \(target.advice(for: id, data))")
            throw error
        }
    }

    /// Prints what was not printed yet, and says what became of the request.
    ///
    /// - Parameter isOurs: Whether it may be us who stopped its call.
    /// - Throws: `CancellationError` when the command is to end and nobody reads on.
    private func report(
        of id: UUID, to target: AnswerTarget, _ printer: AnswerPrinter?, _ store: any StoreReading, _ console: Console,
        isOurs: Bool = false
    ) async throws -> CommandStatus {
        do {
            _ = try await printer?.printRest(in: store)
        } catch let error as CancellationError {
            if try tell(of: id, store, to: console, isOurs: true) == .success {
                console.note("hablare: Not all of the answer was printed. \(target.advice(for: id, data))")
            }
            throw error
        } catch let failure as CommandFailure {
            guard try tell(of: id, store, to: console, isOurs: true) == .success else { throw failure }
            throw failure.advising(target.advice(for: id, data))
        }
        if case .file = target, try target.waitsForReader { try await keep(id, in: target, store, console) }
        let status = try tell(of: id, store, next: printer?.next, to: console, isOurs: isOurs)
        if !quiet, let age = try store.response(of: id)?.ageInCache { console.note(Self.cacheNote(age)) }
        if json { try await printDetails(of: id, in: store, to: console) }
        guard status == .success, let printer, printer.isBegunAnew, !console.terminal.isOutputTerminal else {
            return status
        }
        // A program that reads the output cannot tell where the answer begins, and must not take this for success.
        console.note(printer.begunAnewNote(data))
        return .begunAnew
    }

    /// Prints the object that says all there is to say of the answer.
    ///
    /// - Throws: `CancellationError` when the command is to end and nobody reads on.
    private func printDetails(of id: UUID, in store: any StoreReading, to console: Console) async throws {
        do {
            try await console.print(JSONText.of(try await AnswerRecord(details(of: id, in: store))))
        } catch let error as CancellationError {
            console.note("hablare: Not all of the object was printed. \(AnswerTarget.store.advice(for: id, data))")
            throw error
        } catch let failure as CommandFailure {
            throw failure.advising(AnswerTarget.store.advice(for: id, data))
        }
    }

    /// Why a stream ended that was neither stopped nor made here.
    private static let joinedCallStopped =
        "It had joined the same call of another process, and that process was stopped, as with Ctrl-C, or died in the "
        + "middle of the answer. What came is kept."

    /// Somebody removed what this command submitted.
    private static func removed(_ id: UUID) -> CommandFailure {
        CommandFailure(
            .inputMissing, "It was removed meanwhile, as with hablare rm: there is no request \(id.text) any more.")
    }

    /// Says that nobody was asked.
    private static func cacheNote(_ age: Int) -> String {
        "From the cache, \(age) s old; --cache refresh asks anew."
    }

    /// Says what became of the request, where that is not what was wanted.
    ///
    /// - Parameter isOurs: Whether it may be us who stopped its call; else another process did that.
    func tell(
        of id: UUID, _ store: any StoreReading, next: Int? = nil, to console: Console, isOurs: Bool
    ) throws -> CommandStatus {
        guard let snapshot = try store.snapshot(of: id) else { throw Self.removed(id) }
        let after = call.stream && next != nil ? " after \(TimeText.count(next ?? 0, "chunk"))" : ""
        switch snapshot.phase {
        case .completed:
            return .success
        case .failed:
            let reason = snapshot.error.map { error in
                let isJoined = error.code == .streamInterrupted && !isOurs
                return "\(isJoined ? Self.joinedCallStopped : error.reason) [\(error.code)]"
            }
            console.note("hablare: It failed\(after): \(reason ?? "no reason is recorded")")
            if snapshot.error?.code == .streamInterrupted {
                let otherwise =
                    isOurs
                    ? "With --restart it would have waited in the store, to be begun anew."
                    : "Where both commands have --restart, this one has it begun anew."
                console.note(
                    """
                    To have it made anew: \(data.commandLine("retry", id.text)) && \(data.commandLine("work"))
                    \(otherwise)
                    """)
            }
        case .cancelled:
            console.note("hablare: It was cancelled\(after).")
        case .pending where snapshot.waiting == .held:
            console.note(
                """
                hablare: It is held: nobody knows whether its last attempt was carried out, and billed. \
                To have it made: \(data.commandLine("retry", id.text)) && \(data.commandLine("work"))
                """)
        case .pending, .executing:
            guard !quiet else { break }
            console.note(
                """
                It waits in the store. To have it made: \(data.commandLine("work"))
                To read it: \(data.commandLine("stream", id.text))
                """)
        }
        return .incomplete
    }

    func details(of id: UUID, in store: any StoreReading) throws -> RequestDetails {
        guard let snapshot = try store.snapshot(of: id), let stored = try store.request(of: id) else {
            throw data.unknown(id)
        }
        return RequestDetails(
            standing: RequestStanding(snapshot: snapshot), request: stored.request,
            response: try store.response(of: id), showsPrompt: false)
    }
}
