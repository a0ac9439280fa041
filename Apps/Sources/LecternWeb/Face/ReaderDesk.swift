import HablarePresentation
import LecternCore
import Observation

/// The state that all open pages share: the settings, and a number that rises with each change of the person's data.
@MainActor @Observable
final class ReaderDesk {
    /// The settings now.
    private(set) var settings: ReaderSettings
    /// A number that rises with each change. A page that shows an older one asks for itself again.
    private(set) var revision = 0
    /// Whether a change can be undone, and an undone one made again.
    private(set) var canUndo = false
    private(set) var canRedo = false
    @ObservationIgnored let cache = PageCache()
    @ObservationIgnored private let personal: PersonalData
    @ObservationIgnored private let write: @Sendable (ReaderSettings) throws -> Void

    init(
        _ settings: ReaderSettings, personal: PersonalData, write: @escaping @Sendable (ReaderSettings) throws -> Void
    ) {
        self.settings = settings
        self.personal = personal
        self.write = write
        showDepths()
    }

    /// The state that pages follow.
    struct State: WebState, Hashable {
        let revision: Int
        let theme: String
        /// How many times everything was erased.
        let erasures: Int
        let canUndo: Bool
        let canRedo: Bool
    }

    var state: State {
        State(
            revision: revision, theme: settings.theme?.rawValue ?? "auto", erasures: settings.erasures,
            canUndo: canUndo, canRedo: canRedo)
    }

    /// Changes the settings. They are written before they are shown.
    ///
    /// - Throws: The error of the write. The settings stay as they were.
    func change(_ edit: (inout ReaderSettings) -> Void) throws {
        var changed = settings
        edit(&changed)
        try write(changed)
        settings = changed
        changedData()
    }

    /// The person's data or the texts have changed.
    func changedData() {
        cache.removeAll()
        revision += 1
        showDepths()
    }

    private func showDepths() {
        let depths = personal.depths
        (canUndo, canRedo) = (depths.undo > 0, depths.redo > 0)
    }
}
