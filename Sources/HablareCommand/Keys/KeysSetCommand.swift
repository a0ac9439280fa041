import ArgumentParser
import Foundation
import Hablare
import HablareProviders

struct KeysSetCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Store a key, typed at a prompt or piped in.",
        discussion: """
            EXAMPLES:
              hablare keys set openai
              hablare keys set openai --account work --expires 2027-01-01
              pass openai | hablare keys set openai

            A key is not shown while you type it. On standard input, the key is one line. A key cannot be passed as an \
            argument, because the shell's history keeps arguments, and other users of this machine can see arguments.
            """)

    @OptionGroup var key: KeyOptions

    @Option(
        help: ArgumentHelp("The day (UTC) from which the key is no longer valid, such as 2027-01-01.", valueName: "day")
    )
    var expires: String?

    func validate() throws {
        guard !key.holdsKey else {
            throw ValidationError(
                """
                A key cannot be an argument: arguments are kept in your shell's history and other users of this \
                machine can see them. If this is a key, create a new one\(page), revoke this one, and store the new \
                one with: hablare keys set SERVICE
                """)
        }
        _ = try key.name()
        if let expires, UTCDay(expires) == nil {
            throw ValidationError("--expires must be a day such as 2027-01-01.")
        }
    }

    func run(in composition: Composition) async throws -> CommandStatus {
        let name = try key.name()
        let store = try composition.writableKeys()
        let console = composition.console
        let end = expires.flatMap { UTCDay($0)?.start }
        guard end.map({ $0 > composition.seams.date() }) ?? true else {
            throw CommandFailure(.usage, "The day of --expires has already begun. Give a later day.")
        }
        // Fail before the user types a key that cannot be stored.
        let old = try await OwnThread.run { _ in try store.credential(named: name) }
        let text = try await composition.readSecret("Key for \(name) (it is not shown): ")
        let secret: APIKey
        do throws(AIServiceError) {
            secret = try APIKey(text)
        } catch {
            throw CommandFailure(.badInput, "\(error.message) Nothing was stored.")
        }
        let now = Date(timeIntervalSince1970: composition.seams.date().timeIntervalSince1970.rounded(.down))
        let credential = Credential(secret, expires: end, stored: now)
        try await OwnThread.run { _ in try store.set(credential, for: name) }
        if let advice = KnownService.advice(for: secret, of: name.service) { console.note("It is stored. \(advice)") }
        let replaced = old.map {
            $0.credential.key == secret ? "; it was already stored" : ", replacing \($0.credential.key)"
        }
        try await console.print("stored the key \(secret) for \(name) in \(store.source)\(replaced ?? "")")
        composition.tellOfStronger(than: store, name)
        return .success
    }

    private var page: String { KnownService.named(key.service).map { " at \($0.page)" } ?? "" }
}

extension Composition {
    /// Prints a note if another source of the service's key has precedence over the given store.
    func tellOfStronger(than store: any CredentialStore, _ name: CredentialName) {
        let stronger: CredentialSource
        do throws(AIServiceError) {
            guard let found = try credentials.first(named: name), found.source != store.source else { return }
            stronger = found.source
        } catch {
            return console.note(error.message)
        }
        console.note(
            "The key for \(name) in \(stronger) takes precedence while it is set.".capitalisedFirst)
    }
}

extension String {
    fileprivate var capitalisedFirst: String { prefix(1).uppercased() + dropFirst() }
}

struct KeysDeleteCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a stored key.",
        discussion: """
            EXAMPLES:
              hablare keys delete openai
              hablare keys delete openai --account work

            Does not ask for confirmation. The service accepts the key until you revoke it there. A key in the \
            environment does not change.
            """)

    @OptionGroup var key: KeyOptions

    func validate() throws { _ = try key.name() }

    func run(in composition: Composition) async throws -> CommandStatus {
        let name = try key.name()
        let store = try composition.writableKeys()
        guard let deleted = try await OwnThread.run({ _ in try store.delete(name) }) else {
            composition.tellOfStronger(than: store, name)
            throw CommandFailure(
                .inputMissing,
                "There is no key for \(name) in \(store.source). To list the keys: hablare keys list"
            )
        }
        let page = KnownService.named(name.service).map { " at \($0.page)" } ?? " there"
        try await composition.console.print(
            "deleted the key \(deleted.credential.key) for \(name) from \(store.source)")
        composition.console.note("\(name.service) accepts it until you revoke it\(page).")
        composition.tellOfStronger(than: store, name)
        return .success
    }
}
