import Foundation
import Hablare
import HablareData
import HablareSupport

/// A scripted service that records its calls, and carries out each turn once.
final class ScriptedCommitter: ActionCommitter {
    typealias Action = Swipe

    struct Failure: Error {}

    /// The result of a call that is cancelled while it waits.
    enum Interruption: Sendable, CaseIterable {
        /// A failure with `CancellationError`.
        case cancellation
        /// A failure with another error.
        case otherError
        /// An unknown outcome.
        case unknown
        /// No outcomes at all.
        case missing
        /// The call is not reached, because the lookup before a repetition throws.
        case look
    }

    struct Call: Sendable {
        let group: String
        let items: [ActionItem<Swipe>]
        var names: [Int] { items.map(\.action.name) }
    }

    private struct State: Sendable {
        var calls: [Call] = []
        /// The number of times that each turn was carried out, by its key.
        var applied: [String: Int] = [:]
        /// The swipes in effect.
        var inEffect: Set<Int> = []
        /// The held groups, with their waiting calls.
        var held: [String: [AsyncStream<Void>.Continuation]] = [:]
        /// The number of calls that have waited.
        var waits = 0
    }

    let interruption = Locked(Interruption.cancellation)
    private let state = Locked(State())
    private let answers: @Sendable (ActionItem<Swipe>) -> ActionOutcome
    private let knows: Bool
    private let stream: AsyncStream<Call>
    private let forCaller: AsyncStream<Call>.Continuation

    /// Creates a committer.
    ///
    /// - Parameters:
    ///   - knowsWhatWasApplied: Whether the committer can look up the items that it carried out.
    ///   - answers: A closure that returns the outcome of an item. Only items that are done or unknown are carried out.
    init(
        knowsWhatWasApplied: Bool = false,
        answers: @escaping @Sendable (ActionItem<Swipe>) -> ActionOutcome = { _ in .done }
    ) {
        self.answers = answers
        knows = knowsWhatWasApplied
        (stream, forCaller) = AsyncStream.makeStream()
    }

    func commit(_ items: [ActionItem<Swipe>], of group: String) async -> [ActionOutcome] {
        let call = Call(group: group, items: items)
        state.withLock { $0.calls.append(call) }
        forCaller.yield(call)
        if await isInterrupted(group) {
            return switch interruption.withLock({ $0 }) {
            case .cancellation, .look: items.map { _ in .failed(CancellationError(), isRetryable: true) }
            case .otherError: items.map { _ in .failed(URLError(.cancelled), isRetryable: true) }
            case .unknown: items.map { _ in .unknown(URLError(.cancelled)) }
            case .missing: []
            }
        }
        return items.map { item in
            let outcome = answers(item)
            if case .failed = outcome { return outcome }
            apply(item)
            return outcome
        }
    }

    /// Waits if the group is held. Returns whether the wait was cancelled.
    private func isInterrupted(_ group: String) async -> Bool {
        let gate = AsyncStream<Void>.makeStream()
        let isHeld = state.withLock { state in
            guard state.held[group] != nil else { return false }
            state.held[group]?.append(gate.continuation)
            state.waits += 1
            return true
        }
        guard isHeld else { return false }
        for await _ in gate.stream {}
        return Task.isCancelled
    }

    func wasApplied(_ item: ActionItem<Swipe>) async throws -> Bool? {
        guard knows else { return nil }
        if interruption.withLock({ $0 }) == .look, await isInterrupted(item.action.group) { throw CancellationError() }
        return state.withLock { $0.applied[item.idempotencyKey] != nil }
    }

    func apply(_ item: ActionItem<Swipe>) {
        state.withLock { state in
            // The key shows that an earlier attempt carried the item out.
            if item.isRepeated, state.applied[item.idempotencyKey] != nil { return }
            state.applied[item.idempotencyKey, default: 0] += 1
            if item.isCompensation {
                state.inEffect.remove(item.action.name)
            } else {
                state.inEffect.insert(item.action.name)
            }
        }
    }

    /// The number of calls that have waited so far.
    var waits: Int { state.withLock { $0.waits } }
    /// All calls so far.
    var calls: [Call] { state.withLock { $0.calls } }
    /// The swipes in effect.
    var inEffect: Set<Int> { state.withLock { $0.inEffect } }
    /// The turns that were carried out more than once.
    var doubled: [String] { state.withLock { $0.applied.filter { $0.value > 1 }.keys.sorted() } }

    /// Waits for the next call.
    func nextCall() async -> Call? {
        for await call in stream { return call }
        return nil
    }

    /// Makes calls of a group wait from now on.
    func hold(_ group: String) {
        state.withLock { $0.held[group] = [] }
    }

    /// Lets the waiting and future calls of a group continue.
    func open(_ group: String) {
        let waiting = state.withLock { $0.held.removeValue(forKey: group) ?? [] }
        for call in waiting { call.finish() }
    }
}
