import ArgumentParser
import HablareProviders

/// `hablare keys delete`: forgets a stored key.
struct KeysDeleteCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a key that is stored.",
        discussion: """
            Does not ask. The service goes on taking the key until it is revoked there. What the environment has stays \
            as it is.

            EXAMPLES:
              hablare keys delete openai
              hablare keys delete openai --account work
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
                "There is no key for \(name) in \(store.source). See those that there are: hablare keys list"
            )
        }
        let page = KnownService.named(name.service).map { " at \($0.page)" } ?? " there"
        try await composition.console.print(
            "deleted the key \(deleted.credential.key) for \(name) from \(store.source)")
        composition.console.note("\(name.service) takes it until you revoke it\(page).")
        composition.tellOfStronger(than: store, name)
        return .success
    }
}
