import OrderedCollections

/// The decisions of a queue, as a pure state machine. It receives events. It returns the rows to write and the items to
/// pass to the committer. It never waits, reads or writes.
///
/// The queue applies a batch of events to a copy of the core, and writes the changes of the copy (``takeWrites()``) in
/// one transaction. The copy replaces the core only after the commit. So the core never knows more than the journal,
/// and a failed write needs no rollback.
///
/// These rules hold for any events in any order:
/// - A step is in flight at most once, and a group has at most one commit in flight.
/// - Steps of one subject are passed to the committer one at a time, in the order of their positions.
/// - An item is passed to the committer again only if it failed, or if it is marked as repeated.
/// - The journal has a row for every step that is open, in the undo history or failed.
struct ActionQueueCore<Action: QueuedAction>: Sendable {
    var configuration: ActionQueueConfiguration
    /// The owner of the queue. Every item names the owner that created it.
    let owner: ActionOwner
    /// All steps, by their numbers. Only ``change(_:_:)`` changes them, because it also updates all derived state.
    private(set) var steps = ActionSteps<Action>()
    /// The actions that can be undone. The next action to undo is the last element.
    var past: [Int64] = []
    /// The actions that can be redone. The next action to redo is the last element.
    var future: [Int64] = []
    /// The open steps, in the order of their queue positions.
    private(set) var queue: [Int64] = []
    /// The steps that have a failure, including steps that are retried.
    private(set) var troubled: OrderedSet<Int64> = []
    /// The number of open steps that are not due yet.
    private(set) var notYetDue = 0
    /// The number of open steps that are due. A due step is passed to the committer when nothing blocks it.
    private(set) var due = 0
    /// The number of steps that failed and are not retried automatically.
    private(set) var givenUp = 0
    /// The groups that have a commit in flight, each with the numbers of the steps in that commit.
    var underWay: [Action.Group: [Int64]] = [:]
    /// Whether steps are passed to the committer. `true` if the queue's `run()` is active and the queue is not paused.
    var isRunning = false
    /// The time of the last append, undo or redo whose step is not due yet. The quiet time begins at this time.
    var quietSince: Duration?
    var lastNumber: Int64 = 0
    var lastPosition: Int64 = 0
    /// The numbers of the rows that this version of the app cannot read.
    private(set) var unreadable: [Int64] = []
    private var writes: OrderedDictionary<Int64, ActionWrite> = [:]
    /// The recent actions whose ids the app chose, by these ids, including actions that have ended.
    private var names = ActionNames()
    private var newNames: [ActionWrite] = []

    init(configuration: ActionQueueConfiguration, owner: ActionOwner, unreadable: [Int64] = []) {
        self.unreadable = unreadable
        self.configuration = configuration
        self.owner = owner
    }

    /// Returns the changes since the last call, with at most one write for each row.
    mutating func takeWrites() -> [ActionWrite] {
        defer {
            writes = [:]
            newNames = []
        }
        return Array(writes.values) + newNames
    }

    // MARK: Names

    /// Returns whether an action was already appended under an id that the app chose.
    ///
    /// - Throws: ``ActionQueueError/Code/conflict`` if a different action was appended under this id.
    func isKnown(_ name: ActionName) throws -> Bool {
        guard let digest = names.digest(of: name.id) else { return false }
        guard digest == name.digest else { throw ActionQueueError.conflict(name.id) }
        return true
    }

    /// Records the id that the app chose for a new action.
    mutating func named(_ name: ActionName, number: Int64) {
        newNames.append(.name(name, number: number))
        recall(name, number: number)
    }

    /// Restores a chosen id from the journal.
    mutating func recall(_ name: ActionName, number: Int64) {
        names.insert(name, number: number)
    }

    // MARK: Steps

    /// Adds a step whose row is in the journal, or will be added to it.
    mutating func enter(_ step: ActionStep<Action>) {
        var step = step
        step.settleNothing()
        let number = step.record.number
        steps[number] = step
        count(step, by: 1)
        if step.isOpen { enqueue(step) }
        if step.record.failure != nil { troubled.append(number) }
    }

    /// Adds a step with a new row.
    mutating func insert(_ new: NewAction<Action>, as record: ActionRecord) {
        enter(ActionStep(StoredAction(record: record, action: new.action, appendedAt: new.appendedAt)))
        guard let step = steps[record.number] else { return }
        writes[record.number] = .insert(step.record, payload: new.payload, appendedAt: new.appendedAt)
    }

    /// Changes a step. Use only this method for changes, because it also updates the queue, the counts and the pending
    /// writes.
    mutating func change(_ number: Int64, _ body: (inout ActionStep<Action>) -> Void) {
        guard let old = steps[number] else { return }
        var new = old
        body(&new)
        new.settleNothing()
        count(old, by: -1)
        count(new, by: 1)
        if old.isOpen, !new.isOpen || new.queuePosition != old.queuePosition { dequeue(old) }
        steps[number] = new
        if new.isOpen, !old.isOpen || new.queuePosition != old.queuePosition { enqueue(new) }
        if new.record.failure == nil {
            troubled.remove(number)
        } else {
            troubled.append(number)
        }
        if new.record != old.record { note(.update(new.record), of: number) }
        if new.isOver { remove(number) }
    }

    /// Removes a step that is no longer needed.
    mutating func remove(_ number: Int64) {
        guard let step = steps[number] else { return }
        steps[number] = nil
        count(step, by: -1)
        if step.isOpen { dequeue(step) }
        troubled.remove(number)
        note(.delete(number: number), of: number)
    }

    /// Discards the rows that this version of the app cannot read.
    ///
    /// - Returns: The number of discarded rows.
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
        if step.isNotYetDue { notYetDue += difference }
        if step.isReady { due += difference }
        if step.record.hasGivenUp { givenUp += difference }
    }

    private mutating func enqueue(_ step: ActionStep<Action>) {
        queue.insert(step.record.number, at: queuePosition(of: step))
    }

    private mutating func dequeue(_ step: ActionStep<Action>) {
        let index = queuePosition(of: step)
        guard index < queue.count, queue[index] == step.record.number else { return }
        queue.remove(at: index)
    }

    /// Returns the index of a step in the queue, or the index at which it must be inserted.
    private func queuePosition(of step: ActionStep<Action>) -> Int {
        var (low, high) = (0, queue.count)
        while low < high {
            let middle = (low + high) / 2
            guard let other = steps[queue[middle]] else { return middle }
            if (other.queuePosition, other.record.number) < (step.queuePosition, step.record.number) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
