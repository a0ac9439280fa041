import ArgumentParser
import Foundation
import Hablare
import HablareAudio

struct ShowCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one request, or write its answer to a file.",
        usage: "hablare show <id> [<options>]",
        discussion: """
            EXAMPLES:
              hablare show 01982f6e-6c4b-7d1e-9a3f-0123456789ab
              hablare show 01982f6e-6c4b-7d1e-9a3f-0123456789ab --output segment.wav

            The prompt is shown only with --prompt, because a prompt may be private.

            If a service sends an answer in a wrong format, the request fails. The answer is kept unchanged, and \
            --output writes the answer to a file.
            """)

    @Argument(help: RequestReference.help, transform: RequestReference.parse)
    var id: RequestReference

    @Flag(help: "Also show the prompt.")
    var prompt = false

    @Flag(help: "Print a JSON object.")
    var json = false

    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            """
            Write the answer to this file; - is standard output. Audio is converted to the format of the file's \
            extension: .wav, .flac or .mp3. An existing regular file is replaced. If the file is a pipe or device, the \
            output is written into it.
            """, valueName: "file"),
        completion: .file())
    var output: String?

    @OptionGroup var data: DataOptions

    func run(in composition: Composition) async throws -> CommandStatus {
        let settings = try data.settings(in: composition)
        let store = try data.openForRequest(settings, for: .reading, in: composition).store
        let id = try data.id(of: id, in: store)
        guard let snapshot = try store.snapshot(of: id), let stored = try store.request(of: id) else {
            throw data.unknown(id)
        }
        let details = RequestDetails(
            standing: try composition.standings(of: [snapshot], in: store, settings).first
                ?? RequestStanding(snapshot: snapshot),
            request: stored.request, response: try store.response(of: id), kept: try store.keptAnswer(for: id),
            showsPrompt: prompt)
        if let output {
            try await write(details, to: output, in: composition)
            if output == "-" { return .success }
        }
        let console = composition.console
        try await console.print(
            json ? JSONText.of(details) : lines(of: details, in: composition).joined(separator: "\n"), isStyled: !json)
        return .success
    }

    private func lines(of details: RequestDetails, in composition: Composition) -> [String] {
        let style = composition.console.outputStyle
        var lines = details.lines(style, at: composition.localTime, work: data.commandLine("work"))
        if details.snapshot.waiting == .held {
            lines += [
                "", "To retry it, which may be billed again:",
                "  \(data.commandLine("retry", details.snapshot.id.text))",
                "To cancel it:", "  \(data.commandLine("cancel", details.snapshot.id.text))",
            ].map(style.plain)
        }
        return lines
    }

    /// Writes an answer that could not be used, exactly as it arrived.
    private func write(
        _ kept: KeptAnswer, of id: UUID, to output: String, in composition: Composition
    ) async throws {
        guard let body = try kept.content.printable.body else { return }
        let type = ContentType(ofBeginning: try body.read(0..<256)) ?? .text
        if try output == "-" || OutputDestination(composition.url(output)).isStandardOutput {
            try composition.console.check(
                showing: type,
                instead: "Pipe it on, or write it to a file: \(data.commandLine("show", id.text, "-o", "FILE"))")
        }
        guard output != "-" else { return try await composition.console.write(body.read()) }
        let file = composition.url(output)
        try await KeptOutput(console: composition.console).run(writing: file) {
            try await AnswerFile(url: file, console: composition.console).take(body)
        }
    }

    private func write(_ details: RequestDetails, to output: String, in composition: Composition) async throws {
        let id = details.snapshot.id
        if details.response == nil, let kept = details.kept {
            return try await write(kept, of: id, to: output, in: composition)
        }
        guard let response = details.response else {
            throw CommandFailure(
                .inputMissing, "Request \(id.text) is \(details.standing.state) and has no answer to write.")
        }
        let content = try response.content
        if try output == "-" || OutputDestination(composition.url(output)).isStandardOutput {
            try composition.console.check(
                showing: content.type,
                instead: """
                    Pipe it to a program, or write it to a file: \(data.commandLine("show", id.text, "-o", "FILE"))
                    """)
        }
        guard let body = try content.printable.body else { return }
        guard output != "-" else { return try await composition.console.write(body.read()) }
        let file = composition.url(output)
        let conversion = try content.conversion(to: file)
        try await KeptOutput(console: composition.console).run(writing: file) {
            try await AnswerFile(url: file, console: composition.console).take(body, conversion)
        }
    }
}
