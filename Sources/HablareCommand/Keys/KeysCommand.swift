import ArgumentParser

/// `hablare keys`: the keys of services.
struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Store, list, test and delete the keys of services.",
        discussion: """
            A key is taken from the environment (HABLARE_OPENAI_KEY, OPENAI_API_KEY), else from where keys are stored: \
            credentials.json in $XDG_CONFIG_HOME/hablare or ~/.config/hablare, which only you may read, or the keychain \
            on Apple platforms. It is shown as sk-…c1f2, and never taken as an argument.

            EXAMPLES:
              hablare keys set openai            type or paste the key; it is not shown
              pass openai | hablare keys set openai
              hablare keys list
              hablare keys test openai
            """,
        subcommands: [KeysSetCommand.self, KeysListCommand.self, KeysTestCommand.self, KeysDeleteCommand.self])
}
