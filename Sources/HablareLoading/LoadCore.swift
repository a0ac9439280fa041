import Hablare

/// Which loads run, which wait, and who gets what: decided without doing anything. Pure.
///
/// Its methods are named after what happened and return what is to be done. There is one present load for each key,
/// whoever asks for the key joins it, and it is given up with its last caller. A load that was given up while it ran
/// keeps its place among those under way until it has really ended, and whatever it brings then is dropped: a load of the
/// same key that began meanwhile has another number.
struct LoadCore<Key: Hashable & Sendable>: Sendable {
    /// How a load ended for its callers.
    enum Ending: Sendable, Hashable {
        /// With a value; whether that may be kept for those who ask later.
        case succeeded(isPresent: Bool)
        /// With the failure of its last attempt.
        case failed
        /// Because nothing is loaded any more.
        case closed
    }

    /// What is to be done.
    enum Effect: Sendable, Hashable {
        /// Call the source. ``LoadCore/ended(_:)`` is to follow in any case.
        case start(LoadAttempt, Key)
        /// Wait before the next attempt. ``LoadCore/waited(_:)`` is to follow.
        case wait(LoadAttempt, Duration)
        /// Somebody looks at the place of what was only preloaded: hurry the attempt.
        case lift(LoadAttempt)
        /// Stop the attempt, or the wait after it: nobody wants it any more.
        case cancel(LoadAttempt)
        /// Tell the callers.
        case deliver(Ending, to: [Int])
    }

    private enum Stage: Sendable, Hashable {
        /// In the queue.
        case queued
        /// Its attempt is under way.
        case running
        /// Between two attempts, without a place.
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
    /// The loads that somebody wants, by their numbers.
    private var loads: [Int: Load] = [:]
    /// The load that whoever asks for a key joins.
    private var present: [Key: Int] = [:]
    private var queue = KeyedHeap<Int, LoadPlace>()
    /// The attempts that have a place, those included that nobody wants any more.
    private(set) var underWay: Set<LoadAttempt> = []
    private var lastLoad = 0
    private var lastTurn = 0
    private var isClosed = false

    /// - Parameter concurrency: How many attempts are under way at once, at most; at least 1.
    init(concurrency: Int) {
        self.concurrency = max(1, concurrency)
    }

    /// How many loads somebody wants.
    var count: Int { loads.count }

    /// Whether somebody looks at the place where a load's value will appear.
    func isVisible(_ attempt: LoadAttempt) -> Bool {
        loads[attempt.load]?.callers.areVisible == true
    }

    // MARK: Callers

    /// Somebody asked for a key.
    ///
    /// - Parameter caller: A number of the caller's own, greater than those of earlier ones.
    /// - Returns: The load that will answer, whether it was there, and what is to be done.
    mutating func asked(
        for key: Key, by caller: Int, _ priority: LoadPriority
    ) -> (load: Int, isShared: Bool, effects: [Effect]) {
        guard !isClosed else { return (0, false, [.deliver(.closed, to: [caller])]) }
        lastTurn += 1
        if let number = present[key], var load = loads[number] {
            let wasVisible = load.callers.areVisible
            load.callers.insert(caller, priority, turn: lastTurn)
            loads[number] = load
            place(number)
            let isLifted = load.stage == .running && !wasVisible && load.callers.areVisible
            return (number, true, isLifted ? [.lift(LoadAttempt(load: number, number: load.attempts))] : [])
        }
        lastLoad += 1
        var load = Load(key: key)
        load.callers.insert(caller, priority, turn: lastTurn)
        loads[lastLoad] = load
        present[key] = lastLoad
        place(lastLoad)
        return (lastLoad, false, startNext())
    }

    /// A caller does not want its load any more, which goes on for the others.
    mutating func left(_ caller: Int, _ number: Int) -> [Effect] {
        guard loads[number]?.callers.remove(caller) == true, let load = loads[number] else { return [] }
        guard load.callers.isEmpty else {
            place(number)
            return []
        }
        remove(number)
        switch load.stage {
        case .queued: return []
        case .running, .waiting: return [.cancel(LoadAttempt(load: number, number: load.attempts))]
        }
    }

    /// Nothing is to be loaded any more: everybody is told, and whatever is under way is stopped.
    mutating func closed() -> [Effect] {
        isClosed = true
        let numbers = loads.keys.sorted()
        return numbers.flatMap { number -> [Effect] in
            guard let load = remove(number) else { return [] }
            let told = Effect.deliver(.closed, to: load.callers.all)
            guard load.stage != .queued else { return [told] }
            return [told, .cancel(LoadAttempt(load: number, number: load.attempts))]
        }
    }

    // MARK: Attempts

    /// An attempt brought a value. It keeps its place until it has ended: the value is still to be stored.
    mutating func succeeded(_ attempt: LoadAttempt) -> [Effect] {
        guard let load = loads[attempt.load], load.isRunning(attempt) else { return [] }
        let isPresent = present[load.key] == attempt.load
        remove(attempt.load)
        return [.deliver(.succeeded(isPresent: isPresent), to: load.callers.all)]
    }

    /// An attempt failed.
    ///
    /// - Parameter wait: How long to wait before the next one; `nil` when there is to be none.
    mutating func failed(_ attempt: LoadAttempt, wait: Duration?) -> [Effect] {
        guard let load = loads[attempt.load], load.isRunning(attempt) else { return [] }
        if let wait {
            loads[attempt.load]?.stage = .waiting
            return [.wait(attempt, wait)]
        }
        remove(attempt.load)
        return [.deliver(.failed, to: load.callers.all)]
    }

    /// The time after a failed attempt is over. The load has the turn that it had before.
    mutating func waited(_ attempt: LoadAttempt) -> [Effect] {
        guard let load = loads[attempt.load], load.stage == .waiting, load.attempts == attempt.number else { return [] }
        loads[attempt.load]?.stage = .queued
        place(attempt.load)
        return startNext()
    }

    /// An attempt is over, whatever came of it, and gives its place to another.
    mutating func ended(_ attempt: LoadAttempt) -> [Effect] {
        guard underWay.remove(attempt) != nil else { return [] }
        return startNext()
    }

    // MARK: Forgetting

    /// What is known of a key is not true any more. A load that has begun to read it answers those who asked before, and
    /// nobody else.
    mutating func forgotten(_ key: Key) {
        guard let number = present[key], loads[number]?.stage == .running else { return }
        present[key] = nil
    }

    /// The same, of all keys.
    mutating func forgottenAll() {
        present = present.filter { loads[$0.value]?.stage != .running }
    }

    // MARK: Places

    /// Puts a load that waits into its place in the queue.
    private mutating func place(_ number: Int) {
        guard let load = loads[number], load.stage == .queued else { return }
        queue.set(number, to: load.callers.place)
    }

    private mutating func startNext() -> [Effect] {
        var effects: [Effect] = []
        while underWay.count < concurrency, let number = queue.popFirst() {
            guard var load = loads[number] else { continue }
            load.attempts += 1
            load.stage = .running
            loads[number] = load
            // It was forgotten while it ran before; what it reads now is new, unless another load came in its place.
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
