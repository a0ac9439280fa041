/// The result of an undo or a redo.
public struct ActionChange<Action: QueuedAction>: Sendable {
    /// The work that follows from an undo or a redo.
    public enum Effect: Sendable, Hashable {
        /// No work follows, because the reverted change was not carried out yet.
        case immediate
        /// The action or its compensation waits to be carried out.
        case queued
        /// A commit is in flight, or its outcome is unknown. The next step is decided when the outcome is known.
        case undecided
    }

    /// The id that the action got when it was appended.
    public let id: ActionID
    /// The action that was undone or redone.
    public let action: Action
    /// The work that follows.
    public let effect: Effect
}
