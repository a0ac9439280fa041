import Foundation
import HablareSupport
import HablareTestKit

@testable import Hablare
@testable import HablareLoading
@testable import HablareSimulation

/// A loader, its source and its callers on one thread and in virtual time. Every interleaving is drawn from a seed, and
/// every broken rule is recorded.
final class LoaderSimulation: Sendable {
    private struct Call: Sendable {
        let number: Int
        let key: Int
        /// The version of the key's truth when it was read.
        let version: Int
        var isCancelled = false
    }

    private struct State: Sendable {
        var random: SeededGenerator
        /// The current truth of each key, and its truth at the key's last removal from the loader.
        var truth: [Int: Int] = [:]
        var removed: [Int: Int] = [:]
        var underWay: [Call] = []
        var lastCall = 0
        /// The step at which each call returned its value.
        var returned: [Int: Int32] = [:]
        var asks = 0
        var answers = 0
        /// The keys whose values a caller received.
        var known: Set<Int> = []
        /// The number of removals of each known key.
        var removals: [Int: Int] = [:]
        var isClosed = false
        var ending: Task<Void, Never>?
        var faults: [String] = []
    }

    /// The call that made the value, and the truth at that time.
    private struct Value: Sendable, Codable {
        let call: Int
        let key: Int
        let version: Int
    }

    private let scheduler: SimulationScheduler
    private let clients: ProcessExecutor
    private let concurrency: Int
    private let hasRemovals: Bool
    private let blobs: InterleavingBlobCache
    private let hasBlobs: Bool
    /// The bytes of the budget, and the bytes that a load of each key needs.
    private let budget: LoadBudget
    private let costs: [Int]
    private let state: Locked<State>

    init(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let style = SchedulingStyle(
            order: SchedulingStyle.Order.allCases.randomElement(using: &random) ?? .any,
            slowLane: Bool.random(using: &random) ? Int.random(in: 0...1, using: &random) : nil,
            drift: Bool.random(using: &random) ? 1_000_000 : 0)
        concurrency = Int.random(in: 1...3, using: &random)
        hasRemovals = Bool.random(using: &random)
        scheduler = SimulationScheduler(seed: random.next(), style: style)
        clients = scheduler.makeLane()
        hasBlobs = random.percent(70)
        budget = try LoadBudget(bytes: Int.random(in: 1...20, using: &random))
        costs = (0..<16).map { _ in Int.random(in: 0...25, using: &random) }
        blobs = InterleavingBlobCache(
            scheduler, failures: random.percent(30) ? 15 : 0, seed: random.next())
        state = Locked(State(random: random))
    }

    /// The number of steps of the history.
    var length: Int32 { scheduler.stamp.steps }

    /// Runs the history, and returns the broken rules in words.
    func run() throws -> [String] {
        let executor = scheduler.makeLane()
        let memoryCount = draw { Int.random(in: 0...3, using: &$0) }
        let storage = BlobStorage<Int, Value>(blobs, coding: .json) { "\($0)" }
        let loader = try CoalescingLoader<Int, Value>(
            policy: LoaderPolicy(
                concurrency: concurrency, retry: LoadRetryPolicy(waits: [.milliseconds(2), .milliseconds(4)]),
                memoryCount: memoryCount, cost: { _ in 1 }),
            blobs: hasBlobs ? storage : nil,
            cost: LoadCost(within: budget) { [self] in bytes(of: $0) },
            seams: EngineSeams(
                clock: EngineClock(VirtualClock(scheduler: scheduler, lane: executor.lane)), taskExecutor: executor),
            load: { [self] in try await load($0) })
        let spawner = TaskSpawner(executor: clients)
        let tasks = (0..<6).map { _ in spawner.start { [self] in await work(loader) } }
        if draw({ $0.percent(20) }) {
            later { [self] in end(loader) }
        }
        play()
        check(loader)
        scheduler.close()
        return withExtendedLifetime(tasks) { state.withLock { $0.faults } }
    }

    /// Runs steps until none is left.
    private func play() {
        while scheduler.stamp.steps < 100_000 {
            if case .nothing = scheduler.step() { return }
        }
        fault("it never ends")
    }

    private func draw<R: Sendable>(_ draw: (inout SeededGenerator) -> R) -> R {
        state.withLock { draw(&$0.random) }
    }

    private func fault(_ fault: String) {
        state.withLock { $0.faults.append(fault) }
    }

    private func bytes(of key: Int) -> Int { costs[key % costs.count] }

    // MARK: The source

    struct Failure: Error {}

    private func load(_ key: Int) async throws -> Value {
        let (call, isDeaf, fails, time) = state.withLock { state -> (Call, Bool, Bool, Int64) in
            state.lastCall += 1
            let call = Call(number: state.lastCall, key: key, version: state.truth[key] ?? 0)
            // A removal detaches one load that has begun, so two loads may rightly read the same key.
            let same = state.underWay.count { $0.key == key && !$0.isCancelled }
            if same > state.removals[key] ?? 0 { state.faults.append("key \(key) is loaded \(same + 1) times at once") }
            // Memory may have evicted the value, but the blob cache has it or is about to.
            if hasBlobs, blobs.failures == 0, !hasRemovals, state.known.contains(key) {
                state.faults.append("key \(key) is loaded again, though it is known")
            }
            state.underWay.append(call)
            let bytes = state.underWay.reduce(0) { $0 + self.bytes(of: $1.key) }
            if bytes > budget.bytes, state.underWay.count > 1 {
                state.faults.append("\(state.underWay.count) loads need \(bytes) of \(budget.bytes) bytes")
            }
            if state.underWay.count > concurrency {
                state.faults.append("\(state.underWay.count) of \(concurrency) loads are under way")
            }
            return (
                call, state.random.percent(20), state.random.percent(30), state.random.below(5_000_000)
            )
        }
        defer { state.withLock { $0.underWay.removeAll { $0.number == call.number } } }
        try await withTaskCancellationHandler {
            try await scheduler.sleep(until: scheduler.now + time, lane: clients.lane, isDeaf: isDeaf)
        } onCancel: {
            state.withLock { state in
                guard let index = state.underWay.firstIndex(where: { $0.number == call.number }) else { return }
                state.underWay[index].isCancelled = true
            }
        }
        if fails { throw Failure() }
        let step = scheduler.stamp.steps
        state.withLock { $0.returned[call.number] = step }
        return Value(call: call.number, key: key, version: call.version)
    }

    // MARK: Callers

    private func work(_ loader: CoalescingLoader<Int, Value>) async {
        for _ in 0..<12 {
            let (key, choice) = draw { (Int.random(in: 0..<3, using: &$0), Int.random(in: 0..<10, using: &$0)) }
            switch choice {
            case 0 where hasRemovals: await change(draw { $0.percent(20) } ? Array(0..<3) : [key], in: loader)
            case 2: loader.removeAllFromMemory()
            case 1:
                let preload = loader.preload([key, (key + 1) % 3])
                if draw({ Bool.random(using: &$0) }) { later { preload.cancel() } }
            default: await ask(loader, for: key, mayLeave: choice < 5)
            }
        }
    }

    /// Changes the truth of keys, and removes them from the loader.
    private func change(_ keys: [Int], in loader: CoalescingLoader<Int, Value>) async {
        state.withLock { state in
            for key in keys {
                state.truth[key, default: 0] += 1
                state.removed[key] = state.truth[key]
                state.removals[key, default: 0] += 1
            }
        }
        do {
            if keys.count > 1 { try await loader.removeAll() } else { try await loader.remove(keys[0]) }
        } catch is Failure {
            // The blob may still exist, and is not read.
            if blobs.failures == 0 { fault("a removal failed, though nothing does") }
        } catch {
            fault("a removal failed: \(error)")
        }
    }

    private func ask(_ loader: CoalescingLoader<Int, Value>, for key: Int, mayLeave: Bool) async {
        let cancelled = Locked<Int32?>(nil)
        let task = TaskSpawner(executor: clients).start { [self] in
            let oldest = state.withLock { state in
                state.asks += 1
                return state.removed[key] ?? 0
            }
            do {
                let value = try await loader.load(key)
                answered(key, with: value, oldest: oldest, cancelled: cancelled.withLock { $0 })
            } catch is CancellationError {
                if cancelled.withLock({ $0 == nil }) { fault("somebody was cancelled who did not want to") }
            } catch is Failure {
                // The source's own error.
            } catch let error as AIServiceError where error.code == .invalidState {
                if !state.withLock({ $0.isClosed }) { fault("it was shut down by nobody") }
            } catch {
                fault("an error of nobody: \(error)")
            }
            state.withLock { $0.answers += 1 }
        }
        if mayLeave {
            later { [scheduler] in
                let step = scheduler.stamp.steps
                cancelled.withLock { $0 = step }
                task.cancel()
            }
        }
        await task.value
    }

    private func answered(_ key: Int, with value: Value, oldest: Int, cancelled: Int32?) {
        state.withLock { _ = $0.known.insert(key) }
        if value.key != key { fault("key \(key) has the value of key \(value.key)") }
        if value.version < oldest { fault("key \(key) has what was removed: \(value.version) before \(oldest)") }
        guard let cancelled, let returned = state.withLock({ $0.returned[value.call] }), cancelled < returned else {
            return
        }
        fault("a value was delivered to somebody who had left")
    }

    private func later(_ action: @escaping @Sendable () -> Void) {
        scheduler.at(scheduler.now + scheduler.draw(below: 8_000_000), action)
    }

    // MARK: The end

    /// Shuts the loader down while it is in use.
    private func end(_ loader: CoalescingLoader<Int, Value>) {
        state.withLock { $0.isClosed = true }
        let task = TaskSpawner(executor: clients).start { [self] in
            await loader.shutdown()
            if !loader.state.withLock({ $0.core.underWay.isEmpty && $0.core.count == 0 }) {
                fault("it was shut down, and goes on")
            }
        }
        state.withLock { $0.ending = task }
    }

    private func check(_ loader: CoalescingLoader<Int, Value>) {
        let (asks, answers, underWay) = state.withLock { ($0.asks, $0.answers, $0.underWay.count) }
        if asks != answers { fault("\(asks - answers) wait for ever") }
        if underWay != 0 { fault("\(underWay) calls never end") }
        // A key that could not be removed is remembered while its blob may exist.
        if blobs.failures == 0, !loader.isIdle { fault("the loader remembers what is over") }
        guard hasBlobs, blobs.failures == 0 else { return }
        for (key, oldest) in state.withLock({ $0.removed }) {
            guard let blob = blobs.stored("\(key)") else { continue }
            do {
                let version = try JSONDecoder().decode(Value.self, from: blob).version
                if version < oldest { fault("the blob of key \(key) is one that was removed") }
            } catch {
                fault("the blob of key \(key) is none: \(error)")
            }
        }
    }
}
