import HablarePresentation

/// The settings as pages show them.
struct SettingsState: WebState, Hashable {
    /// The keys of an action.
    struct Binding: Encodable, Sendable, Hashable {
        let action: String
        let label: String
        let keys: [String]
        let contexts: [String]
        let keyLabels: [String]
        let keysText: String
        /// The accessible name of the button that changes the key.
        let keysLabel: String
    }

    /// A choice of one of several.
    struct Option: Encodable, Sendable, Hashable {
        let value: String
        let text: String
        let note: String
        let isChosen: Bool
    }

    let theme: String
    let bindings: [Binding]
    let themes: [Option]
    let commitModes: [Option]
    let writesSidecars: Bool

    /// Describes settings.
    init(_ settings: SiftSettings, writesSidecars: Bool) {
        theme = settings.theme.rawValue
        themes = SiftSettings.Theme.allCases.map {
            Option(value: $0.rawValue, text: $0.name, note: "", isChosen: $0 == settings.theme)
        }
        commitModes = [
            Option(
                value: SiftSettings.CommitMode.automatic.rawValue, text: "By itself",
                note: "After 10 decisions, or half a second after the last one. Undo works afterwards, too.",
                isChosen: settings.commitMode == .automatic),
            Option(
                value: SiftSettings.CommitMode.review.rawValue, text: "After a review",
                note: "Decisions wait until you have seen them together.", isChosen: settings.commitMode == .review),
        ]
        self.writesSidecars = writesSidecars
        bindings = settings.keys.bindings.map { Self.binding($0, settings.directions) }
    }

    private static func binding(_ binding: KeyBinding, _ directions: DirectionMap) -> Binding {
        let label = Self.label(of: binding.action, directions)
        let labels = binding.keys.map(Wording.key)
        let text = labels.isEmpty ? "None" : labels.joined(separator: " or ")
        return Binding(
            action: binding.action, label: label, keys: binding.keys, contexts: binding.contexts, keyLabels: labels,
            keysText: text, keysLabel: "\(label): \(text). Change")
    }

    private static func label(of action: String, _ directions: DirectionMap) -> String {
        if let direction = Direction(rawValue: action) { return "\(direction.name): \(directions[direction].name)" }
        if let choice = Choice(rawValue: action) { return choice.name }
        if action.hasPrefix("rate-") { return action == "rate-0" ? "No stars" : "Stars: \(action.suffix(1))" }
        if action.hasPrefix("label-") { return "\(action.dropFirst(6)) label" }
        if action.hasPrefix("mark-") { return "Mark photo \(action.suffix(1)) of the comparison" }
        if action.hasPrefix("pan-") { return "Move the view \(action.dropFirst(4))" }
        let labels = [
            "undo": "Undo", "redo": "Redo", "zoom": "Full size", "compare": "Compare the burst",
            "settle": "Keep this, trash the rest", "close": "Close", "help": "Show the keys",
        ]
        return labels[action] ?? action
    }
}
