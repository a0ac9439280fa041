/// The standing of an action: what is known about its effect on the app's data or on a service.
enum ActionStanding: Sendable, Hashable {
    /// The action has no effect: it was never carried out, or was reverted.
    case notApplied
    /// The action was carried out.
    case applied
    /// The action was passed to the committer, and its outcome is unknown. The commit is in flight, was interrupted, or
    /// its answer was lost.
    case handedOver(ActionDirection)

    /// Whether the action's effect is known.
    var isKnown: Bool { self == .notApplied || self == .applied }

    /// The code that the journal stores.
    var code: Int64 {
        switch self {
        case .notApplied: 0
        case .applied: 1
        case .handedOver(let direction): 2 + direction.rawValue
        }
    }

    /// Creates a standing from its stored code. Returns `nil` for a code of a newer version.
    init?(code: Int64) {
        switch code {
        case 0: self = .notApplied
        case 1: self = .applied
        case 2: self = .handedOver(.forward)
        case 3: self = .handedOver(.backward)
        default: return nil
        }
    }

    /// Returns the standing that an action must have before it is executed in a direction.
    static func before(_ direction: ActionDirection) -> ActionStanding {
        direction == .forward ? .notApplied : .applied
    }
    static func after(_ direction: ActionDirection) -> ActionStanding { direction == .forward ? .applied : .notApplied }
}
