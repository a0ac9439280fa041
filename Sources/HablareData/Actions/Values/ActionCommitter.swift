/// Carries actions out: calls a service, moves files.
///
/// Where actions change the app's own database only, ``TransactionalCommitter`` does it exactly once. Any other committer
/// is told which items may have been carried out before (``ActionItem/isRepeated``), and makes them happen once by
/// ``ActionItem/idempotencyKey`` or by looking.
public protocol ActionCommitter<Action>: Sendable {
    /// What is carried out.
    associatedtype Action: QueuedAction

    /// Carries out items of one group, and answers with one outcome for each, in their order. One item that fails is no
    /// reason to leave out the others; where outcomes are missing, they count as unknown.
    ///
    /// Called off the main actor, for several groups at once. When the queue shuts down and its grace is over, the task is
    /// cancelled: end soon, with what is so by then. Whatever is not said to be done, or to have failed for good, was no
    /// attempt then; of what counts as unknown, it stays unknown.
    func commit(_ items: [ActionItem<Action>], of group: Action.Group) async -> [ActionOutcome]

    /// Whether an item was carried out by an earlier attempt; `nil` where that cannot be told. Default: `nil`.
    ///
    /// Asked before an item is repeated. What was carried out is not handed over again; what was not, is handed over
    /// without ``ActionItem/isRepeated``, unless it was undone meanwhile.
    ///
    /// - Throws: Why nothing can be said now: the item is tried again after a while.
    func wasApplied(_ item: ActionItem<Action>) async throws -> Bool?
}

extension ActionCommitter {
    /// Cannot be told.
    public func wasApplied(_ item: ActionItem<Action>) async throws -> Bool? { nil }
}
