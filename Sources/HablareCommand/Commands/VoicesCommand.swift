import ArgumentParser
import Hablare
import HablareProviders

struct VoicesCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "voices",
        abstract: "List the voices of programs and services.",
        usage: "hablare voices [<options>]",
        discussion: """
            EXAMPLES:
              hablare voices
              hablare voices --provider espeak-ng --language en
              hablare voices --provider elevenlabs --gender female --refresh

            The command fetches a service's list of voices with the service's key, and keeps the list for a day. \
            Without --provider, the command leaves out services that cannot be called. `hablare providers` says why a \
            service cannot be called.
            """)

    @Option(help: "List only this provider's voices: a program, or a service such as elevenlabs.")
    var provider: String?

    @Option(help: "List only voices for this language. en also matches en-us.")
    var language: String?

    @Option(help: "List only voices of this gender: female or male.")
    var gender: String?

    @Option(help: "List only voices of this quality, such as neural or studio.")
    var quality: String?

    @Flag(help: "Fetch the services' lists of voices again, even if the kept lists are less than a day old.")
    var refresh = false

    @Flag(help: "Print a JSON array.")
    var json = false

    @OptionGroup var data: DataOptions

    private struct Row: ListRow {
        let provider: String
        let voice: String
        let name: String
        let language: String?
        let languages: [String]
        let gender: String?
        let quality: String?
        let summary: String?
        let aliases: [String]

        static let columns: [Column<Row>] = [
            Column("PROVIDER") { $0.provider },
            Column("VOICE") { $0.voice },
            Column("NAME") { $0.name == $0.voice ? "-" : $0.name },
            Column("LANGUAGE") { $0.language ?? "-" },
            Column("GENDER") { $0.gender ?? "-" },
            Column("QUALITY") { $0.quality ?? "-" },
            Column("ALIASES") { $0.aliases.joined(separator: ", ") },
        ]
    }

    func run(in composition: Composition) async throws -> CommandStatus {
        let settings = try data.settings(in: composition)
        let directory = try ProviderDirectory(settings, .forAsking(), in: composition)
        let console = composition.console
        let all =
            try provider.map { [try directory.named($0, answering: .audio, program: "audio/wav")] }
            ?? directory.everybody().providers.filter { $0.service == nil || $0.serviceVoices != nil }
        var rows: [Row] = []
        for installed in all {
            guard installed.provider.responseType == .audio else {
                if provider != nil { console.note("\(installed.name) has no voices: it does not answer with audio.") }
                continue
            }
            do {
                if let problem = await installed.health().problem { throw problem }
                let voices = try await voices(of: installed)
                // `hablare providers` reports a provider without a model.
                if voices.isEmpty, installed.problem == nil {
                    console.note("\(installed.name): it does not list its voices.")
                }
                let filter = SpeechVoiceFilter(language: language, gender: gender, quality: quality)
                for (voice, aliases) in voices where filter.accepts(voice) {
                    let row = Row(
                        provider: installed.name, voice: voice.id, name: voice.name, language: voice.languages.first,
                        languages: voice.languages, gender: voice.gender, quality: voice.quality,
                        summary: voice.summary, aliases: aliases)
                    rows.append(row)
                }
            } catch let error as AIServiceError where provider == nil && error.code != .cancelled {
                console.note("\(installed.name): \(error.message)")
            }
        }
        // The loop has already noted that a provider does not speak.
        let isTold = rows.isEmpty && !all.contains { $0.provider.responseType == .audio } && provider != nil && !json
        if !isTold { try await console.print(rows, json: json, orNote: "No voice matches.") }
        return .success
    }

    /// Returns the voices of a provider with their aliases; empty if the provider does not list its voices.
    private func voices(of installed: InstalledProvider) async throws -> [(voice: SpeechVoice, aliases: [String])] {
        if let service = installed.serviceVoices { return try await service.list(refresh).map { ($0, []) } }
        return try await installed.voices().map { voice in
            let described = SpeechVoice(
                id: voice.id, name: voice.id, languages: [voice.language].compactMap(\.self),
                gender: voice.gender?.rawValue, quality: installed.voiceQuality)
            return (described, voice.aliases)
        }
    }
}
