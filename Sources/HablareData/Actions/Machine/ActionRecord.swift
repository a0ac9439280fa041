/// An action's state in the journal, without the action itself.
struct ActionRecord: Sendable, Hashable {
    let id: ActionID
    /// The action's number. Actions are numbered in the order in which they were appended to the queue.
    let number: Int64
    /// Whether the user wants the action to be carried out. `false` after an undo.
    var isWanted = true
    var standing = ActionStanding.notApplied
    /// The number of times that the action was carried out or reverted.
    var executions = 0
    /// The number of attempts at the current execution.
    var attempt = 0
    /// The queue position of this action's last append, undo or redo.
    var position: Int64
    /// Whether the action can be undone or redone.
    var isRemembered = true
    /// The failure of the last attempt.
    var failure: String?
    /// Whether the action is not retried automatically.
    var hasGivenUp = false
}
