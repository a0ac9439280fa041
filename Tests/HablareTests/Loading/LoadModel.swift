import HablareTestKit

@testable import Hablare
@testable import HablareLoading

/// An independent model of a `LoadCore`. It draws random events, keeps plain lists of callers and loads, searches them
/// linearly, and records each effect of the core that the lists do not allow.
struct LoadModel {
    private enum Phase: Equatable {
        case queued
        case running(LoadAttempt)
        case waiting(LoadAttempt)
    }

    private struct Caller: Equatable {
        let id: Int
        let priority: LoadPriority
        /// The turn in which the caller arrived.
        let order: Int
    }

    private struct Load {
        let number: Int
        let key: Int
        var callers: [Caller] = []
        /// The turn since which each priority is wanted.
        var since: [LoadPriority: Int] = [:]
        var phase = Phase.queued
        /// Whether a caller of the key joins this load.
        var isPresent = true
        var attempts = 0

        /// The rank that decides which load is served first.
        var rank: (Int, Int) {
            let isVisible = callers.contains { $0.priority == .visible }
            return (isVisible ? 0 : 1, since[isVisible ? .visible : .preload] ?? -1)
        }
    }

    private let concurrency: Int
    private var random: SeededGenerator
    private var core: LoadCore<Int>
    private var loads: [Load] = []
    /// The attempts whose end the core has not received, with whether the core stopped them.
    private var attempts: [(attempt: LoadAttempt, isStopped: Bool)] = []
    private var answered: Set<Int> = []
    private var lastCaller = 0
    private var order = 0
    /// The broken rules, in words.
    private(set) var faults: [String] = []

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        concurrency = Int.random(in: 1...4, using: &random)
        core = LoadCore(concurrency: concurrency)
    }

    // MARK: Drawing

    mutating func run(steps: Int) {
        for _ in 0..<steps where faults.isEmpty { step() }
    }

    private mutating func step() {
        switch Int.random(in: 0..<100, using: &random) {
        case ..<38: ask()
        case ..<55: leave()
        case ..<75: finish()
        case ..<85: wait()
        case ..<92: end()
        case ..<98: forget(Int.random(in: 0..<5, using: &random))
        default: forgetAll()
        }
        check()
    }

    /// Completes everything.
    mutating func rest() {
        for _ in 0..<5_000 where faults.isEmpty && !(loads.isEmpty && attempts.isEmpty) {
            switch Int.random(in: 0..<3, using: &random) {
            case 0: finish()
            case 1: wait()
            default: end()
            }
            check()
        }
        if !loads.isEmpty { faults.append("\(loads.count) loads never end") }
        if !core.underWay.isEmpty || core.count != 0 { faults.append("the core keeps what is over") }
    }

    // MARK: Events

    private mutating func ask() {
        let key = Int.random(in: 0..<5, using: &random)
        let priority: LoadPriority = Bool.random(using: &random) ? .visible : .preload
        lastCaller += 1
        order += 1
        let expected = loads.firstIndex { $0.key == key && $0.isPresent }
        let (number, isShared, effects) = core.asked(for: key, by: lastCaller, priority)
        if isShared != (expected != nil) { faults.append("key \(key): shared is \(isShared)") }
        let index: Int
        if let expected {
            index = expected
            if loads[index].number != number { faults.append("key \(key) joins load \(number)") }
        } else {
            if loads.contains(where: { $0.number == number }) { faults.append("load \(number) begins twice") }
            loads.append(Load(number: number, key: key))
            index = loads.count - 1
        }
        if !loads[index].callers.contains(where: { $0.priority == priority }) { loads[index].since[priority] = order }
        let wasVisible = loads[index].callers.contains { $0.priority == .visible }
        loads[index].callers.append(Caller(id: lastCaller, priority: priority, order: order))
        guard case .running(let attempt) = loads[index].phase, priority == .visible, !wasVisible else {
            return perform(effects)
        }
        if effects != [.lift(attempt)] { faults.append("\(attempt) is not lifted, but \(effects)") }
    }

    private mutating func leave() {
        guard let load = loads.randomElement(using: &random), let caller = load.callers.randomElement(using: &random),
            let index = loads.firstIndex(where: { $0.number == load.number })
        else { return }
        loads[index].callers.removeAll { $0 == caller }
        answered.insert(caller.id)
        var expected: [LoadCore<Int>.Effect] = []
        if loads[index].callers.isEmpty {
            switch loads[index].phase {
            case .queued: break
            case .running(let attempt), .waiting(let attempt): expected = [.cancel(attempt)]
            }
            loads.remove(at: index)
        }
        let effects = core.left(caller.id, load.number)
        if effects != expected { faults.append("caller \(caller.id) leaves: \(effects) instead of \(expected)") }
        stop(effects)
    }

    /// Lets an attempt succeed or fail, even a stopped one.
    private mutating func finish() {
        guard let (attempt, _) = attempts.randomElement(using: &random) else { return }
        let index = loads.firstIndex { $0.phase == .running(attempt) }
        let choice = Int.random(in: 0..<3, using: &random)
        let effects: [LoadCore<Int>.Effect]
        switch choice {
        case 0: effects = core.succeeded(attempt)
        case 1: effects = core.failed(attempt, wait: nil)
        default: effects = core.failed(attempt, wait: .seconds(attempt.number))
        }
        guard let index else {
            if !effects.isEmpty { faults.append("\(attempt) is over, or of no use: \(effects)") }
            return
        }
        let load = loads[index]
        let callers = load.callers.map(\.id).sorted()
        let expected: LoadCore<Int>.Effect
        switch choice {
        case 0: expected = .deliver(.succeeded(isPresent: load.isPresent), to: callers)
        case 1: expected = .deliver(.failed, to: callers)
        default: expected = .wait(attempt, .seconds(attempt.number))
        }
        if effects != [expected] { faults.append("\(attempt): \(effects) instead of \(expected)") }
        if choice == 2 { loads[index].phase = .waiting(attempt) } else { loads.remove(at: index) }
        for caller in callers where choice != 2 {
            if !answered.insert(caller).inserted { faults.append("caller \(caller) is answered twice") }
        }
    }

    private mutating func wait() {
        let waiting = loads.indices.filter { if case .waiting = loads[$0].phase { true } else { false } }
        guard let index = waiting.randomElement(using: &random), case .waiting(let attempt) = loads[index].phase else {
            // A wait that was stopped or never existed.
            let stale = LoadAttempt(load: Int.random(in: 1...50, using: &random), number: 1)
            guard !loads.contains(where: { $0.phase == .waiting(stale) }) else { return }
            perform(core.waited(stale))
            return
        }
        loads[index].phase = .queued
        perform(core.waited(attempt))
    }

    private mutating func end() {
        // An attempt ends after its outcome was reported, or because it was stopped.
        let over = attempts.indices.filter { index in !loads.contains { $0.phase == .running(attempts[index].attempt) }
        }
        guard let index = over.randomElement(using: &random) else { return }
        let attempt = attempts.remove(at: index).attempt
        perform(core.ended(attempt))
    }

    private mutating func forget(_ key: Int) {
        core.forgotten(key)
        for index in loads.indices where loads[index].key == key { forget(at: index) }
    }

    private mutating func forgetAll() {
        core.forgottenAll()
        for index in loads.indices { forget(at: index) }
    }

    private mutating func forget(at index: Int) {
        if case .running = loads[index].phase { loads[index].isPresent = false }
    }

    // MARK: Effects

    /// Checks that only starts follow: as many as there is room for, in order of rank.
    private mutating func perform(_ effects: [LoadCore<Int>.Effect]) {
        for effect in effects {
            guard case .start(let attempt, let key) = effect else {
                faults.append("\(effect) is out of place")
                continue
            }
            let queued = loads.indices.filter { loads[$0].phase == .queued }
            guard let first = queued.min(by: { loads[$0].rank < loads[$1].rank }) else {
                faults.append("\(attempt) begins, and nothing waits")
                continue
            }
            let load = loads[first]
            let expected = LoadAttempt(load: load.number, number: load.attempts + 1)
            if attempt != expected || key != load.key { faults.append("\(attempt) begins instead of \(expected)") }
            loads[first].phase = .running(attempt)
            loads[first].attempts += 1
            if !loads.contains(where: { $0.key == load.key && $0.isPresent }) { loads[first].isPresent = true }
            attempts.append((attempt, false))
        }
    }

    private mutating func stop(_ effects: [LoadCore<Int>.Effect]) {
        for case .cancel(let attempt) in effects {
            guard let index = attempts.firstIndex(where: { $0.attempt == attempt }) else { continue }
            if attempts[index].isStopped { faults.append("\(attempt) is stopped twice") }
            attempts[index].isStopped = true
        }
    }

    private mutating func check() {
        if attempts.count > concurrency { faults.append("\(attempts.count) of \(concurrency) are under way") }
        if core.underWay != Set(attempts.map(\.attempt)) {
            faults.append("the core has lost count of what is under way")
        }
        if core.count != loads.count { faults.append("the core has \(core.count) loads instead of \(loads.count)") }
        if attempts.count < concurrency, loads.contains(where: { $0.phase == .queued }) {
            faults.append("a place is free, and somebody waits")
        }
        let present = loads.filter(\.isPresent).map(\.key)
        if Set(present).count != present.count { faults.append("a key has two present loads") }
    }
}
