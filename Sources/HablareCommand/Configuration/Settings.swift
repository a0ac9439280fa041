import Foundation

/// A setting comes from the file, the environment or an option of the command line, in rising order of strength. What
/// nobody says has its default. A value that cannot be read is an error, never the default.
struct Settings: Sendable, Equatable {
    struct Network: Sendable, Equatable {
        var connectTimeout = Duration.seconds(10)
        var idleTimeout = Duration.seconds(120)
        var proxy = Proxy.environment
        /// The hosts that no proxy is asked for; `nil`: what `NO_PROXY` says.
        var withoutProxy: [String]?
        /// Authorities that certificates may be from, beside those of the system; a file of PEM.
        var certificateFile: URL?
    }

    enum Proxy: Sendable, Hashable {
        /// What `HTTPS_PROXY` and the like say.
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
    case generate, speak, image, embed, narrate

    /// Who is asked where neither the command line nor the settings name anybody; `nil`: nobody.
    var usualProvider: String? {
        switch self {
        case .speak, .narrate: "espeak-ng"
        case .generate, .image, .embed: nil
        }
    }
}
