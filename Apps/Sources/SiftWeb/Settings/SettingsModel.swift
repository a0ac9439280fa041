import Observation

/// The settings that pages show and change. A change is written before it is shown.
@Observable @MainActor
final class SettingsModel {
    /// The settings now.
    private(set) var settings: SiftSettings
    @ObservationIgnored private let write: @Sendable (SiftSettings) throws -> Void

    /// Creates a model.
    ///
    /// - Parameters:
    ///   - settings: The settings as they were read.
    ///   - write: Writes changed settings.
    init(_ settings: SiftSettings, write: @escaping @Sendable (SiftSettings) throws -> Void) {
        self.settings = settings
        self.write = write
    }

    /// Changes the settings.
    ///
    /// - Throws: The error of the write. The settings stay as they were.
    func change(_ edit: (inout SiftSettings) throws -> Void) throws {
        var changed = settings
        try edit(&changed)
        try write(changed)
        settings = changed
    }
}
