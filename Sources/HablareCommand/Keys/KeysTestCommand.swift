import ArgumentParser
import Hablare
import HablareProviders

struct KeysTestCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Check whether a service accepts its key.",
        discussion: """
            EXAMPLES:
              hablare keys test openai
              hablare keys test openai --account work
              hablare keys test local            a service in hablare.yaml

            The command makes one call that costs nothing.

            Exit status: 0 the service accepts the key; 1 the service does not accept the key, or cannot be reached; \
            66 there is no key; 69 the service has no call that checks a key.
            """)

    @OptionGroup var key: KeyOptions

    @OptionGroup var configuration: ConfigurationOptions

    func validate() throws { _ = try key.name() }

    func run(in composition: Composition) async throws -> CommandStatus {
        let name = try key.name()
        let checks = composition.keyChecks(try configuration.settings(in: composition), composition)
        guard let check = checks[name.service] else {
            let hint = NearestNames(checks.keys.sorted()).hint(for: name.service)
            throw CommandFailure(
                .unavailable,
                """
                The key of \(name.service) cannot be tested: its service is unknown or has no test.\(hint)
                """)
        }
        let chain = composition.credentials
        guard let found = try await OwnThread.run({ _ in try chain.credential(named: name) }) else {
            throw CommandFailure(.inputMissing, "There is no key for \(name). Store one with: \(name.storing)")
        }
        let key = "the key \(found.credential.key) from \(found.source)"
        do {
            let word = try await check(found.credential.key)
            try await composition.console.print("\(name.service) accepts \(key)\(word.map { ". \($0)" } ?? "")")
            return .success
        } catch let error as AIServiceError where error.code == .unauthorized {
            throw CommandFailure(.incomplete, "\(name.service) does not accept \(key). \(error.words)")
        }
    }
}

/// Calls a service to check whether it accepts a key. Returns a sentence about the account; `nil` if there is none.
typealias KeyCheck = @Sendable (APIKey) async throws -> String?
