import Foundation

/// An action to be appended, with its encoded form.
struct NewAction<Action: QueuedAction>: Sendable {
    let id: ActionID
    let action: Action
    let payload: Data
    let appendedAt: Date
    /// The action's id if the app chose it; otherwise `nil`.
    var name: ActionName?
}
