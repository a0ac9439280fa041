/// A type that carries actions out, for example by calling a service or moving files.
///
/// If actions change only the app's own database, ``TransactionalCommitter`` carries each action out exactly once. For
/// any other committer, ``ActionItem/isRepeated`` marks the items that may already have been carried out. Such a
/// committer avoids a second execution with ``ActionItem/idempotencyKey``, or by a lookup.
public protocol ActionCommitter<Action>: Sendable {
    /// The type of the actions.
    associatedtype Action: QueuedAction

    /// Carries out the items of one group. Returns one outcome for each item, in the order of the items.
    ///
    /// If an item fails, carry out the other items anyway. A missing outcome counts as unknown.
    ///
    /// The queue calls this method off the main actor, for several groups concurrently. After the grace period of a
    /// shutdown, the queue cancels the task. Return soon after the cancellation, with the outcomes so far. After the
    /// cancellation, only `done` and permanent failures count as attempts. An unknown outcome stays unknown.
    func commit(_ items: [ActionItem<Action>], of group: Action.Group) async -> [ActionOutcome]

    /// Returns whether an earlier attempt carried an item out. Returns `nil` if this is unknown. Default: `nil`.
    ///
    /// The queue calls this method before it repeats an item. If the item was carried out, the queue does not commit it
    /// again. If the item was not carried out, the queue commits it without ``ActionItem/isRepeated``. If the user has
    /// undone the item, the queue does not commit it.
    ///
    /// - Throws: The reason why the lookup failed. The queue retries the item after a delay.
    func wasApplied(_ item: ActionItem<Action>) async throws -> Bool?
}

extension ActionCommitter {
    /// Returns `nil`: the default implementation does not know whether an earlier attempt carried the item out.
    public func wasApplied(_ item: ActionItem<Action>) async throws -> Bool? { nil }
}
