import Foundation

/// The settings of the command. An option overrides the environment, and the environment overrides the file. If a
/// setting is missing, its default applies. If a value cannot be read, this is an error.
struct Settings: Sendable, Equatable {
    struct Network: Sendable, Equatable {
        var connectTimeout = Duration.seconds(10)
        var idleTimeout = Duration.seconds(120)
        var proxy = Proxy.environment
        /// The hosts for which no proxy is used. `nil`: the hosts of `NO_PROXY`.
        var withoutProxy: [String]?
        /// A PEM file of certificate authorities to trust in addition to the system's.
        var certificateFile: URL?
    }

    enum Proxy: Sendable, Hashable {
        /// The proxy that `HTTPS_PROXY` and similar variables name.
        case environment
        case none
        case address(String)
    }

    var file: URL?
    var dataFolder: URL?
    var defaultProviders: [ProviderUse: String] = [:]
    var network = Network()
    var services = ServiceSettings.builtIn

    func service(_ name: String) -> ServiceSettings? { services.first { $0.name == name } }
}

extension Settings {
    static func read(_ option: String? = nil, options: [Setting] = [], in composition: Composition) throws -> Settings {
        let file = try ConfigurationFile.find(option, in: composition)
        let reading = try SettingsReading(file: try file?.settings() ?? [], options: options, in: composition)
        var settings = try reading.settings()
        settings.file = file?.url
        return settings
    }
}

enum ProviderUse: String, Sendable, Hashable, CaseIterable {
    case generate, speak, image, embed, narrate, transcribe

    /// The default provider if the command line and the settings name none; `nil` if the command has no default.
    var usualProvider: String? {
        switch self {
        case .speak, .narrate: "espeak-ng"
        case .generate, .image, .embed, .transcribe: nil
        }
    }
}
