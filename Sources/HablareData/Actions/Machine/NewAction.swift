import Foundation

/// An action that is to be appended, with what is written of it.
struct NewAction<Action: QueuedAction>: Sendable {
    let id: ActionID
    let action: Action
    let payload: Data
    let appendedAt: Date
    /// The id, where the app has chosen it.
    var name: ActionName?
}
