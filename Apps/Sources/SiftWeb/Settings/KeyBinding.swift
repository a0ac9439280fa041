/// The keys of an action. The page's module `keymap.js` reads keys in the same form, such as `Ctrl+Z` or `ArrowLeft`.
struct KeyBinding: Sendable, Hashable, Codable {
    /// The stable name of the action.
    let action: String
    /// The keys, by their names in the browser.
    var keys: [String]
    /// Where the keys act: `card`, `zoom`, `compare`.
    let contexts: [String]
}

/// All keys. An action of a newer or older version keeps its default keys.
struct KeyMap: Sendable, Hashable {
    private(set) var bindings = KeyMap.defaults

    /// The keys as they are at first: arrows, and the letters of Lightroom.
    static let defaults: [KeyBinding] = [
        KeyBinding(action: "left", keys: ["ArrowLeft"], contexts: ["card"]),
        KeyBinding(action: "up", keys: ["ArrowUp"], contexts: ["card"]),
        KeyBinding(action: "right", keys: ["ArrowRight"], contexts: ["card"]),
        KeyBinding(action: "trash", keys: ["X"], contexts: ["card", "compare"]),
        KeyBinding(action: "favourite", keys: ["P"], contexts: ["card", "compare"]),
        KeyBinding(action: "keep", keys: ["K"], contexts: ["card", "compare"]),
        KeyBinding(action: "undo", keys: ["U", "Ctrl+Z"], contexts: ["card", "compare"]),
        KeyBinding(action: "redo", keys: ["R", "Ctrl+Shift+Z"], contexts: ["card", "compare"]),
        KeyBinding(action: "zoom", keys: ["Z"], contexts: ["card", "zoom", "compare"]),
        KeyBinding(action: "compare", keys: ["C"], contexts: ["card", "compare"]),
        KeyBinding(action: "settle", keys: ["G"], contexts: ["card"]),
        KeyBinding(action: "close", keys: ["Escape"], contexts: ["zoom", "compare"]),
        KeyBinding(action: "pan-left", keys: ["ArrowLeft"], contexts: ["zoom", "compare"]),
        KeyBinding(action: "pan-right", keys: ["ArrowRight"], contexts: ["zoom", "compare"]),
        KeyBinding(action: "pan-up", keys: ["ArrowUp"], contexts: ["zoom", "compare"]),
        KeyBinding(action: "pan-down", keys: ["ArrowDown"], contexts: ["zoom", "compare"]),
        KeyBinding(action: "rate-0", keys: ["0"], contexts: ["card"]),
        KeyBinding(action: "rate-1", keys: ["1"], contexts: ["card"]),
        KeyBinding(action: "rate-2", keys: ["2"], contexts: ["card"]),
        KeyBinding(action: "rate-3", keys: ["3"], contexts: ["card"]),
        KeyBinding(action: "rate-4", keys: ["4"], contexts: ["card"]),
        KeyBinding(action: "rate-5", keys: ["5"], contexts: ["card"]),
        KeyBinding(action: "label-Red", keys: ["6"], contexts: ["card"]),
        KeyBinding(action: "label-Yellow", keys: ["7"], contexts: ["card"]),
        KeyBinding(action: "label-Green", keys: ["8"], contexts: ["card"]),
        KeyBinding(action: "label-Blue", keys: ["9"], contexts: ["card"]),
        KeyBinding(action: "label-Purple", keys: [], contexts: ["card"]),
        KeyBinding(action: "mark-1", keys: ["1"], contexts: ["compare"]),
        KeyBinding(action: "mark-2", keys: ["2"], contexts: ["compare"]),
        KeyBinding(action: "mark-3", keys: ["3"], contexts: ["compare"]),
        KeyBinding(action: "mark-4", keys: ["4"], contexts: ["compare"]),
        KeyBinding(action: "help", keys: ["?"], contexts: ["card"]),
    ]

    /// Creates the default map with what a person changed.
    ///
    /// - Parameter keys: The keys by action. Unknown actions are ignored.
    init(changed keys: [String: [String]] = [:]) {
        for index in bindings.indices {
            if let changed = keys[bindings[index].action] { bindings[index].keys = changed }
        }
    }

    /// The keys by action, where they differ from the defaults.
    var changed: [String: [String]] {
        var changed: [String: [String]] = [:]
        for (now, first) in zip(bindings, Self.defaults) where now.keys != first.keys { changed[now.action] = now.keys }
        return changed
    }

    /// Gives an action one key. Other actions that have the key in the same place lose it.
    ///
    /// - Returns: Whether the action and the key are valid. If not, nothing changes.
    mutating func setKey(_ key: String, of action: String) -> Bool {
        guard let target = bindings.firstIndex(where: { $0.action == action }), Self.isValid(key) else { return false }
        let contexts = Set(bindings[target].contexts)
        for index in bindings.indices where index != target && !contexts.isDisjoint(with: bindings[index].contexts) {
            bindings[index].keys.removeAll { $0 == key }
        }
        bindings[target].keys = [key]
        return true
    }

    private static func isValid(_ key: String) -> Bool {
        !key.isEmpty && key.count <= 32 && !key.contains { $0.isNewline || $0 == "<" }
            && !["Tab", "Shift+Tab", "Escape"].contains(key)
    }
}
