import ArgumentParser
import Foundation
import Hablare
import HablareAudio
import HablareProviders
import HablareSpeech

struct SpeakCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "speak",
        abstract: "Say one text, and write the sound.",
        discussion: """
            Who speaks is a service (openai, elevenlabs, a server of your own) or a program. Without --provider it is \
            default_provider.speak of the settings, else espeak-ng. A text that is longer than the provider takes at once \
            is cut at the ends of sentences, and the sound joined. For a book, with a timeline beside it, see hablare \
            narrate.

            The output is there whole or not at all. Everything is on disk first: stopped in the middle, the same \
            command goes on where it was, and what was said once is not asked for, or paid for, again. Everybody on the \
            machine can read the arguments of a command: give a private text in a file or on standard input.

            EXAMPLES:
              hablare speak 'Hello, world.' -o hello.mp3
              hablare speak --provider openai --model tts-1 --voice nova --speed 1.2 -f letter.txt -o letter.mp3
              hablare speak --provider elevenlabs --voice George 'Good evening.' | aplay
            """)

    @Argument(
        help: "What is said; without it, or with -, standard input is read. One that begins with - goes behind --.")
    var text: String?

    @Option(name: [.short, .long], help: "Say what is in this file, in UTF-8.", completion: .file())
    var file: String?

    @OptionGroup var asked: ServiceOptions

    @Option(help: "The voice. Default: the provider's. See: hablare voices")
    var voice: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How fast; 1 is the voice's own speed, 2 twice that.", valueName: "factor"))
    var speed: Double?

    @Option(
        help: """
            What the sound is: wav, flac, mp3, or what else the service makes, such as opus. Default: what the output's \
            name ends with, else wav.
            """)
    var format: String?

    @Option(
        name: [.short, .long],
        help: "The file. A pipe or device is written into. Default, and -: standard output, where that is no terminal.",
        completion: .file(extensions: ["wav", "flac", "mp3"]))
    var output: String?

    @Flag(help: "Print one JSON object at the end.")
    var json = false

    @OptionGroup var options: JobOptions

    func validate() throws {
        if let speed, !(speed > 0 && speed <= 10) {
            throw ValidationError("--speed is \(speed). Give a factor above 0 and at most 10, such as 1.2.")
        }
    }

    func run(in composition: Composition) async throws -> CommandStatus {
        let team = try AskedProvider(asked, options, for: .speak, making: .audio, program: "audio/wav", in: composition)
        let place = try Output(output, json: json, what: "sound", in: composition)
        try place.check(in: composition.console)
        let (plan, sound) = try plan(by: team, to: place, in: composition)
        try await team.open(for: plan.request(0, id: UUID()))
        try await team.installed.checkSpeaker(of: plan.parameters, isGiven: voice != nil || asked.givesVoice)
        return try await speak(plan, sound, to: place, by: team, in: composition)
    }

    private func plan(
        by team: AskedProvider, to place: Output, in composition: Composition
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
            throw CommandFailure(.usage, "The parameter format is given twice. Use --format alone.")
        }
        // The text determines the number of pieces, and the format depends on that number.
        let pieces = try plan().segments.count
        let sound = try SpokenFormat(format, file: place.file, pieces: pieces, given: given, of: installed)
        if let format = sound.parameter { parameters["format"] = .string(format) }
        return (try plan(), sound)
    }

    private func speak(
        _ plan: NarrationPlan, _ sound: SpokenFormat, to place: Output, by team: AskedProvider,
        in composition: Composition
    ) async throws -> CommandStatus {
        let console = composition.console
        let streams = SameCommand.Streams(
            readsInput: InputFile.isStandardInput(text, file: file), printsElsewhere: try place.isStandardOutput)
        let writer = SpokenAnswer(
            container: sound.container, kind: sound.kind, target: place, data: options.data, isQuiet: options.quiet,
            composition: composition)
        return try await team.run(
            plan.work, streams, in: composition, consequence: "so nothing is written yet",
            seconds: { await AudioSource.seconds(of: $0) }
        ) { workplace, ids, gaps in
            if gaps.isEmpty { try await writer.write(ids, of: workplace.store) }
        } report: { ended in
            try await SpeakReport(plan: plan, installed: team.installed, target: place, ended: ended)
                .print(json: json, quiet: options.quiet, to: console)
        }
    }
}
