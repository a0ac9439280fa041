import GRDB

/// An event that a queue applies to its core.
struct ActionQueueEvent<Action: QueuedAction>: Sendable {
    /// A closure that applies the event to the core. It returns a second closure, which answers the caller. The queue
    /// calls the second closure when the change is on disk.
    let handle: @Sendable (inout ActionQueueCore<Action>) -> @Sendable () -> Void
    /// A closure that tells the caller that the journal failed and nothing has changed.
    ///
    /// `nil` for an event that cannot be refused. If the journal fails, the queue applies such an event again until it
    /// is written.
    let refuse: (@Sendable (any Error) -> Void)?
    /// A closure that changes the app's own tables and the core, in the transaction that writes the journal. Like
    /// ``handle``, it returns a closure that answers the caller. `nil` for an event that changes only the core. If the
    /// closure throws an error, the transaction is rolled back, and the queue passes the error to ``refuse``.
    var change: (@Sendable (inout ActionQueueCore<Action>, Database) throws -> @Sendable () -> Void)?
    /// Whether the event changes nothing. Such an event, like each retry of the journal, only makes the core decide
    /// again.
    var isLook = false

    /// Creates an event that cannot be refused.
    static func mutation(_ body: @escaping @Sendable (inout ActionQueueCore<Action>) -> Void) -> Self {
        Self(
            handle: { core in
                body(&core)
                return {}
            }, refuse: nil)
    }

    /// An event that makes the core decide again, because time has passed or because the queue may have started to run.
    static var looked: Self {
        var look = mutation { _ in }
        look.isLook = true
        return look
    }
}
