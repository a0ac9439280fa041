import ArgumentParser
import Foundation
import Hablare
import HablareProviders

struct EmbedCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "embed",
        abstract: "Turn texts into vectors.",
        usage: "hablare embed [<text>] [<options>]",
        discussion: """
            EXAMPLES:
              hablare embed --provider openai 'Whales sing.'
              hablare embed --provider openai -f sentences.txt -o vectors.jsonl
              cut -f 2 table.tsv | hablare embed --provider openai --json

            The argument is one text. In a file, and on standard input, each line is a text.

            The output has one JSON array of numbers on each line, in the order of the texts. Nothing is printed until \
            every text has its vector. So line N always belongs to text N.

            Finished vectors are kept. If you run the same command again, for example after Ctrl-C, the command \
            continues without repeating a finished call.
            """)

    @Argument(
        help: """
            The text. Without a text, or with -, each line of standard input is a text. If the text begins with -, put \
            -- before the text.
            """
    )
    var text: String?

    @Option(name: [.short, .long], help: "Read the texts from this file, one on each line.", completion: .file())
    var file: String?

    @OptionGroup var asked: ServiceOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            The length of the vectors, for a model that supports several lengths. Default: the model's default length.
            """, valueName: "n"))
    var dimensions: Int?

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("The output file. - is standard output. Default: standard output.", valueName: "file"),
        completion: .file(extensions: ["jsonl"]))
    var output: String?

    @Flag(help: "Print a JSON object for each text, with its id, model and tokens.")
    var json = false

    @OptionGroup var options: JobOptions

    func validate() throws {
        try checkNumber("--dimensions", dimensions, in: 1...65_536)
    }

    func run(in composition: Composition) async throws -> CommandStatus {
        let team = try await AskedProvider(
            asked, options, for: .embed, making: .embedding, program: "text", in: composition)
        let target = try Output(output, json: false, what: "vectors", in: composition)
        if let file = target.file {
            try Output.check([file], in: file.deletingLastPathComponent())
            // Vectors are written as JSON, which is text.
            _ = try AnswerConversion(of: .text, to: file)
        }
        let work = try vectors(by: team, in: composition)
        try await team.open(for: work.request(0, UUID()))
        let console = composition.console
        let lines = VectorLines(isObject: json, provider: team.installed.name, data: options.data)
        let streams = SameCommand.Streams(
            readsInput: InputFile.isStandardInput(text, file: file),
            printsElsewhere: try target.isStandardOutput && !console.showsOutput)
        return try await team.run(work, streams, in: composition, consequence: "so nothing is printed") {
            storeSession, ids, gaps in
            guard gaps.isEmpty else { return }
            guard let file = target.file else { return try await lines.print(ids, of: storeSession.store, to: console) }
            let writer = target.writer(in: composition, isQuiet: options.quiet)
            try await lines.write(ids, of: storeSession.store, to: try OutputDestination(file).url, writer)
        } report: { _ in
            // The vectors are the only output.
        }
    }

    private func vectors(by team: AskedProvider, in composition: Composition) throws -> JobWork {
        let installed = team.installed
        let parameters = try installed.adding(
            [("--dimensions", "dimensions", dimensions.map { .int(Int64($0)) })],
            to: installed.parameters(voice: nil, asked.parameter))
        let input = try InputFile.given(text, file: file, in: composition)
        let isOneText = file == nil && text != nil && text != "-"
        let texts = try TextLines.texts(of: input.text, from: input.source, isOne: isOneText)
        let instance = installed.provider.instance.rawValue
        let words = ["embed 1", installed.name, instance, installed.model ?? ""].map { Data($0.utf8) }
        let policy = options.ifInterrupted.policy
        let work = JobWork(
            job: .hashing(words + texts.map { Data($0.utf8) } + [Data()] + (try parameters.jobParts())),
            provider: installed.provider.id, count: texts.count, noun: "text"
        ) { index, id in
            AIRequest(
                id: id, prompt: .text(texts[index]), model: installed.askedModel, parameters: parameters,
                unknownOutcome: policy)
        }
        for (index, text) in texts.enumerated() {
            let count = text.unicodeScalars.count
            guard let most = installed.provider.limits.maximumCharacters, count > most else { continue }
            throw CommandFailure(
                .badInput,
                "Text \(index + 1) has \(count) characters; \(installed.name) accepts \(most) at once. Shorten it.")
        }
        return work
    }
}
