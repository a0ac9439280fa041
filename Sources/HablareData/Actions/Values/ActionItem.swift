/// A unit of work for a committer: an action, or the compensation of an action.
public struct ActionItem<Action: QueuedAction>: Sendable {
    /// The id of the appended action.
    public let id: ActionID
    /// The number of times that the action was already carried out or reverted (executions). An undo or a redo starts a
    /// new execution. A retry is another attempt at the same execution.
    public let executions: Int
    /// The action to carry out: the appended action, or its compensation.
    public let action: Action
    /// Whether ``action`` is the compensation of the appended action.
    public let isCompensation: Bool
    /// Whether an earlier attempt at this execution may have carried the item out. `true` if a crash interrupted the
    /// earlier attempt, or if its outcome is unknown.
    public let isRepeated: Bool
    /// The number of this attempt at this execution. The first attempt has the number 1.
    public let attempt: Int

    /// The item's place in the journal.
    let origin: ActionOrigin
    /// Whether the item was undone while its outcome was unknown. If a lookup then finds that no attempt carried the
    /// item out, the queue makes no new attempt.
    let isUnwanted: Bool

    /// Creates an item, for tests of a committer.
    ///
    /// - Parameters:
    ///   - id: The id of the appended action.
    ///   - action: The action to carry out: the appended action, or its compensation.
    ///   - executions: The number of times that the action was already carried out or reverted. Default: 0.
    ///   - isCompensation: Whether the item reverts the appended action. Default: `false`.
    ///   - isRepeated: Whether an earlier attempt may have carried the item out. Default: `false`.
    ///   - attempt: The number of this attempt, from 1. Default: 1.
    public init(
        id: ActionID, action: Action, executions: Int = 0, isCompensation: Bool = false, isRepeated: Bool = false,
        attempt: Int = 1
    ) {
        self.init(
            id: id, executions: executions, action: action, isCompensation: isCompensation, isRepeated: isRepeated,
            attempt: attempt, origin: ActionOrigin(number: 0, owner: ActionOwner(queue: "", token: 0)),
            isUnwanted: false)
    }

    init(
        id: ActionID, executions: Int, action: Action, isCompensation: Bool, isRepeated: Bool, attempt: Int,
        origin: ActionOrigin, isUnwanted: Bool
    ) {
        self.id = id
        self.executions = executions
        self.action = action
        self.isCompensation = isCompensation
        self.isRepeated = isRepeated
        self.attempt = attempt
        self.origin = origin
        self.isUnwanted = isUnwanted
    }

    /// The key by which a service recognises a repeated attempt. All attempts at one execution have the same key. An
    /// undo or a redo is a new execution and has a new key.
    public var idempotencyKey: String { "\(id)/\(executions)" }

    /// Returns a copy of the item with ``isRepeated`` set to `false`. Use it after a lookup has shown that no earlier
    /// attempt carried the item out.
    func notRepeated() -> ActionItem {
        ActionItem(
            id: id, executions: executions, action: action, isCompensation: isCompensation, isRepeated: false,
            attempt: attempt,
            origin: origin, isUnwanted: isUnwanted)
    }
}

/// An item's place in the journal, and the owner of the queue that created the item.
struct ActionOrigin: Sendable, Hashable {
    /// The row's number in its queue.
    let number: Int64
    /// The queue, and the token of the owner that created the item.
    let owner: ActionOwner
}
