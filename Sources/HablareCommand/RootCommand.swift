import ArgumentParser
import HablareProviders

struct RootCommand: ParsableCommand {
    static let version = BuildVersion.text

    static let configuration = CommandConfiguration(
        commandName: "hablare",
        abstract: "Run AI requests durably, and resume after a crash: narrate books, generate text, speech and images.",
        discussion: """
            Every request is stored on disk before it is sent. After a crash, run the same command again. The second \
            run continues where the first run stopped.

            EXAMPLES:
              hablare init                    set up the first service
              hablare narrate book.txt        read a book aloud into book.wav
              hablare generate --provider openai --stream 'Tell me about whales.'
                                              print an answer as it arrives
              hablare speak --provider elevenlabs 'Good morning.' -o morning.mp3
              hablare transcribe --provider elevenlabs talk.mp3 -o talk.srt
              hablare image --provider openai 'A whale that reads.' -o whale.png
              hablare ps                      list finished, running and waiting requests
              hablare providers               list providers, and why a provider is unusable
              hablare models openai           list models with prices and retirement dates
              hablare doctor                  check the store, the programs and the voices

            EXIT STATUS:
              0 done; 1 partly done; 2 done, but the output also contains a part of an earlier attempt
              64 usage; 65 bad input; 66 input missing; 69 provider missing
              73 output cannot be created; 74 reading or writing failed; 75 busy, try later
              78 a newer or damaged store, or an invalid file of settings, programs,
                 prices or keys
              130 Ctrl-C; 141 the reader of the output closed it; 143 SIGTERM
            """,
        version: version,
        subcommands: [
            GenerateCommand.self, NarrateCommand.self, SpeakCommand.self, ImageCommand.self, EmbedCommand.self,
            TranscribeCommand.self,
            PsCommand.self, ShowCommand.self, WatchCommand.self,
            StreamCommand.self,
            LogsCommand.self, CancelCommand.self, RetryCommand.self, RemoveCommand.self, PruneCommand.self,
            WorkCommand.self, CostCommand.self, ProvidersCommand.self, ModelsCommand.self, KeysCommand.self,
            InitCommand.self, ConfigCommand.self, TemplateCommand.self, VoicesCommand.self, DoctorCommand.self,
        ])

    /// Returns a failure that suggests the command that the user probably meant. The parser itself would only report
    /// unexpected words.
    static func unknownCommand(in arguments: [String]) -> CommandFailure? {
        guard let first = arguments.first, !first.isEmpty, !first.hasPrefix("-") else { return nil }
        let names = configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
        guard !names.contains(first) else { return nil }
        return CommandFailure(
            .usage,
            """
            Unknown command '\(first)'.\(NearestNames(names).hint(for: first)) `hablare --help` lists the \
            commands.
            """)
    }
}

extension RootCommand {
    private static let takingText: Set<String> = ["generate", "speak", "image", "embed"]

    /// Returns a failure that explains how to pass a text that begins with `-`. The parser would read `-what` as
    /// options, and print the help.
    static func dashedText(in arguments: [String]) -> CommandFailure? {
        guard let command = arguments.first, takingText.contains(command) else { return nil }
        let words = arguments.prefix { $0 != "--" }
        guard let index = words.firstIndex(where: mayBeText) else { return nil }
        return CommandFailure(
            .usage,
            """
            Argument \(index + 1) begins with - but is not an option. Put a text that begins with - at the end, after \
            --: hablare \(command) … -- TEXT. Join an option's value that begins with - to the option: \
            --option=VALUE.
            """)
    }

    /// Whether a word begins with `-` and is neither an option nor a number, so that it may be a text.
    private static func mayBeText(_ word: String) -> Bool {
        guard word.hasPrefix("-"), word.count > 2, Double(word) == nil else { return false }
        if word.hasPrefix("--") { return word.prefix { $0 != "=" }.contains(where: \.isWhitespace) }
        // Allows -o=FILE, and what users type for --help.
        return word.dropFirst(2).first != "=" && !["-help", "-version"].contains(word)
    }
}
