import AppCommand
import Foundation
import LecternCore

/// The file that holds a person's settings. It is replaced as a whole, so that a crash leaves the old or the new one.
struct SettingsFile: Sendable {
    private let url: URL

    /// Creates the file's value. The file itself is created by the first write.
    init(_ folder: URL) { url = folder.appendingPathComponent("settings.json") }

    /// Reads the settings; the usual ones if there is no file.
    ///
    /// - Throws: ``AppStartError``. The file stays as it is.
    func read() throws -> ReaderSettings {
        guard FileManager.default.fileExists(atPath: url.path) else { return ReaderSettings() }
        do {
            return try JSONDecoder().decode(ReaderSettings.self, from: Data(contentsOf: url))
        } catch {
            throw AppStartError(settings: url.path)
        }
    }

    /// Writes the settings.
    func write(_ settings: ReaderSettings) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(settings).write(to: url, options: .atomic)
    }
}
