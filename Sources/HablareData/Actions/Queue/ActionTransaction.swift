import Foundation
import Hablare

/// The changes of a queue's actions that belong to one transaction of the app. See
/// ``DurableActionQueue/transaction(_:)``.
///
/// The changes take effect when the transaction is committed. If the transaction is rolled back, they are forgotten.
public struct ActionTransaction<Action: QueuedAction> {
    private(set) var core: ActionQueueCore<Action>
    private let now: Duration
    private let makeID: @Sendable () -> UUID
    private let date: @Sendable () -> Date

    init(
        core: ActionQueueCore<Action>, now: Duration, makeID: @escaping @Sendable () -> UUID,
        date: @escaping @Sendable () -> Date
    ) {
        self.core = core
        self.now = now
        self.makeID = makeID
        self.date = date
    }

    /// Appends an action, like ``DurableActionQueue/append(_:)->ActionID``.
    ///
    /// - Returns: The action's id.
    /// - Throws: ``ActionQueueError``: `notEncodable`, `tooLarge`. In each case nothing was appended.
    @discardableResult
    public mutating func append(_ action: Action) throws -> ActionID {
        let new = try NewAction(action, makingID: makeID, appendedAt: date())
        try core.appended(new, now: now)
        return new.id
    }

    /// Appends an action under an id that the caller chooses, like ``DurableActionQueue/append(_:id:)``. If an action
    /// was already appended under this id, nothing happens.
    ///
    /// - Throws: ``ActionQueueError``: `notEncodable`, `tooLarge`, `conflict`. In each case nothing was appended.
    public mutating func append(_ action: Action, id: ActionID) throws {
        try core.appended(NewAction(action, id: id, appendedAt: date()), now: now)
    }

    /// Drops one action that was not carried out yet, like ``DurableActionQueue/withdraw(_:)``.
    ///
    /// - Throws: ``ActionQueueError`` with the code `notPending`. In this case nothing has changed.
    public mutating func withdraw(_ id: ActionID) throws { try core.withdrawAsked(id) }

    /// Undoes the last action that is not undone yet, like ``DurableActionQueue/undo()``.
    ///
    /// Use this method if the app's own tables change with the undo. For example, an editor whose actions have no work
    /// (``QueuedAction/isNothing``) restores the earlier rows here, in the transaction that records the undo.
    ///
    /// - Returns: The action that was undone, and the work that follows from the undo.
    /// - Throws: ``ActionQueueError``: `nothingToUndo`, `cannotBeUndone`. In each case nothing was undone.
    @discardableResult
    public mutating func undo() throws -> ActionChange<Action> { try core.undoAsked(now: now) }

    /// Redoes the action that was undone last, like ``DurableActionQueue/redo()``.
    ///
    /// - Returns: The action that was redone, and the work that follows from the redo.
    /// - Throws: ``ActionQueueError`` with the code `nothingToRedo`. In this case nothing was redone.
    @discardableResult
    public mutating func redo() throws -> ActionChange<Action> { try core.redoAsked(now: now) }
}
