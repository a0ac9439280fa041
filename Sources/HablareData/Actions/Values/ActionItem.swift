/// One thing for a committer to carry out: an action, or the compensation of one.
public struct ActionItem<Action: QueuedAction>: Sendable {
    /// The action that was appended, of which this is a part.
    public let id: ActionID
    /// How often the action was carried out or taken back before. Undo and redo make new turns; a retry does not.
    public let turn: Int
    /// What to carry out: the action itself, or its compensation.
    public let action: Action
    /// Whether ``action`` is the compensation of what was appended.
    public let isCompensation: Bool
    /// Whether an earlier attempt at this turn was interrupted, by a crash or an unknown outcome, and may have carried it
    /// out.
    public let isRepeated: Bool
    /// Which attempt at this turn this is, from 1.
    public let attempt: Int

    /// Where the item stands in the journal.
    let origin: ActionOrigin
    /// Whether it was undone while its outcome was unknown: it matters only whether it was carried out.
    let isUnwanted: Bool

    /// Makes an item, for tests of a committer.
    ///
    /// - Parameters:
    ///   - id: The action that was appended.
    ///   - action: What to carry out: the action itself, or its compensation.
    ///   - turn: How often the action was carried out or taken back before. Default 0.
    ///   - isCompensation: Whether it takes back what was appended. Default `false`.
    ///   - isRepeated: Whether an earlier attempt may have carried it out. Default `false`.
    ///   - attempt: Which attempt this is, from 1. Default 1.
    public init(
        id: ActionID, action: Action, turn: Int = 0, isCompensation: Bool = false, isRepeated: Bool = false,
        attempt: Int = 1
    ) {
        self.init(
            id: id, turn: turn, action: action, isCompensation: isCompensation, isRepeated: isRepeated,
            attempt: attempt, origin: ActionOrigin(number: 0, owner: ActionOwner(queue: "", token: 0)),
            isUnwanted: false)
    }

    init(
        id: ActionID, turn: Int, action: Action, isCompensation: Bool, isRepeated: Bool, attempt: Int,
        origin: ActionOrigin, isUnwanted: Bool
    ) {
        self.id = id
        self.turn = turn
        self.action = action
        self.isCompensation = isCompensation
        self.isRepeated = isRepeated
        self.attempt = attempt
        self.origin = origin
        self.isUnwanted = isUnwanted
    }

    /// The same text for every attempt at this turn, and another one for every other turn: what a service recognises a
    /// repetition by.
    public var idempotencyKey: String { "\(id)/\(turn)" }

    /// The same item after it turned out that no earlier attempt carried it out.
    func notRepeated() -> ActionItem {
        ActionItem(
            id: id, turn: turn, action: action, isCompensation: isCompensation, isRepeated: false, attempt: attempt,
            origin: origin, isUnwanted: isUnwanted)
    }
}

/// Where an item stands in the journal, and under which ownership it was handed over.
struct ActionOrigin: Sendable, Hashable {
    /// The row's number in its queue.
    let number: Int64
    /// The queue, and the token of the owner that handed the item over.
    let owner: ActionOwner
}
