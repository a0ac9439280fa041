import ArgumentParser
import Hablare
import HablareProviders

struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Store, list, test and delete the keys of services.",
        discussion: """
            EXAMPLES:
              hablare keys set openai            type or paste the key; it is not shown
              pass openai | hablare keys set openai
              hablare keys list
              hablare keys test openai

            If a key is in the environment (HABLARE_OPENAI_KEY or OPENAI_API_KEY) and also stored, the key in the \
            environment is used. Stored keys are in credentials.json, in $XDG_CONFIG_HOME/hablare or \
            ~/.config/hablare. Only you can read this file. On Apple platforms, stored keys are in the keychain.

            Only the beginning and the end of a key are shown, such as sk-…c1f2. A key cannot be passed as an \
            argument.
            """,
        subcommands: [KeysSetCommand.self, KeysListCommand.self, KeysTestCommand.self, KeysDeleteCommand.self])
}

struct KeyOptions: ParsableArguments {
    @Argument(help: "The service, such as openai, anthropic or elevenlabs.")
    var service: String

    @Argument(help: .hidden)
    var surplus: [String] = []

    @Option(help: "The name that you gave to an account, such as work, if you have several accounts at the service.")
    var account: String?

    /// Whether the arguments may contain a key: a surplus word, a word that looks like a key, or a name that could be a
    /// key.
    var holdsKey: Bool {
        guard !looksLikeKey else { return true }
        do throws(AIServiceError) {
            _ = try CredentialName(service)
            return !surplus.isEmpty
        } catch {
            return !surplus.isEmpty || service.hasPrefix("sk") || service.count >= Self.leastOfKey
        }
    }

    /// Whether a word looks like a key. A word of 32 hexadecimal digits counts as a key, although it could also be a
    /// name.
    private var looksLikeKey: Bool {
        (surplus + [service, account].compactMap(\.self)).contains(where: KnownService.isKey)
    }

    func name() throws -> CredentialName {
        guard !looksLikeKey else {
            throw ValidationError(
                """
                An argument looks like a key. Arguments are kept in your shell's history and other users of this \
                machine can see them. If it is a key, create a new one and revoke this one. Pass only the service, \
                such as openai.
                """)
        }
        guard surplus.isEmpty else { throw ValidationError("Pass exactly one service.") }
        do throws(AIServiceError) {
            return try CredentialName(service, account: account)
        } catch {
            throw ValidationError(error.message)
        }
    }

    private static let leastOfKey = 16
}

/// The argument parser's message about `hablare keys`, without words that may be a key. The words are removed because
/// the parser repeats words that it does not understand, and terminals log them.
enum KeyWords {
    private static let known: Set<String> = Set(
        [
            "keys", "set", "list", "test", "delete", "help", "-h", "--help", "--version", "--account", "--expires",
            "--json", "--config",
        ]
            + KnownService.all.map(\.id))

    static func hidden(in message: String, of arguments: [String]) -> String {
        guard arguments.first == "keys" else { return message }
        let words = arguments.flatMap { word in
            [word]
                + (word.firstIndex(of: "=").map { [String(word[..<$0]), String(word[word.index(after: $0)...])] } ?? [])
        }
        return words.filter { !$0.isEmpty && !known.contains($0) }.sorted { $0.count > $1.count }
            .reduce(message) { message, word in
                // A short word may be part of other words.
                let message = message.replacing("'\(word)'", with: "'…'")
                return word.count < leastOfKey ? message : message.replacing(word, with: "…")
            }
    }

    private static let leastOfKey = 8
}
