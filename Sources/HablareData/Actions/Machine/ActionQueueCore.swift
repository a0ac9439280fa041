import Foundation
import OrderedCollections

/// Decides what a queue does. Pure: told what happened, it says what is to be written and what is to be handed over;
/// never waits, reads or writes.
///
/// The shell tells a copy of it a batch of events, writes ``takeWrites()`` in one transaction, and adopts the copy only
/// when that is durable: so the core never knows more than the journal, and a write that fails needs no taking back.
///
/// Invariants, whatever is told in whatever order: a step is under way at most once; of one group one commit is under way;
/// steps of one subject are handed over one at a time, in the order of their positions; an item is handed over again only
/// after it failed, or marked as repeated; and the journal has a row for every step that is open, remembered or failed.
struct ActionQueueCore<Action: QueuedAction>: Sendable {
    let configuration: ActionQueueConfiguration
    /// Who the journal belongs to: handed out with every item.
    let owner: ActionOwner
    /// All steps by their numbers. Changed by ``change(_:_:)`` alone, which keeps everything that follows from them.
    private(set) var steps = ActionSteps<Action>()
    /// What can be undone, the next one last.
    var past: [Int64] = []
    /// What can be redone, the next one last.
    var future: [Int64] = []
    /// The open steps, by their places.
    private(set) var lineup: [Int64] = []
    /// Steps with a failure, those included that are tried again.
    private(set) var troubled: OrderedSet<Int64> = []
    /// How many steps in line wait for their turn to come.
    private(set) var awaitingTurn = 0
    /// How many steps in line have their turn, and may be handed over as soon as nothing is in their way.
    private(set) var due = 0
    /// How many steps are not tried again by themselves.
    private(set) var givenUp = 0
    /// The groups of which a commit is under way, with the numbers of its steps.
    var underWay: [Action.Group: [Int64]] = [:]
    /// Whether anything is handed over: somebody runs the queue, and it is not paused.
    var isRunning = false
    /// When something was last asked for that waits for its turn.
    var quietSince: Duration?
    var lastNumber: Int64 = 0
    var lastPosition: Int64 = 0
    /// Rows that this version of the app cannot read, by their numbers.
    private(set) var unreadable: [Int64] = []
    private var writes: OrderedDictionary<Int64, ActionWrite> = [:]
    /// The last actions whose ids the app has chosen, by these; also of actions that are over.
    private var names: [ActionID: (digest: Data, number: Int64)] = [:]
    private var newNames: [ActionWrite] = []

    init(configuration: ActionQueueConfiguration, owner: ActionOwner, unreadable: [Int64] = []) {
        self.unreadable = unreadable
        self.configuration = configuration
        self.owner = owner
    }

    /// What is to be written since this was last asked: at most one write for each row.
    mutating func takeWrites() -> [ActionWrite] {
        defer {
            writes = [:]
            newNames = []
        }
        return Array(writes.values) + newNames
    }

    // MARK: Names

    /// Whether an action was appended before under an id that the app has chosen.
    ///
    /// - Throws: ``ActionQueueError/Code/conflict`` where that was another action.
    func isKnown(_ name: ActionName) throws -> Bool {
        guard let known = names[name.id] else { return false }
        guard known.digest == name.digest else { throw ActionQueueError.conflict(name.id) }
        return true
    }

    /// An id is taken by an action.
    mutating func named(_ name: ActionName, number: Int64) {
        newNames.append(.name(name, number: number))
        recall(name, number: number)
    }

    /// An id is taken, as the journal has it.
    mutating func recall(_ name: ActionName, number: Int64) {
        names[name.id] = (name.digest, number)
        // Now and then, and not for each.
        guard names.count >= 2 * Int(ActionName.mostKept) else { return }
        names = names.filter { $0.value.number > number - ActionName.mostKept }
    }

    // MARK: Steps

    /// Takes in a step that the journal has, or is to get.
    mutating func enter(_ step: ActionStep<Action>) {
        var step = step
        step.settleNothing()
        let number = step.record.number
        steps[number] = step
        count(step, by: 1)
        if step.isOpen { lineUp(step) }
        if step.record.failure != nil { troubled.append(number) }
    }

    /// A new row.
    mutating func insert(_ new: NewAction<Action>, as record: ActionRecord) {
        enter(ActionStep(StoredAction(record: record, action: new.action, appendedAt: new.appendedAt)))
        guard let step = steps[record.number] else { return }
        writes[record.number] = .insert(step.record, payload: new.payload, appendedAt: new.appendedAt)
    }

    /// The only way in which a step changes: keeps the line, the counts and what is to be written.
    mutating func change(_ number: Int64, _ body: (inout ActionStep<Action>) -> Void) {
        guard let old = steps[number] else { return }
        var new = old
        body(&new)
        new.settleNothing()
        count(old, by: -1)
        count(new, by: 1)
        if old.isOpen, !new.isOpen || new.place != old.place { leaveLine(old) }
        steps[number] = new
        if new.isOpen, !old.isOpen || new.place != old.place { lineUp(new) }
        if new.record.failure == nil {
            troubled.remove(number)
        } else {
            troubled.append(number)
        }
        if new.record != old.record { note(.update(new.record), of: number) }
        if new.isOver { remove(number) }
    }

    /// A step that is not needed any more, or not wanted.
    mutating func remove(_ number: Int64) {
        guard let step = steps[number] else { return }
        steps[number] = nil
        count(step, by: -1)
        if step.isOpen { leaveLine(step) }
        troubled.remove(number)
        note(.delete(number: number), of: number)
    }

    /// The rows that cannot be read are not kept any longer.
    ///
    /// - Returns: How many those were.
    mutating func discardUnreadableAsked() -> Int {
        defer { unreadable = [] }
        for number in unreadable { note(.delete(number: number), of: number) }
        return unreadable.count
    }

    private mutating func note(_ write: ActionWrite, of number: Int64) {
        guard case .insert(_, let payload, let appendedAt) = writes[number] else {
            writes[number] = write
            return
        }
        switch write {
        case .update(let record): writes[number] = .insert(record, payload: payload, appendedAt: appendedAt)
        case .delete: writes[number] = nil
        case .insert, .name: writes[number] = write
        }
    }

    private mutating func count(_ step: ActionStep<Action>, by difference: Int) {
        if step.awaitsTurn { awaitingTurn += difference }
        if step.hasTurn { due += difference }
        if step.record.hasGivenUp { givenUp += difference }
    }

    private mutating func lineUp(_ step: ActionStep<Action>) {
        lineup.insert(step.record.number, at: place(of: step))
    }

    private mutating func leaveLine(_ step: ActionStep<Action>) {
        let index = place(of: step)
        guard index < lineup.count, lineup[index] == step.record.number else { return }
        lineup.remove(at: index)
    }

    /// Where a step stands in the line, or would.
    private func place(of step: ActionStep<Action>) -> Int {
        var (low, high) = (0, lineup.count)
        while low < high {
            let middle = (low + high) / 2
            guard let other = steps[lineup[middle]] else { return middle }
            if (other.place, other.record.number) < (step.place, step.record.number) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
