/// A setting that an option of the command line says, for this run.
struct OptionSetting: Sendable, Hashable {
    let path: SettingPath
    /// What it says; one text where it is no list.
    let texts: [String]
    /// As it is written: `--base-url`.
    let option: String
}
