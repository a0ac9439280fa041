import Configuration

/// The way to a setting, from the outermost section to its own name.
struct SettingPath: Sendable, Hashable, CustomStringConvertible {
    let names: [String]

    init(_ names: [String]) {
        self.names = names
    }

    init(_ names: String...) {
        self.names = names
    }

    static func + (path: SettingPath, name: String) -> SettingPath { SettingPath(path.names + [name]) }

    /// As it is said to people: `services.openai.base_url`.
    var description: String { names.joined(separator: ".") }

    /// The variable of the environment that says the same: `HABLARE_SERVICES_OPENAI_BASE_URL`.
    var variable: String {
        ([Self.scope] + names).map { $0.uppercased().replacing("-", with: "_") }.joined(separator: "_")
    }

    /// The service that it is about, if it is about one.
    var service: String? { names.count > 1 && names[0] == "services" ? names[1] : nil }

    /// The library's key for it.
    var key: ConfigKey { ConfigKey(names) }

    /// The same below ``scope``, as the values in memory are kept, so that all sources have the same keys.
    var scopedKey: AbsoluteConfigKey { AbsoluteConfigKey([Self.scope] + names) }

    /// What every key stands below: without it the environment would answer the key `home` with `$HOME`.
    static let scope = "hablare"
}
