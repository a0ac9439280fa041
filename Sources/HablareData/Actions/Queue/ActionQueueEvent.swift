/// Something that happened to a queue, on its way to the core.
struct ActionQueueEvent<Action: QueuedAction>: Sendable {
    /// Tells the core; answers with what tells whoever asked, once it is durable.
    let tell: @Sendable (inout ActionQueueCore<Action>) -> @Sendable () -> Void
    /// Tells whoever asked that nothing happened, because the journal failed; `nil` for what did happen, whatever the
    /// journal says, and is told again until it is written.
    let refuse: (@Sendable (any Error) -> Void)?
    /// Whether there is nothing to tell: the core is to decide anew, and does so whenever the journal is tried again.
    var isLook = false

    /// Something that cannot be refused.
    static func happened(_ body: @escaping @Sendable (inout ActionQueueCore<Action>) -> Void) -> Self {
        Self(
            tell: { core in
                body(&core)
                return {}
            }, refuse: nil)
    }

    /// Time may have passed, or the queue be run by now: the core decides anew.
    static var looked: Self {
        var look = happened { _ in }
        look.isLook = true
        return look
    }
}
