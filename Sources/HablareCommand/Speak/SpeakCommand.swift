import ArgumentParser
import Foundation
import Hablare
import HablareAudio
import HablareProviders
import HablareSpeech

struct SpeakCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "speak",
        abstract: "Turn a text into speech.",
        usage: "hablare speak [<text>] [<options>]",
        discussion: """
            EXAMPLES:
              hablare speak 'Hello, world.' -o hello.mp3
              hablare speak --provider openai --voice nova -f letter.txt -o letter.mp3
              hablare speak --provider elevenlabs --voice George 'Good evening.' | aplay

            The default provider is default_provider.speak in the settings. Without this setting, the default provider \
            is espeak-ng. If a text is longer than the provider accepts, the command splits the text at the ends of \
            sentences and joins the audio. For a book with a timeline, use `hablare narrate`.

            The output is written completely or not at all. After Ctrl-C or a crash, run the same command again. The \
            second run reuses finished audio, which is not billed again.

            Other users of this machine can see a command's arguments. Pass a private text in a file or on standard \
            input.
            """)

    @Argument(
        help: """
            The text. Without a text, or with -, standard input is read. If the text begins with -, put -- before the \
            text.
            """)
    var text: String?

    @Option(name: [.short, .long], help: "Read the text from this file, in UTF-8.", completion: .file())
    var file: String?

    @OptionGroup var asked: ServiceOptions

    @Option(help: "The voice. Default: the provider's default voice. `hablare voices` lists the voices.")
    var voice: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The speed: 1 is the normal speed of the voice, 2 is twice as fast.", valueName: "factor"))
    var speed: Double?

    @Option(
        help: """
            The audio format: wav, flac, mp3, or another format of the service, such as opus. Default: the extension \
            of --output. Without an extension, wav.
            """)
    var format: String?

    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            """
            The output file. - is standard output. Without -o, the output goes to standard output. If the output would \
            go to a terminal, the command stops with an error. An existing regular file is replaced. If the file is a \
            pipe or device, the output is written into it.
            """,
            valueName: "file"),
        completion: .file(extensions: ["wav", "flac", "mp3"]))
    var output: String?

    @Flag(help: "Print a JSON object at the end.")
    var json = false

    @OptionGroup var options: JobOptions

    func validate() throws {
        if let speed, !(speed > 0 && speed <= 10) {
            throw ValidationError("--speed is \(speed). Give a factor above 0 and at most 10, such as 1.2.")
        }
    }

    func run(in composition: Composition) async throws -> CommandStatus {
        let team = try await AskedProvider(
            asked, options, for: .speak, making: .audio, program: "audio/wav", in: composition)
        let target = try Output(output, json: json, what: "sound", in: composition)
        try target.check(in: composition.console)
        let (plan, sound) = try plan(by: team, to: target, in: composition)
        try await team.open(for: plan.request(0, id: UUID()))
        try await team.installed.checkSpeaker(of: plan.parameters, isGiven: voice != nil || asked.givesVoice)
        return try await speak(plan, sound, to: target, by: team, in: composition)
    }

    private func plan(
        by team: AskedProvider, to target: Output, in composition: Composition
    ) throws -> (NarrationPlan, SpokenFormat) {
        let installed = team.installed
        var parameters = try installed.adding(
            [installed.speed(speed)], to: installed.parameters(voice: voice, asked.parameter))
        let input = try InputFile.given(text, file: file, in: composition)
        func plan() throws -> NarrationPlan {
            try NarrationPlan(
                text: input.text, source: input.source, unit: .text, by: team, parameters: parameters,
                unknownOutcome: options.ifInterrupted.policy)
        }
        let given = installed.service == nil ? nil : parameters["format"]?.text
        guard given == nil || format == nil else {
            throw CommandFailure(.usage, "The parameter format is given twice. Use only --format.")
        }
        // The text determines the number of pieces, and the format depends on that number.
        let pieces = try plan().segments.count
        let sound = try SpokenFormat(format, file: target.file, pieces: pieces, given: given, of: installed)
        if let format = sound.parameter { parameters["format"] = .string(format) }
        return (try plan(), sound)
    }

    private func speak(
        _ plan: NarrationPlan, _ sound: SpokenFormat, to target: Output, by team: AskedProvider,
        in composition: Composition
    ) async throws -> CommandStatus {
        let console = composition.console
        let streams = SameCommand.Streams(
            readsInput: InputFile.isStandardInput(text, file: file), printsElsewhere: try target.isStandardOutput)
        let writer = SpokenAnswer(
            container: sound.container, kind: sound.kind, target: target, data: options.data, isQuiet: options.quiet,
            composition: composition)
        return try await team.run(
            plan.work, streams, in: composition, consequence: "so nothing is written yet",
            seconds: { await AudioSource.seconds(of: $0) }
        ) { storeSession, ids, gaps in
            if gaps.isEmpty { try await writer.write(ids, of: storeSession.store) }
        } report: { ended in
            try await SpeakReport(plan: plan, installed: team.installed, target: target, ended: ended)
                .print(json: json, quiet: options.quiet, to: console)
        }
    }
}
