import Foundation

/// One action of a queue: what the journal keeps of it, and what is known only while the process lives.
///
/// There is no list of things to do. A step says what is wanted and how the world stands; where the two differ, and
/// nothing is under way, something is to be handed over. So an undo before the commit commits nothing, an undo during
/// the commit is decided when the outcome is there, and an undo after it is a compensation, all by the same rule.
struct ActionStep<Action: QueuedAction>: Sendable {
    var record: ActionRecord
    let action: Action
    let appendedAt: Date
    /// Where it stands in line: its position, or before all others while nobody knows what came of it.
    var place: Int64
    /// Whether a commit that contains it runs in this process.
    var isUnderWay = false
    /// Whether its turn to be committed has come.
    var isDue = false
    /// Whether its turn came after it was last appended, undone or redone: in review, the person's word for what is wanted
    /// now.
    var hasWord = false
    /// Before when it is not tried again.
    var retryAt: Duration?

    init(_ stored: StoredAction<Action>) {
        record = stored.record
        action = stored.action
        appendedAt = stored.appendedAt
        place = stored.record.position
    }

    /// Which way it is to be handed over; `nil` where nothing is to be done, or something is under way.
    var direction: ActionDirection? {
        guard !isUnderWay else { return nil }
        switch record.standing {
        case .handedOver(let direction): return direction
        case .notApplied: return record.isWanted ? .forward : nil
        case .applied: return record.isWanted ? nil : .backward
        }
    }

    /// Whether it is in line: something is under way, or is to be done without anybody's word.
    var isOpen: Bool { isUnderWay || (direction != nil && !record.hasGivenUp) }

    /// Whether it waits in line for its turn to come.
    var awaitsTurn: Bool { isOpen && !isUnderWay && !isDue }

    /// Whether its turn has come, and it is not under way.
    var hasTurn: Bool { isOpen && !isUnderWay && isDue }

    /// Whether nothing of it is needed any more.
    var isOver: Bool { !isOpen && !record.isRemembered && !record.hasGivenUp }

    /// Whether a wish to undo it can be kept.
    var canBeUndone: Bool {
        if action.isNothing || (record.standing == .notApplied && !isUnderWay) { return true }
        return action.compensation != nil
    }

    /// What is carried out one way; `nil` where there is no compensation.
    func action(going direction: ActionDirection) -> Action? {
        direction == .forward ? action : action.compensation
    }

    /// What is nothing is done at once.
    mutating func settleNothing() {
        guard let direction, record.standing == .before(direction) else { return }
        if action.isNothing || action(going: direction)?.isNothing == true { record.standing = .after(direction) }
    }

    /// It was undone or redone.
    mutating func wishChanged(to isWanted: Bool, position: Int64) {
        record.isWanted = isWanted
        record.position = position
        if !isUnderWay {
            if record.standing.isKnown || record.hasGivenUp {
                record.attempt = 0
                record.failure = nil
                retryAt = nil
            }
            record.hasGivenUp = false
            // What nobody knows the outcome of is settled first, in its old place.
            if record.standing.isKnown { place = position }
        }
        // What is uncertain is settled in any case; what is to follow from it waits for its own turn.
        isDue = !isUnderWay && isDue && !record.standing.isKnown
        hasWord = false
    }
}
