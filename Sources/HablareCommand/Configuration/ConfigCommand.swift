import ArgumentParser
import Foundation
import Hablare

struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Show and change the settings.",
        discussion: """
            EXAMPLES:
              hablare config set default_provider.generate openai
              hablare config set services.openai.model gpt-6-luna
              hablare config get services.openai.model
              hablare config list
              hablare config edit

            Settings are in hablare.yaml, in $XDG_CONFIG_HOME/hablare or ~/.config/hablare. Variables such as \
            HABLARE_NETWORK_PROXY override the file. `hablare config list --all` lists all settings. The keys of \
            services are not settings: see `hablare keys`.
            """,
        subcommands: [
            ConfigGetCommand.self, ConfigSetCommand.self, ConfigListCommand.self, ConfigEditCommand.self,
            ConfigPathCommand.self,
        ])
}

struct ConfigGetCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Print the value of a setting.",
        discussion: """
            EXAMPLES:
              hablare config get services.openai.model
              hablare config get network.proxy

            The values of a list are separated by commas.

            Exit status: 0 the setting is set; 1 the setting is not set, so its default applies; 64 no setting has \
            this name.
            """)

    @Argument(help: "The setting, such as services.openai.model.")
    var key: String

    @OptionGroup var configuration: ConfigurationOptions

    func run(in composition: Composition) async throws -> CommandStatus {
        let leaf = try SettingSchema.leaf(key)
        let file = try ConfigurationFile.find(configuration.config, in: composition)
        let reading = try SettingsReading(file: try file?.settings() ?? [], options: [], in: composition)
        guard let texts = reading.setting(at: leaf.path)?.texts else {
            composition.console.note("\(leaf.path) is not set. Its default: \(leaf.plainDefault)")
            return .incomplete
        }
        try await composition.console.print(texts.joined(separator: ","))
        return .success
    }
}

struct ConfigSetCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Set a setting in the settings file.",
        discussion: """
            EXAMPLES:
              hablare config set default_provider.generate anthropic
              hablare config set services.openai.rate 500/min
              hablare config set services.openai.fallback anthropic,ollama
              hablare config set services.local.kind openai

            The value is checked before it is written. Comments and the order of the file stay as they are. The values \
            of a list are separated by commas. To remove a setting from the file, use `hablare config edit`.
            """)

    @Argument(help: "The setting, such as services.openai.model.")
    var key: String

    @Argument(help: "The value of the setting.")
    var value: String

    @OptionGroup var configuration: ConfigurationOptions

    func run(in composition: Composition) async throws -> CommandStatus {
        let leaf = try SettingSchema.leaf(key)
        let parts = value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let texts = leaf.kind.isList ? parts.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) } : [value]
        let file = try ConfigurationFile.findOrNew(configuration.config, in: composition)
        try file.set(leaf, to: texts, in: composition)
        let console = composition.console
        try await console.print("set \(leaf.path) to \(texts.joined(separator: ",")) in \(file.url.path)")
        if composition.environment[leaf.path.variable] != nil {
            console.note("The variable \(leaf.path.variable) takes precedence while it is set.")
        }
        return .success
    }
}

struct ConfigListCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the settings, with their values and the place where each setting is set.",
        discussion: """
            EXAMPLES:
              hablare config list
              hablare config list --all
              hablare config list --json | jq -r '.[].key'
            """)

    @Flag(help: "Also list the settings that have their default.")
    var all = false

    @Flag(help: "Print a JSON array.")
    var json = false

    @OptionGroup var configuration: ConfigurationOptions

    private struct Row: ListRow {
        let key: String
        let value: String?
        let from: String?
        let `default`: String

        static let columns: [Column<Row>] = [
            Column("KEY") { $0.key },
            Column("VALUE") { $0.value ?? "-" },
            Column("FROM") { $0.from ?? "default: \($0.default)" },
        ]

        init(_ leaf: SettingSchema.Leaf, _ setting: Setting?) {
            key = leaf.path.description
            value = setting?.texts?.joined(separator: ",")
            from = setting?.source.place
            self.default = leaf.plainDefault
        }
    }

    func run(in composition: Composition) async throws -> CommandStatus {
        let file = try ConfigurationFile.find(configuration.config, in: composition)
        let reading = try SettingsReading(file: try file?.settings() ?? [], options: [], in: composition)
        var rows = reading.leaves.map { Row($0, reading.setting(at: $0.path)) }.filter { $0.value != nil }
        if all {
            let others = SettingSchema.root.leaves().filter { reading.setting(at: $0.path) == nil }
            rows += others.map { Row($0, nil) }
        }
        try await composition.console.print(
            rows, json: json, orNote: "Nothing is set. To see all settings: hablare config list --all")
        return .success
    }
}

struct ConfigEditCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Edit the settings file in $VISUAL or $EDITOR.",
        discussion: """
            EXAMPLES:
              hablare config edit
              EDITOR=nano hablare config edit

            The file is checked when the editor ends. If the file is invalid, your text is kept, and the message says \
            where the error is.
            """)

    @OptionGroup var configuration: ConfigurationOptions

    func run(in composition: Composition) async throws -> CommandStatus {
        let file = try ConfigurationFile.findOrNew(configuration.config, in: composition)
        let option = configuration.config.map { ["--config", $0] } ?? []
        var isThere = false
        try await composition.edit(file.url, again: ShellWords.joined(["hablare", "config", "edit"] + option)) {
            isThere = FileManager.default.fileExists(atPath: file.url.path)
            guard isThere else { return }
            _ = try SettingsReading(file: try file.settings(), options: [], in: composition).settings()
        }
        composition.console.note(
            isThere ? "\(file.url.path) is valid." : "There is no \(file.url.path); nothing is set.")
        return .success
    }
}

struct ConfigPathCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "path",
        abstract: "Print the path of the settings file, even if the file does not exist yet.",
        discussion: """
            EXAMPLES:
              hablare config path
              cat "$(hablare config path)"
            """)

    @OptionGroup var configuration: ConfigurationOptions

    func run(in composition: Composition) async throws -> CommandStatus {
        try await composition.console.print(
            ConfigurationFile.findOrNew(configuration.config, in: composition).url.path)
        return .success
    }
}

extension SettingSchema.Leaf {
    /// The default as plain text, without the backquotes of the documentation.
    var plainDefault: String { self.default.replacing("`", with: "") }
}
