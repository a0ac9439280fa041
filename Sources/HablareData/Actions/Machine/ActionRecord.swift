/// An action's state in the journal, without the action itself.
struct ActionRecord: Sendable, Hashable {
    let id: ActionID
    /// The action's place among all actions of the queue, in the order in which they were appended.
    let number: Int64
    /// Whether the user wants the action carried out: `false` after an undo.
    var isWanted = true
    var standing = ActionStanding.notApplied
    /// The number of times that the action was carried out or reverted.
    var executions = 0
    /// The number of times that the action was handed over in this turn.
    var attempt = 0
    /// The place in the queue of the last append, undo or redo of this action.
    var position: Int64
    /// Whether the action can be undone or redone.
    var isRemembered = true
    /// The failure of the last attempt.
    var failure: String?
    /// Whether the action is not retried automatically.
    var hasGivenUp = false
}
