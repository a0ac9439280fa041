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

    /// Whether a word stands where none belongs, or one that is no service's name but could be a key.
    var holdsKey: Bool {
        do throws(AIServiceError) {
            _ = try CredentialName(service)
            return !surplus.isEmpty
        } catch {
            return !surplus.isEmpty || service.hasPrefix("sk") || service.count >= Self.leastOfKey
        }
    }

    /// The name.
    ///
    /// - Throws: `ValidationError`, which repeats none of the words: one of them may be a key.
    func name() throws -> CredentialName {
        guard surplus.isEmpty else { throw ValidationError("Give one service.") }
        do throws(AIServiceError) {
            return try CredentialName(service, account: account)
        } catch {
            throw ValidationError(error.message)
        }
    }

    private static let leastOfKey = 16
}
