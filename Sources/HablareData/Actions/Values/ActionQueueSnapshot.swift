/// How a queue stands at one moment: what a view shows and which buttons it enables.
public struct ActionQueueSnapshot: Sendable, Hashable {
    /// Actions that are to be carried out or taken back, those under way and to be retried included.
    public var pending = 0
    /// Of ``pending``, those that are being committed.
    public var underWay = 0
    /// Of ``pending``, those of which an attempt failed and that are tried again by themselves.
    public var retrying = 0
    /// Actions whose attempts are used up, or whose failure is final.
    public var failed = 0
    /// How many actions can be undone, one after another.
    public var undoCount = 0
    /// How many actions can be redone, one after another.
    public var redoCount = 0
    /// Whether ``DurableActionQueue/undo()`` has something to do.
    public var canUndo = false
    /// Whether ``DurableActionQueue/redo()`` has something to do.
    public var canRedo: Bool { redoCount > 0 }
    /// Rows that this version of the app cannot read. They are kept for one that can.
    public var unreadable = 0
    /// Whether actions are carried out: somebody runs the queue, and it is not paused.
    public var isRunning = false

    /// A queue with nothing in it, for previews and tests.
    public init() {}
}
