import ArgumentParser
import Foundation
import Hablare
import HablareAudio
import HablareSpeech

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

    @Option(help: "The voice. Default: the provider's. See: hablare voices")
    var voice: String?

    @Option(
        name: [.short, .long],
        help: "The audio file: .wav, .flac or .mp3. Default: the text's name with .wav, in the current folder.",
        completion: .file(extensions: ["wav", "flac", "mp3"]))
    var output: String?

    @Option(help: "What becomes a segment.")
    var split = TextSegmenter.Unit.sentence

    @Flag(
        help: """
            Only say what would be done, and what of it is made already; make nothing. To know that, a store that is \
            there is opened, which brings one of an earlier version up to date. How long the audio will be is \
            estimated by the number of characters and segments, and --parameter rate or speed, as espeak-ng and flite \
            speak English. A service is not asked, and needs no key for it.
            """)
    var dryRun = false

    @Flag(help: "Print one JSON object at the end.")
    var json = false

    @OptionGroup var options: JobOptions

    func run(in composition: Composition) async throws -> CommandStatus {
        let team = try AskedProvider(
            asked, options, for: .narrate, making: .audio, program: "audio/wav", asksNobody: dryRun,
            in: composition)
        let installed = team.installed
        let given = try installed.parameters(voice: voice, asked.parameter)
        let parameters = try SpokenFormat.joinable(given, of: installed)
        let files = try NarrationFiles(input: file, output: output, in: composition)
        try files.checkOutput()
        let plan = try NarrationPlan(
            text: try files.readInput(in: composition), source: files.source, unit: split, by: team,
            parameters: parameters, unknownOutcome: options.ifInterrupted.policy)
        try await team.open(for: plan.request(0, id: UUID()))
        if !team.isUnasked {
            try await installed.checkSpeaker(of: parameters, isGiven: voice != nil || asked.givesVoice)
        }
        if dryRun {
            if team.isUnasked, !options.quiet {
                composition.console.note(
                    "A dry run asks nobody: whether \(installed.name) has a key, can be reached and has the voice is not "
                        + "looked at.")
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

    /// Returns the stored part of a narration; `nil`, after a note, if it cannot be read.
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
