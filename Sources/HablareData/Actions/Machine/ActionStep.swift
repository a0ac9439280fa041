import Foundation

/// One action of a queue: its journal record, and the state that exists only while the process runs.
///
/// A step has a wanted state (carried out or not) and an actual state. If the two states differ and no commit is in
/// flight, the step must be passed to the committer. This one rule has these results:
///
/// - An undo before the commit commits nothing.
/// - An undo during the commit waits for the outcome.
/// - An undo after the commit carries out the compensation.
struct ActionStep<Action: QueuedAction>: Sendable {
    var record: ActionRecord
    let action: Action
    let appendedAt: Date
    /// The step's place in the queue. Usually, the place is the position of the last append, undo or redo. While the
    /// outcome of the step is unknown, the place is before all other steps.
    var queuePosition: Int64
    /// Whether a commit of this process contains the step.
    var isUnderWay = false
    /// Whether the step is due to be committed.
    var isDue = false
    /// Whether the step became due after its last append, undo or redo. In review mode, `true` means that the user has
    /// confirmed the last change.
    var hasWord = false
    /// The time before which the step is not retried.
    var retryAt: Duration?

    init(_ stored: StoredAction<Action>) {
        record = stored.record
        action = stored.action
        appendedAt = stored.appendedAt
        queuePosition = stored.record.position
    }

    /// The direction in which the committer must execute the step; `nil` if the step needs no commit or is in flight.
    var direction: ActionDirection? {
        guard !isUnderWay else { return nil }
        switch record.standing {
        case .handedOver(let direction): return direction
        case .notApplied: return record.isWanted ? .forward : nil
        case .applied: return record.isWanted ? nil : .backward
        }
    }

    /// Whether the step is in the queue. A step is in the queue if it is in flight, or if it has work left and has not
    /// permanently failed.
    var isOpen: Bool { isUnderWay || (direction != nil && !record.hasGivenUp) }

    /// Whether the step is in the queue and not due yet.
    var isNotYetDue: Bool { isOpen && !isUnderWay && !isDue }

    /// Whether the step is due and not in flight.
    var isReady: Bool { isOpen && !isUnderWay && isDue }

    /// Whether the step is no longer needed.
    var isOver: Bool { !isOpen && !record.isRemembered && !record.hasGivenUp }

    /// Whether the step can be undone.
    var canBeUndone: Bool {
        if action.isNothing || (record.standing == .notApplied && !isUnderWay) { return true }
        return action.compensation != nil
    }

    /// Returns the action to carry out in a direction; `nil` if the action has no compensation.
    func action(going direction: ActionDirection) -> Action? {
        direction == .forward ? action : action.compensation
    }

    /// Completes the step at once if its action has no work.
    mutating func settleNothing() {
        guard let direction, record.standing == .before(direction) else { return }
        if action.isNothing || action(going: direction)?.isNothing == true { record.standing = .after(direction) }
    }

    /// Records an undo or a redo.
    mutating func wantedChanged(to isWanted: Bool, position: Int64) {
        record.isWanted = isWanted
        record.position = position
        if !isUnderWay {
            if record.standing.isKnown || record.hasGivenUp {
                record.attempt = 0
                record.failure = nil
                retryAt = nil
            }
            record.hasGivenUp = false
            // A step with an unknown outcome is settled first, and keeps its old place.
            if record.standing.isKnown { queuePosition = position }
        }
        // A step with an unknown outcome is settled in any case. The change that follows becomes due separately.
        isDue = !isUnderWay && isDue && !record.standing.isKnown
        hasWord = false
    }
}
