/// A type that carries actions out, for example by calling a service or moving files.
///
/// If actions change only the app's own database, use ``TransactionalCommitter``, which carries each action out exactly
/// once. Any other committer may receive an item that was already carried out. Such an item is marked with
/// ``ActionItem/isRepeated``. The committer can avoid a second execution with ``ActionItem/idempotencyKey``, or with a
/// lookup in ``wasApplied(_:)``.
public protocol ActionCommitter<Action>: Sendable {
    /// The type of the actions.
    associatedtype Action: QueuedAction

    /// Carries out the items of one group. Returns one outcome for each item, in the order of the items.
    ///
    /// If an item fails, carry out the other items anyway. If an outcome is missing, it counts as unknown.
    ///
    /// The queue calls this method off the main actor, for several groups at the same time. On shutdown, the queue
    /// cancels the task after a grace period. Then return soon, with the outcomes so far. After the cancellation, only
    /// `done` and permanent failures count as attempts. An unknown outcome stays unknown.
    func commit(_ items: [ActionItem<Action>], of group: Action.Group) async -> [ActionOutcome]

    /// Returns whether an earlier attempt carried an item out. Returns `nil` if this is unknown. Default: `nil`.
    ///
    /// The queue calls this method before it repeats an item. If the method returns `true`, the queue does not commit
    /// the item again. If it returns `false`, the queue commits the item without ``ActionItem/isRepeated``, unless the
    /// user has undone the item.
    ///
    /// - Throws: The reason why the lookup failed. The queue retries the item after a delay.
    func wasApplied(_ item: ActionItem<Action>) async throws -> Bool?
}

extension ActionCommitter {
    /// Returns `nil`. By default, it is unknown whether an earlier attempt carried the item out.
    public func wasApplied(_ item: ActionItem<Action>) async throws -> Bool? { nil }
}
