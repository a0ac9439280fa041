import Foundation

@testable import HablareData

/// An independent record of the user's requests and the service's work. It knows nothing of how a queue works. Its
/// lists and counts are compared with the machine.
struct ActionBook {
    /// One change that was handed over: one turn of an action or of its compensation.
    struct Delivery {
        var attempts = 0
        /// Whether the last attempt's outcome is open, because it is not known to have failed.
        var isOpen = false
        /// The number of times that the service carried out the change.
        var effects = 0
        var isDone = false
    }

    struct Entry {
        let swipe: Swipe
        var isWanted = true
        /// The number of the last request for the action.
        var order: Int
        /// Whether the action is in effect, according to the outcomes.
        var isApplied = false
        var deliveries: [String: Delivery] = [:]
        var last: String?
        var isFlying = false
        var hasGivenUp = false
        /// Whether the user has confirmed a commit since the last request.
        var hasWord = false

        var isUncertain: Bool { last.flatMap { deliveries[$0]?.isOpen } ?? false }
        var isSettled: Bool { !isUncertain && (isApplied == isWanted || swipe.isNothing) }
        var canBeUndone: Bool {
            swipe.isNothing || swipe.canBeTakenBack || (!isApplied && !isFlying && !isUncertain)
        }
    }

    let depth: Int
    let maximumAttempts: Int
    /// Whether nothing is committed without the user's confirmation.
    let isReviewed: Bool
    var entries: [ActionID: Entry] = [:]
    var undo: [ActionID] = []
    var redo: [ActionID] = []
    /// The violated rules so far.
    private(set) var violations: [String] = []
    private var lastOrder = 0

    init(depth: Int, maximumAttempts: Int, isReviewed: Bool) {
        self.isReviewed = isReviewed
        self.depth = depth
        self.maximumAttempts = maximumAttempts
    }

    mutating func check(_ isSo: Bool, _ rule: String) {
        if !isSo { violations.append(rule) }
    }

    private mutating func order() -> Int {
        lastOrder += 1
        return lastOrder
    }

    // MARK: The user

    mutating func appended(_ id: ActionID, _ swipe: Swipe) {
        entries[id] = Entry(swipe: swipe, order: order())
        redo = []
        undo.append(id)
        if undo.count > depth { undo.removeFirst() }
    }

    mutating func undone(_ id: ActionID) {
        let last = undo.popLast()
        check(last == id, "another action was undone than the last one")
        redo.append(id)
        asked(id, isWanted: false)
    }

    mutating func redone(_ id: ActionID) {
        let last = redo.popLast()
        check(last == id, "another action was redone than the one that was undone last")
        undo.append(id)
        asked(id, isWanted: true)
    }

    private mutating func asked(_ id: ActionID, isWanted: Bool) {
        let order = order()
        entries[id]?.isWanted = isWanted
        entries[id]?.order = order
        entries[id]?.hasGivenUp = false
        entries[id]?.hasWord = false
        if let entry = entries[id], !entry.isFlying, !entry.isUncertain || isFresh(entry) { startCounting(id) }
    }

    /// Whether attempts are counted from zero again, because the last delivery has used up its attempts.
    private func isFresh(_ entry: Entry) -> Bool {
        entry.last.flatMap { entry.deliveries[$0]?.attempts } ?? 0 >= maximumAttempts
    }

    private mutating func startCounting(_ id: ActionID) {
        if let last = entries[id]?.last { entries[id]?.deliveries[last]?.attempts = 0 }
    }

    mutating func retried() -> Int {
        let failed = entries.filter { $0.value.hasGivenUp }.sorted { $0.value.order < $1.value.order }
        for (id, _) in failed { _ = retried(id) }
        return failed.count
    }

    mutating func retried(_ id: ActionID) -> Bool {
        guard entries[id]?.hasGivenUp == true else { return false }
        let order = order()
        entries[id]?.hasGivenUp = false
        entries[id]?.hasWord = true
        entries[id]?.order = order
        startCounting(id)
        return true
    }

    mutating func discarded(_ id: ActionID) -> Bool {
        guard entries[id]?.hasGivenUp == true else { return false }
        drop(id)
        return true
    }

    mutating func withdrawn(_ id: ActionID) -> Bool {
        guard let entry = entries[id], entry.isWanted, !entry.isApplied, !entry.isFlying, !entry.isUncertain,
            !entry.swipe.isNothing
        else { return false }
        drop(id)
        return true
    }

    private mutating func drop(_ id: ActionID) {
        undo.removeAll { $0 == id }
        redo.removeAll { $0 == id }
        entries[id] = nil
    }

    /// Records that the user confirms a commit of all open actions.
    mutating func committed() {
        for (id, entry) in entries where !entry.hasGivenUp && (entry.isFlying || entry.isUncertain || !entry.isSettled)
        {
            entries[id]?.hasWord = true
        }
    }

    mutating func discarded() -> Set<ActionID> {
        let failed = Set(entries.filter { $0.value.hasGivenUp }.keys)
        for id in failed { drop(id) }
        return failed
    }

    // MARK: The service

    mutating func handedOver(_ item: ActionItem<Swipe>, in group: String) {
        guard let entry = entries[item.id] else {
            check(false, "handed over though nobody appended it, or it was discarded")
            return
        }
        let key = item.idempotencyKey
        let delivery = entry.deliveries[key] ?? Delivery()
        check(!entry.isFlying, "one commit at a time")
        check(!entry.hasGivenUp, "what has failed is not tried by itself")
        check(!entry.swipe.isNothing, "nothing is never committed")
        check(!delivery.isDone, "applied twice")
        check(item.isRepeated == delivery.isOpen, "whoever may have applied it is told, and nobody else")
        check(item.action.group == group, "handed over in its group")
        check(item.action.takesBack == item.isCompensation, "a compensation is one")
        check(item.isCompensation == entry.isApplied, "only what is applied is taken back, and only that")
        if isReviewed, !item.isRepeated, delivery.attempts == 0 { check(entry.hasWord, "committed without a word") }
        if !item.isRepeated {
            check(entry.isWanted == !item.isCompensation, "what is not wanted is not done")
        }
        if let subject = entry.swipe.subject {
            for (id, other) in entries where id != item.id && other.swipe.subject == subject {
                check(!other.isFlying, "one at a time of one subject")
                guard !other.hasGivenUp else { continue }
                guard !item.isRepeated else { continue }
                check(!other.isUncertain, "first what came of the one before")
                if !other.isSettled { check(other.order > entry.order, "overtaken") }
            }
        }
        entries[item.id]?.isFlying = true
        entries[item.id]?.last = key
        entries[item.id]?.deliveries[key] = delivery
        entries[item.id]?.deliveries[key]?.attempts += 1
        entries[item.id]?.deliveries[key]?.isOpen = true
    }

    /// Records that the service carried an item out. The service recognises repetitions.
    mutating func carriedOut(_ item: ActionItem<Swipe>) {
        entries[item.id]?.deliveries[item.idempotencyKey]?.effects = 1
    }

    func wasCarriedOut(_ item: ActionItem<Swipe>) -> Bool {
        (entries[item.id]?.deliveries[item.idempotencyKey]?.effects ?? 0) > 0
    }

    mutating func ended(_ item: ActionItem<Swipe>, _ verdict: ActionVerdict) {
        let key = item.idempotencyKey
        entries[item.id]?.isFlying = false
        switch verdict {
        case .done:
            entries[item.id]?.deliveries[key]?.isOpen = false
            entries[item.id]?.deliveries[key]?.isDone = true
            entries[item.id]?.isApplied = !item.isCompensation
        case .notApplied:
            entries[item.id]?.deliveries[key]?.isOpen = false
            entries[item.id]?.deliveries[key]?.attempts = 0
        case .interrupted:
            entries[item.id]?.deliveries[key]?.attempts -= 1
        // The outcome stays as open as before.
        case .failed(_, let isRetryable) where item.isRepeated: giveUp(item.id, key, if: !isRetryable)
        case .failed(_, let isRetryable):
            entries[item.id]?.deliveries[key]?.isOpen = false
            if entries[item.id]?.isWanted == !item.isCompensation {
                giveUp(item.id, key, if: !isRetryable)
            } else {
                entries[item.id]?.deliveries[key]?.attempts = 0
            }
        case .unknown:
            giveUp(item.id, key, if: false)
        }
    }

    private mutating func giveUp(_ id: ActionID, _ key: String, if isFinal: Bool) {
        guard let delivery = entries[id]?.deliveries[key] else { return }
        if isFinal || delivery.attempts >= maximumAttempts { entries[id]?.hasGivenUp = true }
    }

    /// Records that the process ended and another one begins.
    mutating func crashed() {
        for (id, entry) in entries {
            entries[id]?.isFlying = false
            if entry.isUncertain, let last = entry.last { giveUp(id, last, if: false) }
        }
    }
}
