import ArgumentParser
import Foundation
import Hablare
import HablareAudio
import HablareSpeech

struct NarrateCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "narrate",
        abstract: "Read a text aloud into one audio file.",
        usage: "hablare narrate <file> [<options>]",
        discussion: """
            EXAMPLES:
              hablare narrate book.txt
              hablare narrate book.txt --voice en-gb --parameter rate=150 -o book.mp3
              hablare narrate book.txt --provider openai --dry-run

            The text is split into segments, and each segment is a stored request. After Ctrl-C, a crash or a power \
            failure, run the same command again. The second run continues where the first run stopped, and retries \
            failed segments. The finished audio has the same bytes as without the interruption.

            These providers can speak: espeak-ng, flite, hibari, piper, services such as openai and elevenlabs, and \
            programs in programs.json whose "answer" is "audio/wav". The default is default_provider.narrate in the \
            settings. Without this setting, the default is espeak-ng. `hablare voices` lists the voices.

            If the provider is a service that charges, each segment is a paragraph. Otherwise, each segment is a \
            sentence. Paragraphs take fewer calls than sentences and sound more natural. A paragraph ends at a blank \
            line. If a paragraph is longer than the service accepts, the command splits the paragraph at the end of a \
            sentence. To split the text in another way, pass --split.

            The command also writes a timeline, a file next to the audio, such as book.wav.timeline.json. The timeline \
            has the time at which each segment begins. With --split sentence, the timeline has an entry for each \
            sentence, even if a service reads the text.

            If another narration has made a segment with the same text, voice and parameters in the last hour, the \
            command reuses the audio of that segment. The command reuses the audio even if the speech program was \
            updated in the meantime.

            The command requests WAV from services, because WAV can be joined without gaps. To request another format, \
            pass --parameter format=NAME. To some services, the command also sends the text before and after each \
            segment, so that the speech flows naturally.
            """)

    @Argument(help: "The text file, in UTF-8; - is standard input.", completion: .file())
    var file: String

    @OptionGroup var asked: ServiceOptions

    @Option(help: "The voice. Default: the provider's default voice. `hablare voices` lists the voices.")
    var voice: String?

    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            "The audio file: .wav, .flac or .mp3. Default: the name of the text file with .wav, in the current folder.",
            valueName: "file"),
        completion: .file(extensions: ["wav", "flac", "mp3"]))
    var output: String?

    @Option(
        help: """
            Where to split the text into segments. Default: paragraph if the provider is a service that charges, \
            otherwise sentence.
            """)
    var split: TextSegmenter.Unit?

    @Flag(
        help: """
            Print the number of segments, how many are finished, and the estimated length and cost. The command then \
            makes no call and no audio, and needs no key. If an earlier version of hablare wrote the store, the \
            command still migrates the store. The length is estimated for English at the speed of espeak-ng and flite.
            """)
    var dryRun = false

    @Flag(help: "Print a JSON object at the end.")
    var json = false

    @OptionGroup var options: JobOptions

    func run(in composition: Composition) async throws -> CommandStatus {
        let team = try await AskedProvider(
            asked, options, for: .narrate, making: .audio, program: "audio/wav", asksNobody: dryRun,
            in: composition)
        let installed = team.installed
        let given = try installed.parameters(voice: voice, asked.parameter)
        let parameters = try SpokenFormat.joinable(given, of: installed)
        let files = try NarrationFiles(input: file, output: output, in: composition)
        try files.checkOutput()
        let plan = try plan(of: try files.readInput(in: composition), files.source, parameters, team, composition)
        try await team.open(for: plan.request(0, id: UUID()))
        if !team.isUnasked {
            try await installed.checkSpeaker(of: parameters, isGiven: voice != nil || asked.givesVoice)
        }
        if dryRun {
            if team.isUnasked, !options.quiet {
                composition.console.note(
                    """
                    A dry run makes no call. It does not check whether \(installed.name) has a key, can be reached \
                    and has the voice.
                    """)
            }
            let made = try made(of: plan, by: team, in: composition)
            let cost = PriceEstimate(
                of: made?.missing ?? Array(plan.segments.indices), installed, team.prices,
                at: composition.seams.date()
            ) { plan.request($0, id: UUID()) }
            try await DryRun(plan: plan, files: files, made: made, cost: cost).report(
                json: json, quiet: options.quiet, to: composition.console)
            return .success
        }
        return try await narrate(plan, files, by: team, in: composition)
    }

    /// Returns the plan of a narration. If the narration was begun with sentences as segments, it continues with
    /// sentences, because its finished segments are paid for.
    private func plan(
        of text: Data, _ source: String, _ parameters: [String: ParameterValue], _ team: AskedProvider,
        _ composition: Composition
    ) throws -> NarrationPlan {
        func plan(by unit: TextSegmenter.Unit) throws -> NarrationPlan {
            try NarrationPlan(
                text: text, source: source, unit: unit, by: team, parameters: parameters,
                unknownOutcome: options.ifInterrupted.policy)
        }
        if let split { return try plan(by: split) }
        guard team.installed.isPaidVoice else { return try plan(by: .sentence) }
        let usual = try plan(by: .paragraph)
        let earlier = try plan(by: .sentence)
        guard try hasBegun(earlier, by: team, in: composition), try !hasBegun(usual, by: team, in: composition) else {
            return usual
        }
        if !options.quiet {
            composition.console.note(
                """
                This narration was begun sentence by sentence, and continues so. To start again with paragraphs: \
                --split paragraph
                """)
        }
        return earlier
    }

    /// Returns whether the store has requests of a narration. If the store cannot be read, a dry run reports this
    /// itself.
    private func hasBegun(_ plan: NarrationPlan, by team: AskedProvider, in composition: Composition) throws -> Bool {
        let folder = try options.data.folder(team.settings, in: composition)
        guard composition.storeExists(folder) else { return false }
        do {
            let store = try composition.openStore(folder).store
            return try !store.snapshots(SnapshotFilter(job: plan.job, limit: 1)).isEmpty
        } catch let error as AIServiceError where dryRun && error.category == .storage {
            return false
        }
    }

    /// Returns the stored part of a narration. If the store cannot be read, prints a note and returns `nil`.
    private func made(
        of plan: NarrationPlan, by team: AskedProvider, in composition: Composition
    ) throws -> DryRun.Made? {
        let folder = try options.data.folder(team.settings, in: composition)
        guard composition.storeExists(folder) else { return DryRun.Made(missing: Array(plan.segments.indices)) }
        do {
            let store = try composition.openStore(folder).store
            return try DryRun.Made(of: plan, by: team.installed.provider, in: store, at: composition.seams.date())
        } catch let error as AIServiceError where error.category == .storage {
            if !options.quiet { composition.console.note("hablare: \(CommandFailure(error).message)") }
            return nil
        }
    }

    private func narrate(
        _ plan: NarrationPlan, _ files: NarrationFiles, by team: AskedProvider, in composition: Composition
    ) async throws -> CommandStatus {
        let console = composition.console
        if !options.quiet, let doubt = files.doubt(about: plan.estimatedSeconds) { console.note(doubt) }
        let fileWrite = ExclusiveFileWrite(
            at: files.output.path, composition.seams.clock, console, isQuiet: options.quiet)
        return try await team.run(
            plan.work, SameCommand.Streams(readsInput: file == "-"), in: composition,
            consequence: "so there is no audio file yet", seconds: { await AudioSource.seconds(of: $0) }
        ) { storeSession, ids, gaps -> JoinedAudio? in
            guard gaps.isEmpty else { return nil }
            let join = NarrationJoin(plan: plan, files: files, manager: storeSession.manager, data: options.data)
            return try await fileWrite.write { try await join.run(ids) }
        } report: { ended in
            try await NarrationReport(plan: plan, files: files, ended: ended)
                .print(json: json, quiet: options.quiet, to: console)
        }
    }
}

extension InstalledProvider {
    /// Whether the provider is a service that charges for its speech.
    var isPaidVoice: Bool { service != nil && hasPrice }
}
