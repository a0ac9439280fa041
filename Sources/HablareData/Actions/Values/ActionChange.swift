/// What an undo or a redo did.
public struct ActionChange<Action: QueuedAction>: Sendable {
    /// What follows from it.
    public enum Effect: Sendable, Hashable {
        /// Nothing more: what was taken back had not been carried out yet.
        case immediate
        /// The action, or its compensation, waits to be carried out.
        case queued
        /// A commit is under way, or its outcome is unknown: what has to be done is decided when it is known.
        case undecided
    }

    /// The action's id, as it was given when it was appended.
    public let id: ActionID
    /// The action that was undone or redone.
    public let action: Action
    /// What follows from it.
    public let effect: Effect
}
