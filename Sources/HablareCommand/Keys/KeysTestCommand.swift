import ArgumentParser
import Hablare
import HablareProviders

struct KeysTestCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Ask a service whether it takes the key.",
        discussion: """
            Makes one call that costs nothing. Exit status 0 when the key is taken, 1 when it is not or the service \
            cannot be reached, 66 when there is no key.

            EXAMPLES:
              hablare keys test openai
              hablare keys test openai --account work
              hablare keys test local            a service of hablare.yaml
            """)

    @OptionGroup var key: KeyOptions

    @OptionGroup var configuration: ConfigurationOptions

    func validate() throws { _ = try key.name() }

    func run(in composition: Composition) async throws -> CommandStatus {
        let name = try key.name()
        let checks = composition.keyChecks(try configuration.settings(in: composition), composition)
        guard let check = checks[name.service] else {
            let hint = NearestNames(checks.keys.sorted()).hint(for: name.service)
            throw CommandFailure(.unavailable, "Nothing here can ask \(name.service) whether it takes a key.\(hint)")
        }
        let chain = composition.credentials
        guard let found = try await OwnThread.run({ _ in try chain.credential(named: name) }) else {
            throw CommandFailure(.inputMissing, "There is no key for \(name). Store one with: \(name.storing)")
        }
        let key = "the key \(found.credential.key) from \(found.source)"
        do {
            let word = try await check(found.credential.key)
            try await composition.console.print("\(name.service) takes \(key)\(word.map { ". \($0)" } ?? "")")
            return .success
        } catch let error as AIServiceError where error.code == .unauthorized {
            throw CommandFailure(.incomplete, "\(name.service) does not take \(key). \(error.words)")
        }
    }
}

/// Asks a service whether it accepts a key. Returns a sentence about the account, if there is one.
typealias KeyCheck = @Sendable (APIKey) async throws -> String?
