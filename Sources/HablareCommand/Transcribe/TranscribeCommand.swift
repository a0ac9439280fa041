import ArgumentParser
import Foundation
import Hablare
import HablareProviders

struct TranscribeCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "transcribe",
        abstract: "Transcribe recordings of speech.",
        discussion: """
            A provider is a service (openai, elevenlabs, a server with OpenAI's API) or a program (whisper-cpp, with \
            --parameter model=FILE). Recordings are WAV, MP3, FLAC, Ogg, M4A or WebM files.

            Recordings are stored before they are sent. Transcripts are stored when they arrive. After Ctrl-C or a \
            crash, run the same command again. The second run requests only the missing transcripts, so you do not pay \
            for a finished transcript again. A recording without speech gets an empty transcript. That is not an \
            error.

            EXAMPLES:
              hablare transcribe --provider openai talk.mp3
              hablare transcribe --provider elevenlabs talk.mp3 -o talk.srt
              hablare transcribe --provider openai --json a.wav b.wav
              hablare transcribe --provider whisper-cpp --parameter model=ggml-base.bin *.wav -o transcripts/
            """)

    @Argument(help: "The recordings; - is standard input.", completion: .file())
    var recordings: [String]

    @OptionGroup var asked: ServiceOptions

    @Option(help: "The language of the recording, such as en or es. Default: the model detects the language.")
    var language: String?

    @Option(help: "A text that helps the model: names and words to expect. Only for OpenAI and servers with its API.")
    var hint: String?

    @Option(
        help: """
            The format of the transcript: text, srt, vtt or json. Default: srt, vtt or json if the output file has \
            this extension, otherwise text. srt and vtt need a model that returns times.
            """)
    var format: TranscriptFormat?

    @Option(
        name: [.short, .long],
        help: """
            The file for the transcript. For several recordings: the folder for the transcripts. Without this option, \
            or with -, the output goes to standard output.
            """,
        completion: .file())
    var output: String?

    @Flag(
        help: """
            Print a JSON object with the text, and with the times if the model returns times. For several recordings: \
            an array.
            """
    )
    var json = false

    @OptionGroup var options: JobOptions

    func validate() throws {
        guard !recordings.isEmpty else { throw ValidationError("Name a recording, such as talk.mp3.") }
        guard recordings.filter({ $0 == "-" }).count <= 1 else {
            throw ValidationError("Standard input is one recording. Give - once.")
        }
    }

    func run(in composition: Composition) async throws -> CommandStatus {
        let places = try TranscriptPlaces(
            output, format: format, isJSON: json, recordings: recordings, in: composition)
        // Before the provider: a misspelled name matters more than a key.
        let files = try Self.read(recordings, in: composition)
        let team = try await AskedProvider(
            asked, options, for: .transcribe, making: .text, program: "text", in: composition)
        let work = try transcripts(of: files, as: places.format, by: team)
        try Self.check(files, work, with: team.installed)
        try await team.open(for: work.request(0, UUID()))
        let console = composition.console
        let streams = SameCommand.Streams(
            readsInput: recordings.contains("-"), printsElsewhere: places.isStandardOutput && !console.showsOutput)
        return try await team.run(work, streams, in: composition, consequence: "and the others are written") {
            workplace, ids, gaps in
            let missing = Set(gaps.map(\.index))
            var written = WrittenTranscripts(places: places, provider: team.installed.name, data: options.data)
            for (index, id) in ids.enumerated() where !missing.contains(index) {
                try await written.add(
                    files[index], at: index, id, from: workplace.store, isQuiet: options.quiet, in: composition)
            }
            return written
        } report: { ended in
            for gap in ended.gaps where files.count > 1 {
                console.note("Recording \(gap.index + 1) is \(files[gap.index].name).")
            }
            try await ended.value?.finish(isJSON: json, console)
        }
    }

    /// Reads all recordings, so that an invalid recording is reported before anything is sent.
    private static func read(_ names: [String], in composition: Composition) throws -> [RecordingFile] {
        var files: [RecordingFile] = []
        var failures: [CommandFailure] = []
        for name in names {
            do {
                files.append(try RecordingFile(name, in: composition))
            } catch let failure as CommandFailure {
                failures.append(failure)
            }
        }
        try together(failures)
        return files
    }

    /// Checks each recording with the provider, which knows the sizes and formats that it accepts.
    private static func check(_ files: [RecordingFile], _ work: JobWork, with installed: InstalledProvider) throws {
        var failures: [CommandFailure] = []
        for (index, file) in files.enumerated() {
            do {
                try installed.check(work.request(index, UUID()))
            } catch let error as AIServiceError {
                let failure = CommandFailure(error)
                failures.append(CommandFailure(failure.status, "\(file.name): \(failure.message)"))
            }
        }
        try together(failures)
    }

    /// Throws one failure that names each of several failures.
    private static func together(_ failures: [CommandFailure]) throws {
        guard let first = failures.first else { return }
        throw failures.count == 1
            ? first : CommandFailure(first.status, failures.map(\.message).joined(separator: "\n"))
    }

    private func transcripts(
        of files: [RecordingFile], as format: TranscriptFormat, by team: AskedProvider
    ) throws -> JobWork {
        let installed = team.installed
        // A program's own form says whether it gives times. Services give them on request, and some models none.
        let times: ParameterValue? = format.needsTimes ? "true" : format == .json || json ? "auto" : nil
        let given = try installed.parameters(voice: nil, asked.parameter)
        let wanted = installed.service == nil || given["timestamps"] != nil ? nil : times
        let parameters = try installed.adding(
            [
                ("--language", "language", language.map { .string($0) }),
                ("--format", "timestamps", wanted),
            ], to: given)
        let hints: [Prompt.Part] = hint.map { [.text($0)] } ?? []
        let instance = installed.provider.instance.rawValue
        var words = ["transcribe 1", installed.name, instance, installed.model ?? "", hint ?? ""].map { Data($0.utf8) }
        for file in files { words += [Data(file.format.rawValue.utf8), Data(file.body.digest)] }
        let policy = options.ifInterrupted.policy
        return JobWork(
            job: .hashing(words + [Data()] + (try parameters.jobParts())), provider: installed.provider.id,
            count: files.count, noun: "recording"
        ) { index, id in
            let parts: [Prompt.Part] = [.audio(files[index].body, files[index].format)] + hints
            return AIRequest(
                id: id, prompt: .messages([Prompt.Message(role: .user, parts: parts)]), model: installed.askedModel,
                parameters: parameters, unknownOutcome: policy)
        }
    }
}
