import ArgumentParser
import Foundation
import Hablare
import HablareStructured

struct GenerateCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Send a prompt to a provider and print its answer.",
        usage: "hablare generate [<prompt>] [<options>]",
        discussion: """
            EXAMPLES:
              hablare generate --provider openai 'Tell me about whales.'
              git diff | hablare generate --provider openai 'Write a commit message.'
              hablare generate -m gpt-6-luna -s 'Be brief.' -f notes.txt 'Which tasks are open?'
              hablare generate -c 'And which of them is the most urgent?'
              git diff | hablare generate -t commit
              hablare generate --provider anthropic --image whale.jpg 'Which species?'
              hablare generate --provider openai --deadline 24h 'Write a poem about every whale.'
              hablare generate --provider openai --prompts questions.txt --deadline 24h --json -o answers.jsonl
              hablare generate --provider openai --tool ./weather --max-cost 0.10 'An umbrella in Vigo?'

            A provider is a service such as openai, or a program on this machine. `hablare providers` lists the \
            providers. To add a provider, define a service in hablare.yaml or a program in programs.json. Both files \
            are in $XDG_CONFIG_HOME/hablare or ~/.config/hablare.

            The request is stored before the request is sent. The answer is stored as it arrives. After Ctrl-C, the \
            command waits up to 10 s for the answer. If the answer is not complete then, the request waits in the \
            store, and `hablare work` completes the request. `generate` runs only its own requests.

            On a terminal, a text is printed as it arrives. With --stream, a text is also printed as it arrives if the \
            output is a pipe or a file. While the text arrives, you can read it in another terminal with `hablare \
            stream ID`. If a call with --stream is interrupted after a part of the answer has arrived, the request \
            fails. `hablare retry ID` queues the request again, and `hablare work` then runs the request. With \
            --restart, the request does not fail: the command requests the answer again from the beginning.

            With --deadline 24h, a request to OpenAI or Anthropic is sent in a batch: the service answers within \
            hours, at half of the price. After Ctrl-C or a crash, `hablare work` continues with the same batch. If the \
            batch has not ended half an hour before the deadline, the request is sent as a normal call, at the full \
            price. With --no-batch, the request is sent as a normal call at once.

            If a command with --prompts was interrupted, run the command again. The second run keeps the finished \
            answers, retries failed requests, and continues. The answers are printed in the order of the prompts, with \
            a line --- between two answers. Without --json, nothing is printed until every prompt has an answer. With \
            --json, the command prints one object for each prompt, even if a request failed.

            Other users of this machine can see a command's arguments. Pass a private prompt on standard input.

            With a prompt argument, the command also reads standard input to its end if standard input is a pipe or \
            file. In a shell loop that reads its lines from a file, redirect the standard input of the command: \
            hablare generate 'Hello.' < /dev/null

            Exit status: 0 the answer is complete; 1 the request failed, was cancelled or is held; 2 the answer is \
            complete, but standard output is a pipe or file and also contains a part of an earlier attempt. Status 2 \
            happens only with --restart, and not with --output. A request is held if the outcome of its last attempt \
            is unknown: see `hablare retry --help`.
            """)

    @Argument(
        help: """
            The prompt. Text that is piped in goes before the prompt. Without a prompt, or with -, standard input is \
            the prompt. If the prompt on the command line begins with -, put -- before the prompt.
            """)
    var prompt: String?

    @Option(
        help: ArgumentHelp(
            """
            Send each line of this file as a prompt. - is standard input. In a .jsonl file, each line is a JSON \
            string, or a JSON object whose member "prompt" is the prompt.
            """, valueName: "file"),
        completion: .file())
    var prompts: String?

    @OptionGroup var asked: ServiceOptions

    @Option(help: "The voice, for a provider that speaks. Default: the provider's default voice.")
    var voice: String?

    @OptionGroup var beside: PromptOptions

    @OptionGroup var continuing: ContinueOptions

    @OptionGroup var templates: TemplateOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The number of answers to request for the prompt.", valueName: "n"))
    var sample: Int?

    @Option(
        help: ArgumentHelp(
            "Request a JSON value that satisfies the JSON schema in this file.",
            valueName: "file"),
        completion: .file(extensions: ["json"]))
    var schema: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            With --schema: how many times to send an invalid answer back to the model for repair. Default: \
            \(SchemaJudge.usualRepairs).
            """, valueName: "n"))
    var repairs: Int?

    @OptionGroup var tools: ToolOptions

    @OptionGroup var call: CallOptions

    @OptionGroup var prices: PriceOptions

    @Flag(help: "Store the request, print its id and return at once. `hablare work` runs the request.")
    var detach = false

    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            """
            Write the complete answer to this file instead of printing it; - is standard output. Audio is converted to \
            the format of the file's extension: .wav, .flac or .mp3. An existing regular file is replaced. If the file \
            is a pipe or device, the output is written into it.
            """, valueName: "file"), completion: .file())
    var output: String?

    @Flag(
        help: """
            Print a JSON object with the answer, its usage and its cost. With --sample: an array. With --prompts: one \
            line with an object for each prompt. With --stream: one line with an object for each piece of the text, \
            and at the end one line with an object for the whole answer.
            """
    )
    var json = false

    @Flag(help: "Print only the answer and errors.")
    var quiet = false

    @OptionGroup var data: DataOptions

    func validate() throws {
        if prompts != nil {
            let others = [
                ("the prompt", prompt != nil), ("--sample", sample != nil), ("--schema", schema != nil),
                ("--tool", !tools.tool.isEmpty), ("--stream", call.stream == true), ("--detach", detach),
                ("--voice", voice != nil), ("--continue", continuing.isGiven),
                ("--template", templates.template != nil),
            ]
            if let other = others.first(where: \.1)?.0 {
                throw ValidationError("--prompts cannot be combined with \(other). Leave one of them out.")
            }
        }
        guard output == nil || !detach else {
            throw ValidationError(
                """
                --output cannot be combined with --detach. Leave it out, and fetch the answer later with `hablare \
                show ID -o FILE`.
                """)
        }
        try checkNumber("--sample", sample, in: 1...Self.mostSamples)
        try checkNumber("--repairs", repairs, in: 0...5)
        guard repairs == nil || schema != nil || templates.template != nil else {
            throw ValidationError("--repairs needs --schema. Add --schema, or leave --repairs out.")
        }
        do throws(CommandFailure) {
            try checkCombination(hasSchema: schema != nil)
        } catch {
            throw ValidationError(error.message)
        }
    }

    /// - Parameter hasSchema: Whether the answer has a schema, from an option or from a template.
    private func checkCombination(hasSchema: Bool) throws(CommandFailure) {
        guard sample == nil && !hasSchema || call.stream != true && !detach else {
            throw CommandFailure(
                .usage, "--sample and --schema cannot be combined with --stream or --detach. Leave those out.")
        }
        guard tools.tool.isEmpty || call.stream != true && !detach && sample == nil && !hasSchema else {
            throw CommandFailure(
                .usage,
                "With --tool the answer is one text, once it is complete. Leave --stream, --detach, --sample and --schema out."
            )
        }
        guard !hasSchema || call.ifInterrupted == .runAgain else {
            throw CommandFailure(
                .usage, "--schema cannot be combined with --if-interrupted hold. Leave --if-interrupted out.")
        }
    }

    static let mostSamples = 100

    func run(in composition: Composition) async throws -> CommandStatus {
        let limits = Composition.CallLimits(
            timeout: call.timeout.map { .seconds($0) }, prices: try prices.table(in: composition))
        let template = try templates.found(in: composition)
        let earlier = try await continuing.conversation(data, in: composition)
        let named = template?.asking(self.asked) ?? self.asked
        let asked = try await (earlier?.asking(named) ?? named).choosing(
            for: .generate, answering: .text, data: data, quiet: quiet, in: composition)
        let (settings, name) = try asked.applied(to: data, for: .generate, in: composition)
        let wanted = try schema.map { try SchemaFile.schema(composition.url($0)) } ?? template?.schemaFound()
        try checkCombination(hasSchema: wanted != nil)
        guard wanted != nil || repairs == nil else {
            throw CommandFailure(.usage, "--repairs needs --schema, and the template has none. Leave --repairs out.")
        }
        let directory = try ProviderDirectory(settings, limits, in: composition)
        let installed = try directory.provider(name, for: .generate, answering: wanted == nil ? .text : .structured)
        guard tools.tool.isEmpty || installed.isLanguageModel && installed.provider.responseType == .text else {
            throw CommandFailure(.usage, "\(installed.name) calls no tools. Ask a language model, or leave --tool out.")
        }
        let (choice, batch) = try batch(of: installed, in: directory)
        let judge = try wanted.map {
            try SchemaJudge($0, repairs: repairs ?? SchemaJudge.usualRepairs, of: batch ?? installed)
        }
        guard sample == nil || judge != nil || installed.provider.responseType == .text else {
            throw CommandFailure(
                .usage,
                """
                --sample needs a provider that answers with text. Call \(installed.name) several times instead.
                """)
        }
        guard call.stream != true || ![.structured, .embedding].contains(installed.provider.responseType) else {
            throw CommandFailure(
                .usage, "\(installed.name) answers in one piece and cannot be streamed. Leave --stream out.")
        }
        guard prompts == nil || [.text, .structured].contains(installed.provider.responseType) else {
            throw CommandFailure(
                .usage, "--prompts needs a provider that answers with text, and \(installed.name) does not.")
        }
        guard !printsLines || installed.provider.responseType == .text else {
            throw CommandFailure(
                .usage,
                "\(installed.name) answers with \(installed.provider.responseType.rawValue), and --json with --stream needs text. Leave --stream out."
            )
        }
        let target = try Output(
            output, json: json && prompts == nil, what: prompts == nil ? nil : "answers", in: composition)
        let parameters = try target.parameters(installed.parameters(voice: voice, asked.parameter), of: installed)
        if !detach { try target.check(installed, in: composition.console) }
        if let problem = await installed.health().problem { throw problem }
        var (beside, inputs) = (self.beside, [PromptInput]())
        if let prompts {
            inputs = try PromptLines.read(prompts, in: composition).map(PromptInput.init(text:))
        } else if let template {
            let filled = try templates.filled(template, argument: prompt, quiet: quiet, in: composition)
            inputs = [filled.input]
            beside.system = beside.system ?? filled.system
        } else {
            inputs = [try PromptInput.read(prompt, quiet: quiet, in: composition)]
        }
        let all = try beside.prompts(inputs, for: installed, in: composition).map {
            try earlier?.prompt(adding: $0, for: installed) ?? $0
        }
        let now = composition.seams.date()
        var request = call.request(
            prompt: all[0], parameters: parameters,
            isStream: judge == nil && prompts == nil && streams(from: installed, to: target, composition.console),
            now: now)
        request.deadline = choice.deadline.map(now.addingTimeInterval)
        earlier?.prepare(&request, for: installed, runsTools: !tools.tool.isEmpty)
        try judge?.prepare(&request)
        let others = try fallback(of: installed, in: directory, composition.console)
        // A process that continues the request later must know the model and the fallback providers.
        request.model = installed.askedModel
        request.fallback = others.map { FallbackTarget($0.provider.id, model: $0.model) }
        for (index, prompt) in all.enumerated() {
            try Self.checking(line: prompts == nil ? nil : index + 1) {
                try installed.check(index == 0 ? request : request.asking(prompt))
            }
        }
        if batch != nil { request = request.waiting(orLive: installed) }
        let team = [batch].compactMap(\.self) + [installed] + others
        if !quiet, let words = batch.flatMap({ _ in request.batchNote(of: installed, at: composition.localTime) }) {
            composition.console.note(words)
        } else if !quiet, let note = choice.note {
            composition.console.note(note)
        }
        try directory.openNetwork(for: team)
        if let voice = parameters["voice"]?.text, voice != installed.defaultVoice {
            try await installed.check(voice: voice)
        }
        if prompts != nil {
            let work = try PromptsWork(request, all, of: team, instance: installed.provider.instance).work
            // Stored requests of the job may be in a batch, although this command starts none.
            let earlier = batch == nil ? try directory.batch(of: installed, wasAsked: true).value : nil
            let session = JobSession(
                providers: team + [earlier].compactMap(\.self), retry: retry(of: team), prices: limits.prices,
                settings: settings, data: data,
                isQuiet: quiet, composition: composition)
            return try await run(work, to: target, in: session)
        }
        if !tools.tool.isEmpty {
            return try await withTools(request, to: target, with: team, prices: limits.prices, in: composition)
        }
        if detach { return try await submit(request, to: team, in: composition) }
        // A JSON value or a vector has no bytes that could be printed as they arrive.
        guard judge == nil, sample == nil, ![.structured, .embedding].contains(installed.provider.responseType)
        else {
            return try await several(request, judge, to: target, with: team, prices: limits.prices, in: composition)
        }
        return try await generate(request, to: target, with: team, prices: limits.prices, in: composition)
    }

    /// Returns the decision whether the request waits for a batch, and the provider that sends batches.
    private func batch(
        of installed: InstalledProvider, in directory: ProviderDirectory
    ) throws -> (BatchChoice, InstalledProvider?) {
        let found = try directory.batch(of: installed)
        var lack: String?
        if case .failure(let problem) = found { lack = problem.reason }
        let choice = try BatchChoice(
            wanted: call.batch, deadline: call.deadline?.seconds,
            hindrance: call.stream == true ? "--stream" : tools.tool.isEmpty ? nil : "--tool",
            isCharged: installed.service != nil && installed.hasPrice, lack: lack)
        return (choice, choice.isBatch ? found.value : nil)
    }

    /// Whether the answer is printed as it arrives: if the user requests this, or if the answer is text for a terminal.
    private func streams(from installed: InstalledProvider, to target: Output, _ console: Console) -> Bool {
        if let wanted = call.stream { return wanted }
        let isOneText = sample == nil && tools.tool.isEmpty && !detach
        return isOneText && target == .standardOutput && console.showsOutput && installed.provider.responseType == .text
    }

    private func fallback(
        of installed: InstalledProvider, in directory: ProviderDirectory, _ console: Console
    ) throws -> [InstalledProvider] {
        // A prompt for a server that the user chose goes to no other server.
        guard asked.baseURL == nil else { return [] }
        return try directory.fallback(of: installed) { [quiet] name, failure in
            if !quiet { console.note("\(name) cannot be used as a fallback of \(installed.name): \(failure.message)") }
        }
    }

    /// Whether the answer is printed as JSON, line by line.
    private var printsLines: Bool { json && call.stream == true && output == nil && !detach }

    func retry(of team: [InstalledProvider]) -> RetryPolicy {
        // An attempt of a batch has no timeout, and the live call after it must still be retried.
        let isBatch = team.contains { BatchName.isBatch($0.provider.id) }
        let timeout = isBatch ? nil : call.timeout.map { Duration.seconds($0) }
        return EngineOptions.retry(attempts: call.attempts, timeout: timeout, of: team)
    }

    private func generate(
        _ request: AIRequest, to target: Output, with team: [InstalledProvider], prices: PriceTable,
        in composition: Composition
    ) async throws -> CommandStatus {
        let storeSession = try StoreSession(
            try data.open(in: composition), providers: team, scope: .request(request.id), retry: retry(of: team),
            prices: prices, verbose: data.verbose, in: composition)
        let session = GenerateSession(
            request: request, provider: team[0].provider.id, target: target, isStream: request.streaming != nil,
            tellsHowToFollow: call.stream == true,
            isText: team[0].provider.responseType == .text, isJSON: json, isQuiet: quiet, data: data,
            storeSession: storeSession, composition: composition,
            printer: target == .standardOutput || printsLines
                ? AnswerPrinter(of: request.id, to: composition.console, asLines: printsLines) : nil,
            printsLines: printsLines)
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
            composition.console.note("The same command was interrupted at turn \(job.turns), and continues from there.")
        }
        let loop = try ToolLoop(
            "\(team[0].service ?? team[0].name).text.default", tools: provider, limits: tools.limits,
            approve: questions.decide, report: ToolSession.reporter(quiet: quiet, composition.console))
        let workplace = try StoreSession(
            opened, providers: team + [InstalledProvider(provider: provider, hasPrice: false)], scope: .job(job.key),
            retry: retry(of: team), prices: prices, verbose: data.verbose, in: composition)
        return try await ToolSession(
            loop: loop, request: request, provider: team[0].provider.id, job: job.key, target: target, isJSON: json,
            isQuiet: quiet, data: data, storeSession: workplace, composition: composition
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
        let storeSession = try StoreSession(
            try data.open(in: composition), providers: team, scope: .job(job),
            retry: retry(of: team), prices: prices, verbose: data.verbose,
            // The report at the end mentions the requests that wait for a suspended account, and how to continue.
            suspending: { _, _ in }, in: composition)
        let run = AnswersRun(
            requests: requests, provider: team[0].provider.id, judge: judge, job: job, manager: storeSession.manager,
            lookout: storeSession.lookout())
        let asked = AskedRequests(store: storeSession.store, console: composition.console, isQuiet: quiet, data: data)
        return try await SeveralAnswers(
            run: run, target: target, isJSON: json, isOne: sample == nil, asked: asked, composition: composition
        ).run(at: storeSession)
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
            let isAddressed = AddressedName(team[0].name) != nil
            let condition = isAddressed ? "Run it with" : "If no other process works on this store, run it with"
            console.note("\(condition): \(data.commandLine("work"))")
        }
        return .success
    }
}
