/// What is known of an action's effect on the world.
enum ActionStanding: Sendable, Hashable {
    /// It has none: it was never carried out, or was taken back.
    case notApplied
    /// It was carried out.
    case applied
    /// It was handed over, and its outcome is not known: a commit is under way, was interrupted, or lost its answer.
    case handedOver(ActionDirection)

    /// Whether it is known how the world stands.
    var isKnown: Bool { self == .notApplied || self == .applied }

    /// Its number in the journal.
    var code: Int64 {
        switch self {
        case .notApplied: 0
        case .applied: 1
        case .handedOver(let direction): 2 + direction.rawValue
        }
    }

    /// What a number in the journal means; `nil` for one of a newer version.
    init?(code: Int64) {
        switch code {
        case 0: self = .notApplied
        case 1: self = .applied
        case 2: self = .handedOver(.forward)
        case 3: self = .handedOver(.backward)
        default: return nil
        }
    }

    /// How it stands before, and after, it goes one way.
    static func before(_ direction: ActionDirection) -> ActionStanding {
        direction == .forward ? .notApplied : .applied
    }
    static func after(_ direction: ActionDirection) -> ActionStanding { direction == .forward ? .applied : .notApplied }
}
