import ArgumentParser
import Foundation
import Hablare
import HablareStructured

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
              hablare generate --provider openai --tool ./weather --max-cost 0.10 'An umbrella in Vigo?'
              hablare generate --provider espeak-ng --output hello.wav 'Hello.' --voice en-gb
              pdftotext report.pdf - | hablare generate --provider writer --detach --deadline 3600
            """)

    @Argument(
        help: "What is asked; without it, or with -, standard input is read. One that begins with - goes behind --.")
    var prompt: String?

    @OptionGroup var asked: ServiceOptions

    @Option(help: "The voice, where the provider speaks. Default: the provider's.")
    var voice: String?

    @OptionGroup var beside: PromptOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Have so many answers made, side by side, and print them in order.", valueName: "n"))
    var sample: Int?

    @Option(
        help: ArgumentHelp(
            "A file with a JSON schema: the answer is a value that satisfies it, and is printed as JSON.",
            valueName: "file"),
        completion: .file(extensions: ["json"]))
    var schema: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            With --schema: how often an answer that does not satisfy it is sent back to be mended. Default: \
            \(SchemaJudge.usualRepairs).
            """, valueName: "n"))
    var repairs: Int?

    @OptionGroup var tools: ToolOptions

    @OptionGroup var call: CallOptions

    @OptionGroup var prices: PriceOptions

    @Flag(help: "Only submit the request, and print its id: something else runs it, such as hablare work.")
    var detach = false

    @Option(
        name: [.short, .long],
        help: """
            Write the answer to this file once it is complete, and print nothing of it. Audio becomes what the name \
            says: .wav, .flac or .mp3. A pipe or device is written into; - is standard output.
            """, completion: .file())
    var output: String?

    @Flag(
        help: "Print one JSON object at the end with the answer, what it used and what it cost; with --sample an array."
    )
    var json = false

    @Flag(help: "Print nothing but the answer and errors.")
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
        try checkNumber("--sample", sample, in: 1...Self.mostSamples)
        try checkNumber("--repairs", repairs, in: 0...5)
        guard repairs == nil || schema != nil else {
            throw ValidationError("--repairs is about answers to a schema. Add --schema, or leave it out.")
        }
        guard sample == nil && schema == nil || !call.stream && !detach else {
            throw ValidationError("--sample and --schema wait for whole answers. Leave --stream and --detach out.")
        }
        guard tools.tool.isEmpty || !call.stream && !detach && sample == nil && schema == nil else {
            throw ValidationError(
                "With --tool the answer is one text, once it is complete. Leave --stream, --detach, --sample and --schema out."
            )
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
        let installed = try directory.provider(name, for: .generate, answering: wanted == nil ? .text : .structured)
        guard tools.tool.isEmpty || installed.isLanguageModel && installed.provider.responseType == .text else {
            throw CommandFailure(.usage, "\(installed.name) calls no tools. Ask a language model, or leave --tool out.")
        }
        let judge = try wanted.map { try SchemaJudge($0, repairs: repairs ?? SchemaJudge.usualRepairs, of: installed) }
        guard sample == nil || judge != nil || installed.provider.responseType == .text else {
            throw CommandFailure(.usage, "--sample is for texts. Ask \(installed.name) several times instead.")
        }
        guard !call.stream || ![.structured, .embedding].contains(installed.provider.responseType) else {
            throw CommandFailure(
                .usage, "\(installed.name) answers in one piece, which cannot be streamed. Leave --stream out.")
        }
        let target = try Output(output, json: json, in: composition)
        let parameters = try target.parameters(installed.parameters(voice: voice, asked.parameter), of: installed)
        if !detach { try target.check(installed, in: composition.console) }
        if let problem = await installed.health().problem { throw problem }
        let text = try InputText.one(prompt, what: "prompt", in: composition)
        let prompt = try beside.prompt(text, for: installed, in: composition)
        var request = call.request(prompt: prompt, parameters: parameters, now: composition.seams.date())
        try judge?.prepare(&request)
        let others = try fallback(of: installed, in: directory, composition.console)
        // A process that continues the request later must know the model and the fallback providers.
        request.model = installed.askedModel
        request.fallback = others.map { FallbackHop($0.provider.id, model: $0.model) }
        try installed.check(request)
        let team = [installed] + others
        try directory.openNetwork(for: team)
        if let voice = parameters["voice"]?.text, voice != installed.defaultVoice {
            try await installed.check(voice: voice)
        }
        if !tools.tool.isEmpty {
            return try await withTools(request, to: target, with: team, prices: limits.prices, in: composition)
        }
        if detach { return try await submit(request, to: team, in: composition) }
        // A value tree or a vector has no bytes that could be printed as they arrive.
        guard judge == nil, sample == nil, ![.structured, .embedding].contains(installed.provider.responseType)
        else {
            return try await several(request, judge, to: target, with: team, prices: limits.prices, in: composition)
        }
        return try await generate(request, to: target, with: team, prices: limits.prices, in: composition)
    }

    private func fallback(
        of installed: InstalledProvider, in directory: ProviderDirectory, _ console: Console
    ) throws -> [InstalledProvider] {
        // A prompt for a server that the user chose goes to no other server.
        guard asked.baseURL == nil else { return [] }
        return try directory.fallback(of: installed) { [quiet] name, failure in
            if !quiet { console.note("\(name) is not asked where \(installed.name) fails: \(failure.message)") }
        }
    }

    private func retry(of team: [InstalledProvider]) -> RetryPolicy {
        EngineOptions.retry(attempts: call.attempts, timeout: call.timeout.map { .seconds($0) }, of: team)
    }

    private func generate(
        _ request: AIRequest, to target: Output, with team: [InstalledProvider], prices: PriceTable,
        in composition: Composition
    ) async throws -> CommandStatus {
        let workplace = try Workplace(
            try data.open(in: composition), providers: team, scope: .request(request.id), retry: retry(of: team),
            prices: prices, verbose: data.verbose, in: composition)
        let session = GenerateSession(
            request: request, provider: team[0].provider.id, target: target, isStream: call.stream,
            isText: team[0].provider.responseType == .text, isJSON: json, isQuiet: quiet, data: data,
            workplace: workplace, composition: composition,
            printer: target == .standardOutput ? AnswerPrinter(of: request.id, to: composition.console) : nil)
        return try await session.run()
    }

    private func withTools(
        _ request: AIRequest, to target: Output, with team: [InstalledProvider], prices: PriceTable,
        in composition: Composition
    ) async throws -> CommandStatus {
        let programs = try await ToolPrograms(in: composition).tools(tools.tool)
        let questions = ToolQuestions(isAllowed: tools.yes, ask: composition.askTerminal)
        try questions.check(programs)
        let provider = try ToolProvider(programs)
        let opened = try data.open(in: composition)
        let job = try ToolJob(
            of: request, asking: team[0].provider.id, programs, isNew: tools.new, in: opened.store)
        if job.turns > 0, !quiet {
            composition.console.note("The same command was interrupted at turn \(job.turns), and goes on from there.")
        }
        let loop = try ToolLoop(
            "\(team[0].service ?? team[0].name).text.default", tools: provider, limits: tools.limits,
            approve: questions.decide, report: ToolSession.reporter(quiet: quiet, composition.console))
        let workplace = try Workplace(
            opened, providers: team + [InstalledProvider(provider: provider, hasPrice: false)], scope: .job(job.key),
            retry: retry(of: team), prices: prices, verbose: data.verbose, in: composition)
        return try await ToolSession(
            loop: loop, request: request, provider: team[0].provider.id, job: job.key, target: target, isJSON: json,
            isQuiet: quiet, data: data, workplace: workplace, composition: composition
        ).run()
    }

    private func several(
        _ request: AIRequest, _ judge: SchemaJudge?, to target: Output, with team: [InstalledProvider],
        prices: PriceTable, in composition: Composition
    ) async throws -> CommandStatus {
        let job = JobKey(rawValue: "generate \(request.id.text)")
        let requests = (0..<(sample ?? 1)).map { number in
            var one = number == 0 ? request : request.named(.timeOrdered())
            one.sample = number
            return one
        }
        let workplace = try Workplace(
            try data.open(in: composition), providers: team, scope: .job(job),
            retry: retry(of: team), prices: prices, verbose: data.verbose,
            // The report at the end mentions the requests that wait for a suspended account, and how to continue.
            suspending: { _, _ in }, in: composition)
        let run = AnswersRun(
            requests: requests, provider: team[0].provider.id, judge: judge, job: job, manager: workplace.manager,
            lookout: workplace.lookout())
        let asked = AskedRequests(store: workplace.store, console: composition.console, isQuiet: quiet, data: data)
        return try await SeveralAnswers(
            run: run, target: target, isJSON: json, isOne: sample == nil, asked: asked, composition: composition
        ).run(at: workplace)
    }

    private func submit(
        _ request: AIRequest, to team: [InstalledProvider], in composition: Composition
    ) async throws -> CommandStatus {
        let opened = try data.open(in: composition)
        let manager = AIRequestManager(
            store: opened.store, providers: try team.registry(), seams: composition.seams,
            logger: composition.logger(verbose: data.verbose))
        try await manager.submit(request, to: team[0].provider.id)
        let console = composition.console
        let asked = AskedRequests(store: opened.store, console: console, isQuiet: quiet, data: data)
        let kept = KeptOutput(
            advice: "The request is in the store: \(data.commandLine("show", request.id.text))", console: console)
        try await kept.run {
            try await console.print(json ? JSONText.of(try asked.details(of: request.id)) : request.id.text)
        }
        if quiet { return .success }
        if let age = try opened.store.response(of: request.id)?.ageInCache {
            console.note(AskedRequests.cacheNote(age))
        } else {
            // A process that already runs does not know the address.
            let isPlaced = PlacedName(team[0].name) != nil
            let condition = isPlaced ? "Run it with" : "Unless something runs on this store already, run it with"
            console.note("\(condition): \(data.commandLine("work"))")
        }
        return .success
    }
}
