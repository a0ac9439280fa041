import Hablare
import HablareSupport

/// Decides which loads run and which loads wait, and which callers receive which result. This type is a state machine
/// without I/O.
///
/// Each method handles one event, and has the name of this event. It returns the effects that the loader must perform.
/// Each key has one current load. Callers that ask for the key join this load. When the last caller of a load leaves,
/// the load is cancelled. If a cancelled load is running, it keeps its slot until it has ended. Its result is ignored.
/// A new load of the same key has a different number.
struct LoadCore<Key: Hashable & Sendable>: Sendable {
    /// The result of a load for its callers.
    enum Ending: Sendable, Hashable {
        /// The load has a value. `isPresent` is `false` if the key was removed during the load, so that the value must
        /// not be kept.
        case succeeded(isPresent: Bool)
        /// The last attempt failed.
        case failed
        /// The loader was shut down.
        case closed
    }

    /// An effect that the loader performs.
    enum Effect: Sendable, Hashable {
        /// Call the source. When the call has ended, the loader must call ``LoadCore/ended(_:)``.
        case start(LoadAttempt, Key)
        /// Wait before the next attempt. After the wait, the loader must call ``LoadCore/waited(_:)``.
        case wait(LoadAttempt, Duration)
        /// Raise the task priority of a preload, because a user now needs the value.
        case lift(LoadAttempt)
        /// Cancel the attempt, or the wait after the attempt, because no caller waits for the value any more.
        case cancel(LoadAttempt)
        /// Deliver the result to these callers.
        case deliver(Ending, to: [Int])
    }

    private enum Stage: Sendable, Hashable {
        /// The load is in the queue.
        case queued
        /// An attempt is in progress.
        case running
        /// The load waits between two attempts. It occupies no slot.
        case waiting
    }

    private struct Load: Sendable {
        let key: Key
        var callers = LoadCallers()
        var stage = Stage.queued
        var attempts = 0

        func isRunning(_ attempt: LoadAttempt) -> Bool { stage == .running && attempts == attempt.number }
    }

    private let concurrency: Int
    /// The loads that have callers, by number.
    private var loads: [Int: Load] = [:]
    /// The load that a new caller of a key joins.
    private var present: [Key: Int] = [:]
    private var queue = KeyedHeap<Int, LoadRank>()
    /// The attempts that occupy a slot, including attempts without waiting callers.
    private(set) var underWay: Set<LoadAttempt> = []
    private var lastLoad = 0
    private var lastOrder = 0
    private var isClosed = false

    /// Creates a core.
    ///
    /// - Parameter concurrency: The maximum number of attempts at the same time, at least 1.
    init(concurrency: Int) {
        self.concurrency = max(1, concurrency)
    }

    /// The number of loads that have callers.
    var count: Int { loads.count }

    /// Returns whether at least one caller of the load is visible: its user sees the place where the value is needed.
    func isVisible(_ attempt: LoadAttempt) -> Bool {
        loads[attempt.load]?.callers.areVisible == true
    }

    // MARK: Callers

    /// Records that a caller requested a key.
    ///
    /// - Parameter caller: The number of the caller. It must be greater than the number of every earlier caller.
    /// - Returns: The load that will answer the caller, whether the caller joined an existing load, and the effects to
    ///   perform.
    mutating func asked(
        for key: Key, by caller: Int, _ priority: LoadPriority
    ) -> (load: Int, isShared: Bool, effects: [Effect]) {
        guard !isClosed else { return (0, false, [.deliver(.closed, to: [caller])]) }
        lastOrder += 1
        if let number = present[key], var load = loads[number] {
            let wasVisible = load.callers.areVisible
            load.callers.insert(caller, priority, order: lastOrder)
            loads[number] = load
            enqueue(number)
            let isLifted = load.stage == .running && !wasVisible && load.callers.areVisible
            return (number, true, isLifted ? [.lift(LoadAttempt(load: number, number: load.attempts))] : [])
        }
        lastLoad += 1
        var load = Load(key: key)
        load.callers.insert(caller, priority, order: lastOrder)
        loads[lastLoad] = load
        present[key] = lastLoad
        enqueue(lastLoad)
        return (lastLoad, false, startNext())
    }

    /// Records that a caller no longer waits for its load. If the load has other callers, it continues.
    mutating func left(_ caller: Int, _ number: Int) -> [Effect] {
        guard loads[number]?.callers.remove(caller) == true, let load = loads[number] else { return [] }
        guard load.callers.isEmpty else {
            enqueue(number)
            return []
        }
        remove(number)
        switch load.stage {
        case .queued: return []
        case .running, .waiting: return [.cancel(LoadAttempt(load: number, number: load.attempts))]
        }
    }

    /// Closes the core: all waiting callers fail, and everything in progress is cancelled.
    mutating func closed() -> [Effect] {
        isClosed = true
        let numbers = loads.keys.sorted()
        return numbers.flatMap { number -> [Effect] in
            guard let load = remove(number) else { return [] }
            let delivery = Effect.deliver(.closed, to: load.callers.all)
            guard load.stage != .queued else { return [delivery] }
            return [delivery, .cancel(LoadAttempt(load: number, number: load.attempts))]
        }
    }

    // MARK: Attempts

    /// Records that an attempt returned a value. The attempt keeps its slot until ``ended(_:)``, because the value must
    /// still be stored.
    mutating func succeeded(_ attempt: LoadAttempt) -> [Effect] {
        guard let load = loads[attempt.load], load.isRunning(attempt) else { return [] }
        let isPresent = present[load.key] == attempt.load
        remove(attempt.load)
        return [.deliver(.succeeded(isPresent: isPresent), to: load.callers.all)]
    }

    /// Records that an attempt failed.
    ///
    /// - Parameter wait: The time to wait before the next attempt, or `nil` if no attempt follows.
    mutating func failed(_ attempt: LoadAttempt, wait: Duration?) -> [Effect] {
        guard let load = loads[attempt.load], load.isRunning(attempt) else { return [] }
        if let wait {
            loads[attempt.load]?.stage = .waiting
            return [.wait(attempt, wait)]
        }
        remove(attempt.load)
        return [.deliver(.failed, to: load.callers.all)]
    }

    /// Records the end of the wait after a failed attempt. The load keeps its position in the queue.
    mutating func waited(_ attempt: LoadAttempt) -> [Effect] {
        guard let load = loads[attempt.load], load.stage == .waiting, load.attempts == attempt.number else { return [] }
        loads[attempt.load]?.stage = .queued
        enqueue(attempt.load)
        return startNext()
    }

    /// Records the end of an attempt, whether it succeeded or failed. Its slot can be used by another load.
    mutating func ended(_ attempt: LoadAttempt) -> [Effect] {
        guard underWay.remove(attempt) != nil else { return [] }
        return startNext()
    }

    // MARK: Forgetting

    /// Records that the value of a key was removed. If a load of the key is running, it answers only the callers that
    /// have already asked.
    mutating func forgotten(_ key: Key) {
        guard let number = present[key], loads[number]?.stage == .running else { return }
        present[key] = nil
    }

    /// Records that the values of all keys were removed.
    mutating func forgottenAll() {
        present = present.filter { loads[$0.value]?.stage != .running }
    }

    // MARK: Queue

    /// Inserts a queued load at its position in the queue.
    private mutating func enqueue(_ number: Int) {
        guard let load = loads[number], load.stage == .queued else { return }
        queue.set(number, to: load.callers.rank)
    }

    private mutating func startNext() -> [Effect] {
        var effects: [Effect] = []
        while underWay.count < concurrency, let number = queue.popFirst() {
            guard var load = loads[number] else { continue }
            load.attempts += 1
            load.stage = .running
            loads[number] = load
            // The key may have been forgotten while an earlier attempt ran. This attempt reads the new value, so
            // callers may join again, unless another load has taken over.
            if present[load.key] == nil { present[load.key] = number }
            let attempt = LoadAttempt(load: number, number: load.attempts)
            underWay.insert(attempt)
            effects.append(.start(attempt, load.key))
        }
        return effects
    }

    @discardableResult
    private mutating func remove(_ number: Int) -> Load? {
        queue.remove(number)
        guard let load = loads.removeValue(forKey: number) else { return nil }
        if present[load.key] == number { present[load.key] = nil }
        return load
    }
}
