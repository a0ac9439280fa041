import Configuration
import Hablare

/// Where settings come from, in rising order of strength: the file, the environment, the options of the command line.
///
/// The library merges them. Everything is asked of it as texts, which each of its providers has, and what nobody said
/// is not asked: it answers a value of another type, and a key that nobody knows, with silence.
struct SettingSources {
    private let reader: ConfigReader
    private let options: [SettingPath: String]
    private let variables: Set<String>
    private let file: [SettingPath: SettingPlace]

    init(file: [FileSetting], environment: EnvironmentSettings, options: [OptionSetting]) {
        self.options = Dictionary(options.map { ($0.path, $0.option) }) { $1 }
        self.variables = Set(environment.variables.keys)
        self.file = Dictionary(file.filter { $0.texts != nil }.map { ($0.path, $0.place) }) { $1 }
        let said = options.map { ($0.path.scopedKey, Self.value($0.texts, at: $0.path)) }
        let written = file.compactMap { setting in
            setting.texts.map { (setting.path.scopedKey, Self.value($0, at: setting.path)) }
        }
        reader = ConfigReader(providers: [
            InMemoryProvider(name: "options", values: Dictionary(said) { $1 }),
            EnvironmentVariablesProvider(environmentVariables: environment.variables),
            InMemoryProvider(name: "file", values: Dictionary(written) { $1 }),
        ]).scoped(to: ConfigKey([SettingPath.scope]))
    }

    /// Where a setting is said, of several places the strongest; `nil` where it is not.
    func place(of path: SettingPath) -> SettingPlace? {
        if let option = options[path] { return .option(option) }
        if variables.contains(path.variable) { return .variable(path.variable) }
        return file[path]
    }

    /// What is said of a setting.
    ///
    /// - Returns: The texts, one where it is no list; `nil` where nobody says anything.
    func texts(of leaf: SettingSchema.Leaf) throws -> [String]? {
        guard place(of: leaf.path) != nil else { return nil }
        return leaf.kind.isList
            ? try reader.requiredStringArray(forKey: leaf.path.key)
            : [try reader.requiredString(forKey: leaf.path.key)]
    }

    /// A value as the library keeps it: of the one type that is asked for.
    private static func value(_ texts: [String], at path: SettingPath) -> ConfigValue {
        let isList = SettingSchema.root.kind(at: path)?.isList ?? false
        return ConfigValue(isList ? .stringArray(texts) : .string(texts.first ?? ""), isSecret: false)
    }
}
