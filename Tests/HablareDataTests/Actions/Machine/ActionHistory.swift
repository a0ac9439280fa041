import Foundation
import Hablare
import HablareTestKit
import Testing

@testable import HablareData

/// A random history of a user who swipes, a service that fails in every way, a disk that fails, and crashes. The queue
/// and the book receive all events, and are compared.
struct ActionHistory {
    struct Row: Hashable {
        var record: ActionRecord
        let payload: Data
        let appendedAt: Date
    }

    private typealias Change = (inout ActionQueueCore<Swipe>, inout ActionBook) throws -> Void

    private(set) var core: ActionQueueCore<Swipe>
    private(set) var book: ActionBook
    private(set) var rows: [Int64: Row] = [:]
    private var flying: [ActionHandover<Swipe>] = []
    private var random: SeededGenerator
    private var now = Duration.zero
    /// The time of the queue's last decision. The write that follows takes time.
    private var decidedAt = Duration.zero
    private var appended = 0
    private(set) var crashes = 0
    private(set) var handedOver = 0
    /// Whether the service fails and the process crashes.
    private var isStormy = true
    private let seed: UInt64

    init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let configuration = ActionQueueConfiguration(
            mode: seed % 5 == 4 ? .review : .automatic, count: Int.random(in: 1...6, using: &random),
            largestGroup: Int.random(in: 1...4, using: &random), undoDepth: Int.random(in: 0...8, using: &random),
            maximumAttempts: Int.random(in: 1...4, using: &random))
        core = ActionQueueCore(configuration: configuration, owner: ActionOwner(queue: "test", token: 1))
        book = ActionBook(
            depth: configuration.undoDepth, maximumAttempts: configuration.maximumAttempts,
            isReviewed: configuration.mode == .review)
        self.random = random
        self.seed = seed
    }

    /// Runs a number of random events, and then continues without failures until nothing is left to do.
    mutating func live(_ events: Int) throws {
        for _ in 0..<events { try anything() }
        isStormy = false
        try publish { core, _ in core.isRunning = true }
        for round in 0..<1000 {
            if round == 20 { try retry() }
            if round < 40, book.isReviewed { try commit() }
            while !flying.isEmpty { try end(0) }
            guard let wake = core.wake(after: decidedAt) else {
                if round > 40 { break } else { continue }
            }
            now = max(now, wake)
            try publish { _, _ in }
        }
        try check()
    }

    private mutating func anything() throws {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<34: try append(Int.random(in: 1...3, using: &random))
        case 34..<44: try undo()
        case 44..<51: try redo()
        case 51..<56: try commit()
        case 56..<59: try retry()
        case 59..<60:
            try publish { core, book in
                let discarded = core.discardAsked()
                book.check(discarded == book.discarded().count, "what has failed is discarded")
            }
        case 60..<62: try one()
        case 62..<72: if !flying.isEmpty { try end(Int.random(in: 0..<flying.count, using: &random)) }
        case 72..<88:
            now += .milliseconds(Int.random(in: 1...900, using: &random))
            try publish { _, _ in }
        case 88..<92: try publish { core, _ in core.isRunning.toggle() }
        case 92..<96: if let wake = core.wake(after: decidedAt) { now = max(now, wake) }
        case 96..<97: try crash()
        default: try publish { core, _ in core.isRunning = true }
        }
        try compare()
    }

    private mutating func append(_ count: Int) throws {
        var new: [NewAction<Swipe>] = []
        for _ in 0..<count {
            appended += 1
            let swipe = Swipe(
                appended, group: ["trash", "favourite", "album"].randomElement(using: &random) ?? "trash",
                subject: [nil, "a", "b"].randomElement(using: &random) ?? nil,
                canBeTakenBack: Int.random(in: 0..<6, using: &random) > 0,
                isNothing: Int.random(in: 0..<8, using: &random) == 0)
            let id = ActionID(rawValue: .timeOrdered(at: Date(timeIntervalSince1970: 0), using: &random))
            new.append(NewAction(id: id, action: swipe, payload: Data([1]), appendedAt: Date(timeIntervalSince1970: 7)))
        }
        let now = now
        try publish { core, book in
            for new in new {
                try core.appended(new, now: now)
                book.appended(new.id, new.action)
            }
        }
    }

    private mutating func commit() throws {
        try publish { core, book in
            core.commitAsked()
            book.committed()
        }
    }

    private mutating func retry() throws {
        try publish { core, book in
            let retried = core.retryAsked()
            book.check(retried == book.retried(), "what has failed is tried again")
        }
    }

    /// Sends a request for one action, which may be in any state.
    private mutating func one() throws {
        guard let id = book.entries.keys.sorted(by: { "\($0)" < "\($1)" }).randomElement(using: &random) else { return }
        let choice = Int.random(in: 0..<3, using: &random)
        try publish { core, book in
            do {
                switch choice {
                case 0: try core.retryAsked(id)
                case 1: try core.discardAsked(id)
                default: try core.withdrawAsked(id)
                }
                let isAllowed =
                    switch choice {
                    case 0: book.retried(id)
                    case 1: book.discarded(id)
                    default: book.withdrawn(id)
                    }
                book.check(isAllowed, "asked for what cannot be")
            } catch let error as ActionQueueError {
                book.check(error.code == .notPending, "says that it is not pending")
                var page = book
                let isAllowed =
                    switch choice {
                    case 0: page.retried(id)
                    case 1: page.discarded(id)
                    default: page.withdrawn(id)
                    }
                book.check(!isAllowed, "refused what can be")
            }
        }
    }

    private mutating func undo() throws {
        let now = now
        try publish { core, book in
            let canBe = book.undo.last.map { book.entries[$0]?.canBeUndone == true }
            do {
                let change = try core.undoAsked(now: now)
                book.check(canBe == true, "undone though it cannot be")
                book.undone(change.id)
            } catch let error as ActionQueueError {
                book.check(canBe != true, "not undone though it can be")
                book.check(error.code == (canBe == nil ? .nothingToUndo : .cannotBeUndone), "says why it is not undone")
            }
        }
    }

    private mutating func redo() throws {
        let now = now
        try publish { core, book in
            do {
                let change = try core.redoAsked(now: now)
                book.redone(change.id)
            } catch let error as ActionQueueError {
                book.check(error.code == .nothingToRedo && book.redo.isEmpty, "not redone though it can be")
            }
        }
    }

    /// Ends a commit.
    private mutating func end(_ index: Int) throws {
        let handover = flying.remove(at: index)
        var verdicts: [Int64: ActionVerdict] = [:]
        var forCaller: [(ActionItem<Swipe>, ActionVerdict)] = []
        for item in handover.items {
            let verdict = judge(item)
            if verdict == .done || (isStormy && verdict == .unknown("?") && Bool.random(using: &random)) {
                book.carriedOut(item)
            }
            // A missing outcome stands for a committer that omits one.
            if verdict != .unknown("?") || Bool.random(using: &random) {
                verdicts[item.origin.number] = consequence(of: verdict, for: item)
            }
            forCaller.append((item, verdict))
        }
        let now = now
        // The event is repeated until it is written.
        while try !publish({ core, book in
            core.groupEnded(handover.group, verdicts, now: now)
            for (item, verdict) in forCaller { book.ended(item, verdict) }
        }) {}
    }

    /// Returns the verdict that the queue derives from a failure. The book derives its own.
    private func consequence(of verdict: ActionVerdict, for item: ActionItem<Swipe>) -> ActionVerdict {
        guard case .failed(let reason, let isRetryable) = verdict else { return verdict }
        return ActionVerdict(
            .failed(Refusal(reason: reason), isRetryable: isRetryable), of: item, isCancelled: false)
    }

    private mutating func judge(_ item: ActionItem<Swipe>) -> ActionVerdict {
        let wasCarriedOut = book.wasCarriedOut(item)
        if item.isUnwanted, Bool.random(using: &random) { return wasCarriedOut ? .done : .notApplied }
        guard isStormy else { return .done }
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<2: return .unknown("?")
        // A repetition may fail although an earlier attempt carried the item out.
        case 2..<4 where item.isRepeated || !wasCarriedOut: return .failed("busy", isRetryable: true)
        case 4 where item.isRepeated || !wasCarriedOut: return .failed("gone", isRetryable: false)
        case 5 where item.isRepeated: return .interrupted
        case 5 where !wasCarriedOut: return .notApplied
        default: return .done
        }
    }

    /// Ends the process at any moment of its commits. Another one reads the journal.
    private mutating func crash() throws {
        crashes += 1
        for handover in flying {
            for item in handover.items where Bool.random(using: &random) { book.carriedOut(item) }
        }
        flying = []
        let stored = try rows.values.map { row in
            StoredAction(
                record: row.record, action: try #require(book.entries[row.record.id]).swipe, appendedAt: row.appendedAt)
        }
        core = ActionQueueCore(
            configuration: core.configuration,
            owner: ActionOwner(queue: "test", token: core.owner.token + 1), stored: stored, now: now)
        book.crashed()
        try write(core.takeWrites())
    }

    /// Applies a change to copies of queue and book, as the shell does. The copies count once they are written.
    @discardableResult
    private mutating func publish(_ change: Change) throws -> Bool {
        var (draft, page) = (core, book)
        try change(&draft, &page)
        let handovers = draft.decide(now: now)
        let writes = draft.takeWrites()
        if isStormy, Int.random(in: 0..<20, using: &random) == 0 { return false }
        try write(writes)
        (core, book, decidedAt) = (draft, page, now)
        if Int.random(in: 0..<4, using: &random) == 0 { now += .milliseconds(Int.random(in: 1...3000, using: &random)) }
        for handover in handovers {
            book.check(
                (1...core.configuration.largestGroup).contains(handover.items.count), "a group is as large as allowed")
            book.check(!flying.contains { $0.group == handover.group }, "one commit of a group at a time")
            handedOver += handover.items.count
            for item in handover.items { book.handedOver(item, in: handover.group) }
            flying.append(handover)
        }
        return true
    }

    private mutating func write(_ writes: [ActionWrite]) throws {
        for write in writes {
            switch write {
            case .insert(let record, let payload, let appendedAt):
                book.check(rows[record.number] == nil, "a number is used once")
                rows[record.number] = Row(record: record, payload: payload, appendedAt: appendedAt)
            case .update(let record):
                book.check(rows[record.number] != nil, "what is changed is in the journal")
                rows[record.number]?.record = record
            case .delete(let number):
                let row = rows.removeValue(forKey: number)
                book.check(row != nil, "what is removed is in the journal")
            case .name: break
            }
        }
    }

    private mutating func compare() throws {
        let snapshot = core.snapshot
        book.check(snapshot.undoCount == book.undo.count, "undo depth")
        book.check(snapshot.redoCount == book.redo.count, "redo depth")
        book.check(snapshot.failed == book.entries.values.count { $0.hasGivenUp }, "failed")
        let open = book.entries.values.count { !$0.hasGivenUp && ($0.isFlying || $0.isUncertain || !$0.isSettled) }
        book.check(snapshot.pending == open, "pending")
        book.check(rows.count == core.steps.count, "a row for each step")
        let differing = rows.filter { core.steps[$0.key]?.record != $0.value.record }
        book.check(differing.isEmpty, "the journal has what the queue knows")
        try judge()
    }

    /// Checks that everything ends as the user wants.
    private mutating func check() throws {
        try compare()
        for entry in book.entries.values where !entry.swipe.isNothing {
            let done = entry.deliveries.values.count { $0.isDone }
            let effects = entry.deliveries.values.reduce(0) { $0 + $1.effects }
            book.check(!entry.hasGivenUp && entry.isSettled, "swipe \(entry.swipe.name) is open")
            book.check(done % 2 == (entry.isWanted ? 1 : 0), "swipe \(entry.swipe.name)")
            book.check(done == effects, "swipe \(entry.swipe.name) is known as it is")
        }
        book.check(core.queue.isEmpty && flying.isEmpty, "nothing is left to do")
        try judge()
    }

    /// Ends a history after a violated rule, because later results would be wrong, too.
    private func judge() throws {
        guard book.violations.isEmpty else { throw BrokenRules(seed: seed, rules: book.violations) }
    }

    private struct Refusal: Error {
        let reason: String
    }

    /// The violated rules, with the seed that reproduces them.
    struct BrokenRules: Error, CustomStringConvertible {
        let seed: UInt64
        let rules: [String]
        var description: String { "HABLARE_SEED=\(seed): \(rules.prefix(5).joined(separator: "; "))" }
    }
}
