import Foundation

/// The file that holds a person's settings. It is replaced as a whole, so that a crash leaves the old or the new one.
struct SettingsFile: Sendable {
    /// The file.
    let url: URL

    /// Reads the settings.
    ///
    /// - Returns: The settings, or the defaults if there is no file.
    /// - Throws: An error if the file cannot be read or understood. It stays as it is.
    func read() throws -> SiftSettings {
        guard FileManager.default.fileExists(atPath: url.path) else { return SiftSettings() }
        return try JSONDecoder().decode(SiftSettings.self, from: Data(contentsOf: url))
    }

    /// Writes the settings.
    func write(_ settings: SiftSettings) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(settings).write(to: url, options: .atomic)
    }
}
