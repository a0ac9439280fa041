/// An event of a queue, on its way to the core.
struct ActionQueueEvent<Action: QueuedAction>: Sendable {
    /// A closure that applies the event to the core. It returns a closure that answers the caller, to be called after
    /// the change is durable.
    let handle: @Sendable (inout ActionQueueCore<Action>) -> @Sendable () -> Void
    /// A closure that answers the caller that the journal failed and nothing has changed. `nil` for an event that
    /// cannot be refused: it is applied again until it is written.
    let refuse: (@Sendable (any Error) -> Void)?
    /// Whether the event changes nothing. It only makes the core decide again, which also happens at each retry of the
    /// journal.
    var isLook = false

    /// Creates an event that cannot be refused.
    static func mutation(_ body: @escaping @Sendable (inout ActionQueueCore<Action>) -> Void) -> Self {
        Self(
            handle: { core in
                body(&core)
                return {}
            }, refuse: nil)
    }

    /// An event that makes the core decide again, because time has passed or the queue may have started running.
    static var looked: Self {
        var look = mutation { _ in }
        look.isLook = true
        return look
    }
}
