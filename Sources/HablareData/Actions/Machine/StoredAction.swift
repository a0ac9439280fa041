import Foundation

/// An action as read from the journal.
struct StoredAction<Action: QueuedAction>: Sendable {
    let record: ActionRecord
    let action: Action
    let appendedAt: Date
}
