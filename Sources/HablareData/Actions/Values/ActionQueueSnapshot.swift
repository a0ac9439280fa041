/// The state of a queue at one moment, for views.
public struct ActionQueueSnapshot: Sendable, Hashable {
    /// The number of actions that wait to be carried out or reverted. It includes actions in flight and actions that
    /// will be retried.
    public var pending = 0
    /// The number of ``pending`` actions whose commit is in flight.
    public var underWay = 0
    /// The number of ``pending`` actions that failed and will be retried automatically.
    public var retrying = 0
    /// The number of actions that failed permanently or have no attempts left.
    public var failed = 0
    /// The number of actions that can be undone, one after another.
    public var undoCount = 0
    /// The number of actions that can be redone, one after another.
    public var redoCount = 0
    /// Whether ``DurableActionQueue/undo()`` can undo an action.
    public var canUndo = false
    /// Whether ``DurableActionQueue/redo()`` can redo an action.
    public var canRedo: Bool { redoCount > 0 }
    /// The number of rows that this version of the app cannot read. The rows are kept for a version that can read them.
    public var unreadable = 0
    /// Whether the queue carries actions out. `true` if the queue's `run()` is active and the queue is not paused.
    public var isRunning = false

    /// Creates the state of an empty queue, for previews and tests.
    public init() {}
}
