import Hablare
import HablareData

/// A service that does as it is told, remembers what it was sent, and carries out each turn once.
final class ScriptedCommitter: ActionCommitter {
    typealias Action = Swipe

    struct Failure: Error {}

    struct Call: Sendable {
        let group: String
        let items: [ActionItem<Swipe>]
        var names: [Int] { items.map(\.action.name) }
    }

    private struct State: Sendable {
        var calls: [Call] = []
        /// How often each turn was carried out, by its key.
        var applied: [String: Int] = [:]
        /// Which swipes are in effect.
        var inEffect: Set<Int> = []
        /// The groups whose calls wait, with those that do.
        var held: [String: [AsyncStream<Void>.Continuation]] = [:]
    }

    /// What a cancelled call comes back with.
    let failure = Guarded<any Error>(CancellationError())
    private let state = Guarded(State())
    private let answers: @Sendable (ActionItem<Swipe>) -> ActionOutcome
    private let knows: Bool
    private let stream: AsyncStream<Call>
    private let told: AsyncStream<Call>.Continuation

    /// - Parameters:
    ///   - knowsWhatWasApplied: Whether it can be asked for what it carried out.
    ///   - answers: What comes of an item. Only what is done, or unknown, is carried out.
    init(
        knowsWhatWasApplied: Bool = false,
        answers: @escaping @Sendable (ActionItem<Swipe>) -> ActionOutcome = { _ in .done }
    ) {
        self.answers = answers
        knows = knowsWhatWasApplied
        (stream, told) = AsyncStream.makeStream()
    }

    func commit(_ items: [ActionItem<Swipe>], of group: String) async -> [ActionOutcome] {
        let call = Call(group: group, items: items)
        let gate = AsyncStream<Void>.makeStream()
        let isHeld = state.withLock { state in
            state.calls.append(call)
            state.held[group]?.append(gate.continuation)
            return state.held[group] != nil
        }
        told.yield(call)
        if isHeld {
            for await _ in gate.stream {}
            if Task.isCancelled {
                return items.map { _ in .failed(failure.withLock { $0 }, isRetryable: true) }
            }
        }
        return items.map { item in
            let outcome = answers(item)
            if case .failed = outcome { return outcome }
            apply(item)
            return outcome
        }
    }

    func wasApplied(_ item: ActionItem<Swipe>) async throws -> Bool? {
        guard knows else { return nil }
        return state.withLock { $0.applied[item.idempotencyKey] != nil }
    }

    func apply(_ item: ActionItem<Swipe>) {
        state.withLock { state in
            // What was carried out before is known by its key.
            if item.isRepeated, state.applied[item.idempotencyKey] != nil { return }
            state.applied[item.idempotencyKey, default: 0] += 1
            if item.isCompensation {
                state.inEffect.remove(item.action.name)
            } else {
                state.inEffect.insert(item.action.name)
            }
        }
    }

    /// Every call so far.
    var calls: [Call] { state.withLock { $0.calls } }
    /// Which swipes are in effect.
    var inEffect: Set<Int> { state.withLock { $0.inEffect } }
    /// What was carried out more than once.
    var doubled: [String] { state.withLock { $0.applied.filter { $0.value > 1 }.keys.sorted() } }

    /// The next call, as soon as it comes.
    func nextCall() async -> Call? {
        for await call in stream { return call }
        return nil
    }

    /// Lets calls of a group wait from now on.
    func hold(_ group: String) {
        state.withLock { $0.held[group] = [] }
    }

    /// Lets the calls of a group go on, those to come as well.
    func open(_ group: String) {
        let waiting = state.withLock { $0.held.removeValue(forKey: group) ?? [] }
        for call in waiting { call.finish() }
    }
}
