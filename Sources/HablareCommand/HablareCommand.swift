public import ArgumentParser

/// The `hablare` command.
public struct HablareCommand: AsyncParsableCommand {
    /// The command's name and help.
    public static let configuration = CommandConfiguration(
        commandName: "hablare", abstract: "Does slow things durably: narrates texts with any local voice.")

    /// Creates the command.
    public init() {}
}
