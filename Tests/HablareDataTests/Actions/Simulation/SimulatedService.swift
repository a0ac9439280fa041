import Foundation
import Hablare
import HablareTestKit

@testable import HablareData
@testable import HablareSimulation

/// A service that outlives the processes, and fails in every way: before and after it has carried out an item, without an
/// answer, with too few, and when it is asked what it has done.
///
/// It knows a repetition by its key only where that is marked as one: whatever is not marked it carries out again, and
/// says so.
final class SimulatedService: Sendable {
    private struct Failed: Error {}

    private struct State: Sendable {
        var random: SeededGenerator
        var isStormy = true
        /// The turns that were carried out.
        var applied: Set<String> = []
        /// The turns whose last attempt may have been carried out for all the queue can know.
        var open: Set<String> = []
        var inEffect: Set<Int> = []
        var faults: [String] = []
        var repetitions = 0
    }

    private let state: Guarded<State>
    private let scheduler: SimulationScheduler
    private let isDead: @Sendable () -> Bool
    /// Whether it can be asked for what it has done.
    private let knows: Bool

    init(seed: UInt64, scheduler: SimulationScheduler, isDead: @escaping @Sendable () -> Bool) {
        state = Guarded(State(random: SeededGenerator(seed: seed)))
        self.scheduler = scheduler
        self.isDead = isDead
        knows = seed.isMultiple(of: 2)
    }

    var inEffect: Set<Int> { state.withLock { $0.inEffect } }
    var faults: [String] { state.withLock { $0.faults } }
    /// How many items were handed over marked as repeated.
    var repetitions: Int { state.withLock { $0.repetitions } }

    /// Fails no more.
    func calmDown() { state.withLock { $0.isStormy = false } }

    private func draw(below bound: Int64) -> Int64 { state.withLock { $0.random.below(bound) } }

    func commit(_ items: [ActionItem<Swipe>], lane: Int) async -> [ActionOutcome] {
        var outcomes: [ActionOutcome] = []
        for item in items {
            handedOver(item)
            do {
                try await scheduler.sleep(until: scheduler.now + draw(below: 2_000_000_000), lane: lane)
            } catch {
                outcomes.append(failed(item, isRetryable: true))
                continue
            }
            do {
                outcomes.append(try await carryOut(item, lane: lane))
            } catch {
                outcomes.append(.unknown(error))
            }
        }
        let isForgetful = state.withLock { $0.isStormy && $0.random.percent(5) }
        return isForgetful ? outcomes.dropLast() : outcomes
    }

    private func handedOver(_ item: ActionItem<Swipe>) {
        guard !isDead() else { return }
        state.withLock { state in
            let key = item.idempotencyKey
            if item.isRepeated {
                state.repetitions += 1
            } else if state.open.contains(key) || state.applied.contains(key) {
                state.faults.append("handed over again without a mark: \(item.action.name), \(item.turn)")
            }
            state.open.insert(key)
        }
    }

    private func carryOut(_ item: ActionItem<Swipe>, lane: Int) async throws -> ActionOutcome {
        let choice = state.withLock { $0.isStormy ? $0.random.below(12) : 11 }
        switch choice {
        case 0, 1: return failed(item, isRetryable: true)
        case 2: return failed(item, isRetryable: false)
        case 3: return .unknown(Failed())
        case 4:
            apply(item)
            return .unknown(Failed())
        case 5:
            apply(item)
            // The answer takes its time: whoever asked may be dead by then.
            try await scheduler.sleep(until: scheduler.now + 3_000_000_000, lane: lane)
            return .done
        default:
            apply(item)
            return .done
        }
    }

    /// This attempt has done nothing; of the one before it says nothing.
    private func failed(_ item: ActionItem<Swipe>, isRetryable: Bool) -> ActionOutcome {
        if !item.isRepeated, !isDead() { state.withLock { _ = $0.open.remove(item.idempotencyKey) } }
        return .failed(Failed(), isRetryable: isRetryable)
    }

    private func apply(_ item: ActionItem<Swipe>) {
        guard !isDead() else { return }
        state.withLock { state in
            guard state.applied.insert(item.idempotencyKey).inserted || !item.isRepeated else { return }
            let name = item.action.name
            let isChanged =
                item.isCompensation ? state.inEffect.remove(name) != nil : state.inEffect.insert(name).inserted
            if !isChanged { state.faults.append("carried out twice: \(name), \(item.turn)") }
        }
    }

    func wasApplied(_ item: ActionItem<Swipe>) throws -> Bool? {
        guard knows else { return nil }
        return try state.withLock { state in
            if state.isStormy, state.random.percent(20) { throw Failed() }
            let isApplied = state.applied.contains(item.idempotencyKey)
            if !isApplied { state.open.remove(item.idempotencyKey) }
            return isApplied
        }
    }
}

/// The service as one process reaches it.
struct SimulatedCommitter: ActionCommitter {
    let service: SimulatedService
    let lane: Int

    func commit(_ items: [ActionItem<Swipe>], of group: String) async -> [ActionOutcome] {
        await service.commit(items, lane: lane)
    }

    func wasApplied(_ item: ActionItem<Swipe>) async throws -> Bool? { try service.wasApplied(item) }
}
