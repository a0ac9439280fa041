/// A type that carries actions out, for example by calling a service or moving files.
///
/// If actions change the app's own database only, ``TransactionalCommitter`` carries each out exactly once. Any other
/// committer sees in ``ActionItem/isRepeated`` which items may have been carried out before. It avoids a second
/// execution with ``ActionItem/idempotencyKey``, or by a lookup.
public protocol ActionCommitter<Action>: Sendable {
    /// The type of the actions.
    associatedtype Action: QueuedAction

    /// Carries out the items of one group, and returns one outcome for each, in their order.
    ///
    /// A failed item is no reason to skip the others. A missing outcome counts as unknown.
    ///
    /// The queue calls this off the main actor, for several groups concurrently. When the grace period of a shutdown is
    /// over, the queue cancels the task. Then return soon, with the outcomes so far. After the cancellation, only
    /// `done` and permanent failures count as attempts, and an unknown outcome stays unknown.
    func commit(_ items: [ActionItem<Action>], of group: Action.Group) async -> [ActionOutcome]

    /// Returns whether an earlier attempt carried an item out; `nil` if that is unknown. Default: `nil`.
    ///
    /// The queue asks before it repeats an item. An item that was carried out is not handed over again. An item that
    /// was not carried out is handed over without ``ActionItem/isRepeated``, unless it was undone meanwhile.
    ///
    /// - Throws: The reason why the lookup failed. The item is retried after a delay.
    func wasApplied(_ item: ActionItem<Action>) async throws -> Bool?
}

extension ActionCommitter {
    /// Returns `nil`: it is unknown whether an earlier attempt carried the item out.
    public func wasApplied(_ item: ActionItem<Action>) async throws -> Bool? { nil }
}
