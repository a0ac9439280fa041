import ArgumentParser
import Hablare
import HablareProviders

/// `hablare voices`: who can speak.
struct VoicesCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "voices",
        abstract: "List the voices that are installed.",
        discussion: """
            EXAMPLES:
              hablare voices
              hablare voices --provider espeak-ng --language en
            """)

    @Option(name: .long, help: "Only this provider's.")
    var provider: String?

    @Option(name: .long, help: "Only voices whose language begins with this, such as en or pt-br.")
    var language: String?

    @Flag(name: .long, help: "Print a JSON array.")
    var json = false

    @OptionGroup var data: DataOptions

    private struct Row: Encodable {
        let provider: String
        let voice: String
        let language: String?
        let gender: String?
        let aliases: [String]
    }

    func run(in composition: Composition) async throws -> CommandStatus {
        // Not needed yet; but a file that is not as it should be is never passed over in silence.
        _ = try data.settings(in: composition)
        let all = try composition.providers(.forAsking())
        let console = composition.console
        var rows: [Row] = []
        for installed in try provider.map({ [try all.named($0, answering: "audio/wav", in: composition)] }) ?? all {
            let id = installed.provider.id.rawValue
            guard installed.provider.responseType == .audio else {
                if provider != nil { console.note("\(id) has no voices: its answers are no audio.") }
                continue
            }
            if let problem = await installed.health().problem {
                if provider != nil { throw problem }
                console.note("\(id): \(problem.message)")
                continue
            }
            let voices = try await installed.voices()
            if voices.isEmpty { console.note("\(id): it does not list its voices.") }
            rows += voices.filter(matches).map {
                Row(provider: id, voice: $0.id, language: $0.language, gender: $0.gender?.rawValue, aliases: $0.aliases)
            }
        }
        if json {
            try await console.print(JSONText.of(rows))
            return .success
        }
        var table = Table(["PROVIDER", "VOICE", "LANGUAGE", "GENDER", "ALSO CALLED"])
        for row in rows {
            table.append([
                row.provider, row.voice, row.language ?? "-", row.gender ?? "-", row.aliases.joined(separator: ", "),
            ])
        }
        if table.isEmpty, provider.map({ name in !all.isSilent(name) }) ?? true {
            console.note("No voice is like that.")
        } else if !table.isEmpty {
            try await console.print(table.lines(console.outputStyle).joined(separator: "\n"), isStyled: true)
        }
        return .success
    }

    private func matches(_ voice: CommandVoice) -> Bool {
        guard let language else { return true }
        return (voice.language ?? "").lowercased().hasPrefix(language.lowercased())
    }
}
