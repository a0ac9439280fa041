import ArgumentParser
import Foundation
import Hablare
import HablareAudio
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

            Who speaks is a program (espeak-ng, flite, hibari, piper, or one of programs.json whose "answer" is \
            "audio/wav") or a service that does (openai, elevenlabs, a server of your own). Without --provider it is \
            default_provider.narrate of the settings, else espeak-ng. A service is asked for WAV, which joins without a \
            gap, unless --parameter format= says otherwise; one that can is told what stands before and behind a segment, \
            so that its voice goes on where it left off. What a service would charge is in --dry-run.

            When a process dies in the middle of an attempt, or an attempt takes too long, nobody knows whether it was \
            carried out, and billed. With --if-interrupted run-again it is made again; with hold, the segment waits \
            until you say hablare retry: for voices that cost money.

            EXAMPLES:
              hablare narrate book.txt
              hablare narrate book.txt --voice en-gb --parameter rate=150 -o book.mp3
              pandoc -t plain book.epub | hablare narrate - -o book.flac --split paragraph
              hablare narrate book.txt --dry-run --provider openai
              hablare narrate book.txt --provider elevenlabs --voice George -o book.mp3
            """)

    @Argument(help: "The text, in UTF-8; - reads standard input.", completion: .file())
    var file: String

    @OptionGroup var asked: ServiceOptions

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
        let settings = try asked.applied(to: data, for: .narrate, in: composition)
        let directory = try ProviderDirectory(settings, limits, in: composition)
        let installed = try directory.provider(
            asked.provider, for: .narrate, answering: .audio, program: "audio/wav", else: Self.usualProvider)
        guard installed.provider.responseType == .audio else {
            throw CommandFailure(
                .usage, "The provider \(installed.name) does not speak. Choose another with --provider.")
        }
        let given = try installed.parameters(voice: voice, parameter)
        let parameters = try SpokenFormat.joinable(given, of: installed)
        let files = try NarrationFiles(input: file, output: output, in: composition)
        try files.checkOutput()
        var plan = try NarrationPlan(
            text: try files.readInput(in: composition), source: files.source, unit: split,
            provider: installed.provider, parameters: parameters,
            model: installed.service == nil ? nil : installed.model,
            tellsContext: installed.serviceVoices?.sound?.takesContext ?? false,
            unknownOutcome: ifInterrupted.policy)
        plan.place = asked.place(of: installed, settings)
        try installed.check(plan.request(0, id: UUID()))
        if let problem = await installed.health().problem { throw problem }
        try directory.openNetwork(for: [installed])
        try await installed.checkSpeaker(of: parameters, isGiven: voice != nil || givesVoice)
        if dryRun {
            let made = try made(of: plan, by: installed, in: composition)
            let cost = PriceEstimate(
                of: made?.missing ?? Array(plan.segments.indices), installed, limits.prices,
                at: composition.seams.date()
            ) { plan.request($0, id: UUID()) }
            try await DryRun(plan: plan, files: files, made: made, cost: cost).report(
                json: json, quiet: quiet, to: composition.console)
            return .success
        }
        return try await narrate(plan, files, with: installed, prices: limits.prices, in: composition)
    }

    /// Who speaks where nobody says.
    static let usualProvider = "espeak-ng"

    /// What the store has of a narration; `nil` where it cannot be read, and that was said.
    private func made(
        of plan: NarrationPlan, by installed: InstalledProvider, in composition: Composition
    ) throws -> DryRun.Made? {
        let folder = try data.folder(in: composition)
        guard composition.storeExists(folder) else { return DryRun.Made(missing: Array(plan.segments.indices)) }
        do {
            let store = try composition.openStore(folder).store
            return try DryRun.Made(of: plan, by: installed.provider, in: store, at: composition.seams.date())
        } catch let error as AIServiceError where error.category == .storage {
            if !quiet { composition.console.note("hablare: \(CommandFailure(error).message)") }
            return nil
        }
    }

    /// Whether `--parameter voice=…` says the voice.
    private var givesVoice: Bool { parameter.contains { $0.name == "voice" } }

    private func narrate(
        _ plan: NarrationPlan, _ files: NarrationFiles, with installed: InstalledProvider, prices: PriceTable,
        in composition: Composition
    ) async throws -> CommandStatus {
        let console = composition.console
        if !quiet, let doubt = files.doubt(about: plan.estimatedSeconds) { console.note(doubt) }
        let session = JobSession(
            work: plan.work, installed: installed, retry: engine.retry(of: [installed]), prices: prices, data: data,
            quiet: quiet, seconds: { await AudioSource.seconds(of: $0) })
        let narration = NarrationRun(plan: plan, files: files, data: data)
        return try await session.run(in: composition) { workplace, ids, gaps in
            try await narration.finish(ids, gaps, by: workplace.manager, composition.seams.clock)
        } report: { ended in
            let report = NarrationReport(
                plan: plan, files: files, progress: ended.progress, end: ended.end, finished: ended.finished,
                command: ended.command, data: data)
            try await report.print(json: json, quiet: quiet, to: console)
            return report.status
        }
    }
}
