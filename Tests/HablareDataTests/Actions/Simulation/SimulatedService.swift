import Foundation
import Hablare
import HablareSupport
import HablareTestKit

@testable import HablareData
@testable import HablareSimulation

/// A service that outlives the processes and fails in every way. It fails before or after it has carried out an item.
/// It loses answers, omits outcomes, and fails during lookups.
///
/// It recognises a repetition by its key only if the item is marked as repeated. It carries out an unmarked item again,
/// and reports a fault.
final class SimulatedService: Sendable {
    private struct Failed: Error {}

    private struct State: Sendable {
        var random: SeededGenerator
        var isStormy = true
        /// The turns that were carried out.
        var applied: Set<String> = []
        /// The turns whose last attempt may have been carried out, as far as the queue can know.
        var open: Set<String> = []
        var inEffect: Set<Int> = []
        var faults: [String] = []
        var repetitions = 0
    }

    private let state: Locked<State>
    private let scheduler: SimulationScheduler
    private let isDead: @Sendable () -> Bool
    /// Whether the service supports lookups.
    private let knows: Bool

    init(seed: UInt64, scheduler: SimulationScheduler, isDead: @escaping @Sendable () -> Bool) {
        state = Locked(State(random: SeededGenerator(seed: seed)))
        self.scheduler = scheduler
        self.isDead = isDead
        knows = seed.isMultiple(of: 2)
    }

    var inEffect: Set<Int> { state.withLock { $0.inEffect } }
    var faults: [String] { state.withLock { $0.faults } }
    /// The number of items that were handed over as repeated.
    var repetitions: Int { state.withLock { $0.repetitions } }

    /// Stops all failures.
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
                state.faults.append("handed over again without a mark: \(item.action.name), \(item.executions)")
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
            // The answer takes time, so the process that asked may be dead by then.
            try await scheduler.sleep(until: scheduler.now + 3_000_000_000, lane: lane)
            return .done
        default:
            apply(item)
            return .done
        }
    }

    /// Returns a failure of this attempt, which says nothing about an earlier attempt.
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
            if !isChanged { state.faults.append("carried out twice: \(name), \(item.executions)") }
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

/// One process's connection to the service.
struct SimulatedCommitter: ActionCommitter {
    let service: SimulatedService
    let lane: Int

    func commit(_ items: [ActionItem<Swipe>], of group: String) async -> [ActionOutcome] {
        await service.commit(items, lane: lane)
    }

    func wasApplied(_ item: ActionItem<Swipe>) async throws -> Bool? { try service.wasApplied(item) }
}
