import ArgumentParser

/// Where the settings are.
struct ConfigurationOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            """
            The file of settings, YAML or JSON. Default: $HABLARE_CONFIG, or hablare.yaml or hablare.json in \
            $XDG_CONFIG_HOME/hablare or ~/.config/hablare.
            """, valueName: "file"),
        completion: .file(extensions: ["yaml", "yml", "json"]))
    var config: String?

    /// The settings of the file, the environment and options, in rising order of strength.
    ///
    /// - Throws: ``CommandFailure`` that names the setting, where it stands, and what is wanted there.
    func settings(_ options: [OptionSetting] = [], in composition: Composition) throws -> Settings {
        try Settings.read(config, options: options, in: composition)
    }
}
