import Foundation

/// A direction in which a card can be swiped.
enum Direction: String, Sendable, Hashable, Codable, CaseIterable {
    case left, up, right

    /// The name for a person.
    var name: String { rawValue.capitalized }

    /// The arrow on the key.
    var arrow: String {
        switch self {
        case .left: "←"
        case .up: "↑"
        case .right: "→"
        }
    }
}

/// A decision that a direction can stand for.
enum Choice: String, Sendable, Hashable, Codable, CaseIterable {
    case trash, favourite, keep

    /// The name on a button.
    var name: String { rawValue.capitalized }

    /// The decision as something that happened.
    var done: String {
        switch self {
        case .trash: "Trashed"
        case .favourite: "Favourite"
        case .keep: "Kept"
        }
    }
}
