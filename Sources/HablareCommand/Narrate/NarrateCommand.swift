import ArgumentParser
import Foundation
import Hablare
import HablareSpeech

/// `hablare narrate`: a text in, one audio file out.
struct NarrateCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "narrate",
        abstract: "Read a text aloud into one audio file.",
        discussion: """
            The text is cut into segments, each a durable request. Stopped in the middle (Ctrl-C, a crash, a power \
            failure), the same command goes on where it was, and the result is the same byte for byte. Segments that \
            failed are tried again. A segment with the same text, voice and parameters that was made within the last \
            hour for another narration is taken from the cache; that the program was replaced meanwhile, nobody \
            notices. Beside the audio, as in book.wav.timeline.json, stands when each part of the text \
            is heard.

            When a process dies in the middle of an attempt, or an attempt takes too long, nobody knows whether it was \
            carried out, and billed. With --if-interrupted run-again it is made again; with hold, the segment waits \
            until you say hablare retry: for voices that cost money.

            EXAMPLES:
              hablare narrate book.txt
              hablare narrate book.txt --voice en-gb --parameter rate=150 -o book.mp3
              pandoc -t plain book.epub | hablare narrate - -o book.flac --split paragraph
              hablare narrate book.txt --dry-run
            """)

    @Argument(help: "The text, in UTF-8; - reads standard input.", completion: .file())
    var file: String

    @Option(
        name: .long,
        help: """
            Who speaks: espeak-ng, flite, hibari or piper, or a program of programs.json whose "answer" is "audio/wav".
            """)
    var provider = "espeak-ng"

    @Option(name: .long, help: "The voice. Default: the provider's. See: hablare voices")
    var voice: String?

    @Option(
        name: .long,
        help: ArgumentHelp("A parameter of the provider, such as rate=150; may be repeated.", valueName: "name=value"))
    var parameter: [ParameterOption] = []

    @Option(
        name: [.short, .long],
        help: "The audio file: .wav, .flac or .mp3. Default: the text's name with .wav, in the current folder.",
        completion: .file(extensions: ["wav", "flac", "mp3"]))
    var output: String?

    @Option(name: .long, help: "What becomes a segment.")
    var split = TextSegmenter.Unit.sentence

    @OptionGroup var engine: EngineOptions

    @Option(
        name: .long,
        help: ArgumentHelp(
            """
            What to do with a segment when nobody knows whether its attempt was carried out, and billed. Kept with \
            the segments when they are stored.
            """
        ))
    var ifInterrupted = InterruptionOption.runAgain

    @Flag(
        name: .long,
        help: """
            Only say what would be done, and what of it is made already; make nothing. To know that, a store that is \
            there is opened, which brings one of an earlier version up to date. How long the audio will be is \
            estimated by the number of characters and segments, and --parameter rate or speed, as espeak-ng and flite \
            speak English.
            """)
    var dryRun = false

    @Flag(name: .long, help: "Print one JSON object at the end.")
    var json = false

    @Flag(name: .long, help: "Print nothing but errors.")
    var quiet = false

    @OptionGroup var data: DataOptions

    func run(in composition: Composition) async throws -> CommandStatus {
        let limits = try engine.limits(in: composition)
        let providers = try composition.providers(limits)
        let installed = try providers.named(provider, answering: "audio/wav", in: composition)
        guard installed.provider.responseType == .audio else {
            throw CommandFailure(.usage, "The provider \(provider) does not speak. Choose another with --provider.")
        }
        let parameters = try installed.parameters(voice: voice, parameter)
        let files = try NarrationFiles(input: file, output: output, in: composition)
        try files.checkOutput()
        let plan = try NarrationPlan(
            text: try files.readInput(in: composition), source: files.source, unit: split,
            provider: installed.provider, parameters: parameters, unknownOutcome: ifInterrupted.policy)
        if let problem = await installed.health().problem { throw problem }
        if let voice = voice ?? givenVoice { try await installed.check(voice: voice) }
        if dryRun {
            let made = try made(of: plan, by: installed, in: composition)
            try await DryRun(plan: plan, files: files, made: made).report(
                json: json, quiet: quiet, to: composition.console)
            return .success
        }
        return try await narrate(plan, files, with: installed, prices: limits.prices, in: composition)
    }

    /// What the store has of a narration; `nil` where it cannot be read, and that was said.
    private func made(
        of plan: NarrationPlan, by installed: InstalledProvider, in composition: Composition
    ) throws -> DryRun.Made? {
        let folder = try data.folder(in: composition)
        guard composition.storeExists(folder) else { return DryRun.Made.nothing }
        do {
            let store = try composition.openStore(folder).store
            return try DryRun.Made(of: plan, by: installed.provider, in: store, at: composition.seams.date())
        } catch let error as AIServiceError where error.category == .storage {
            if !quiet { composition.console.note("hablare: \(CommandFailure(error).message)") }
            return nil
        }
    }

    /// The voice as `--parameter voice=…` has it.
    private var givenVoice: String? { parameter.first { $0.name == "voice" }?.value.text }

    private func narrate(
        _ plan: NarrationPlan, _ files: NarrationFiles, with installed: InstalledProvider, prices: PriceTable,
        in composition: Composition
    ) async throws -> CommandStatus {
        let workplace = try Workplace(
            try data.open(in: composition), providers: [installed], scope: .job(plan.job),
            retry: engine.retry(of: [installed]),
            prices: prices, verbose: data.verbose, in: composition)
        let console = composition.console
        if !quiet, let doubt = files.doubt(about: plan.estimatedSeconds) { console.note(doubt) }
        let reporter = ProgressReporter(
            Tally(total: plan.segments.count, audioSeconds: 0),
            manner: .init(quiet: quiet, verbose: data.verbose, terminal: console.terminal),
            console: console, clock: composition.seams.clock)
        let narration = NarrationRun(
            plan: plan, files: files, manager: workplace.manager, lookout: workplace.lookout(for: reporter),
            reporter: reporter, console: quiet ? nil : console, seams: composition.seams,
            ownProcess: ProcessInfo.processInfo.processIdentifier,
            data: data)
        do {
            return try await workplace.session(quiet: quiet).run {
                try await narration.run()
            } then: { end in
                let report = NarrationReport(
                    plan: plan, files: files, progress: reporter.current, end: end,
                    finished: try await workplace.manager.count(.completed, of: plan.job),
                    command: "hablare " + ShellWords.joined(composition.arguments), data: data)
                try await report.print(json: json, quiet: quiet, to: console)
                return report.status
            }
        } catch let error as AIServiceError where error.category == .storage {
            let failure = CommandFailure(error)
            let goOn =
                failure.message.contains("run the same command again")
                ? "" : "; then run the same command again to go on"
            throw CommandFailure(failure.status, "\(failure.message) What is finished is kept\(goOn).")
        }
    }
}

extension AIRequestManager {
    /// How many requests of a job are in a phase.
    func count(_ phase: RequestPhase, of job: JobKey) async throws -> Int {
        var count = 0
        var filter = SnapshotFilter(phases: [phase], job: job, limit: 2_000)
        while true {
            let page = try await snapshots(filter)
            count += page.count
            guard page.count == filter.limit, let last = page.last else { return count }
            filter.continues(after: last)
        }
    }
}
