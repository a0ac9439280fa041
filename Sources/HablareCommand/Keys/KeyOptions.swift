import ArgumentParser
import Hablare
import HablareProviders

/// Whose key a command is about.
struct KeyOptions: ParsableArguments {
    @Argument(help: "The service, such as openai, anthropic or elevenlabs.")
    var service: String

    @Argument(help: .hidden)
    var surplus: [String] = []

    @Option(name: .long, help: "The label of one of several accounts there, such as work.")
    var account: String?

    /// Whether a word stands where none belongs, or one that looks like a key, or is no service's name but could be one.
    var holdsKey: Bool {
        guard !looksLikeKey else { return true }
        do throws(AIServiceError) {
            _ = try CredentialName(service)
            return !surplus.isEmpty
        } catch {
            return !surplus.isEmpty || service.hasPrefix("sk") || service.count >= Self.leastOfKey
        }
    }

    /// Also 32 hexadecimal digits, which could be a name.
    private var looksLikeKey: Bool {
        (surplus + [service, account].compactMap(\.self)).contains(where: KnownService.isKey)
    }

    /// The name.
    func name() throws -> CredentialName {
        guard !looksLikeKey else {
            throw ValidationError(
                """
                A key stands among the arguments, so it is in your shell's history now, and everybody on this machine could \
                read it. If it is one, make a new one and revoke it. Give the service, such as openai.
                """)
        }
        guard surplus.isEmpty else { throw ValidationError("Give one service.") }
        do throws(AIServiceError) {
            return try CredentialName(service, account: account)
        } catch {
            throw ValidationError(error.message)
        }
    }

    private static let leastOfKey = 16
}
