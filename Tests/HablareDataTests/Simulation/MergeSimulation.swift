import Foundation
import GRDB
import Hablare
import HablareStores
import HablareSupport
import HablareTestKit

@testable import HablareData
@testable import HablareSimulation

/// Coordinators, engines and their clients, on one thread and in one virtual time. The store and the app's database
/// outlive them. Each process dies at a random or given step, and another one follows. The simulation judges the
/// database at the end.
///
/// The production code runs. Only time, threads and the disk's refusals are simulated. Models are excluded, because
/// they live on the main actor, whose thread cannot be simulated.
final class MergeSimulation: Sendable {
    /// The state of the history and its acknowledgements.
    private struct World: Sendable {
        var random: SeededGenerator
        /// Whether a dead process is running to its end. Then its writes have no effect.
        var isBurying = false
        /// The merges that were acknowledged as promised or done.
        var acknowledged: Set<MergeKey> = []
        /// The merges whose promise was withdrawn before they were done.
        var forgotten: Set<MergeKey> = []
        /// The number of calls per merge that returned `merged`.
        var done: [MergeKey: Int] = [:]
        var requests: [UUID] = []
        var refusals = 0
        /// The number of removed receipts.
        var removed = 0
        var faults: [String] = []
        /// The numbers of clients that still send requests, and of clients that have not ended.
        var asking = 0
        var operationsLeft = 0
    }

    private let scheduler: SimulationScheduler
    private let store: MortalStore
    private let database: DatabaseQueue
    private let world: Locked<World>
    private let lifetimes: [Int]
    private let provider: ProcessExecutor

    /// Creates a history of a few processes.
    ///
    /// - Parameters:
    ///   - seed: The seed of all random decisions.
    ///   - deathAt: The step at which the first process dies, and no other one does. Default: random steps for a few
    ///     processes.
    init(seed: UInt64, deathAt: Int? = nil) throws {
        var random = SeededGenerator(seed: seed)
        let style = SchedulingStyle(
            order: SchedulingStyle.Order.allCases.randomElement(using: &random) ?? .any,
            slowLane: Bool.random(using: &random) ? Int.random(in: 0...1, using: &random) : nil,
            drift: Bool.random(using: &random) ? 1_000_000 : 0)
        lifetimes =
            deathAt.map { [$0] }
            ?? (0..<Int.random(in: 1...4, using: &random)).map { _ in
                Int.random(in: 1...900, using: &random)
            }
        scheduler = SimulationScheduler(seed: random.next(), style: style)
        provider = scheduler.makeLane()
        let world = Locked(World(random: random))
        self.world = world
        store = MortalStore { world.withLock { $0.isBurying } }
        database = try DatabaseQueue()
        try DatabaseMigrator.app.migrate(database)
        try database.write { try $0.execute(sql: "CREATE TABLE merged (request BLOB, target TEXT, row)") }
        database.add(
            transactionObserver: MortalCommits { world.withLock { $0.isBurying } }, extent: .databaseLifetime)
    }

    /// The numbers of promises withdrawn before their merge, and of removed receipts.
    var counts: (forgotten: Int, removed: Int) { world.withLock { ($0.forgotten.count, $0.removed) } }
    /// The number of steps in the history.
    var length: Int { Int(scheduler.stamp.steps) }

    /// Runs the history, and returns descriptions of the faults.
    func run() throws -> [String] {
        for lifetime in lifetimes { live(for: lifetime) }
        live(for: nil)
        try judge()
        scheduler.close()
        return world.withLock { $0.faults }
    }

    private func draw<R: Sendable>(_ draw: (inout SeededGenerator) -> R) -> R {
        world.withLock { draw(&$0.random) }
    }

    private func fault(_ fault: String) {
        world.withLock { $0.faults.append(fault) }
    }

    // MARK: Processes

    /// Runs one process from its start to its death. The last one lives until everything is done.
    private func live(for steps: Int?) {
        let executor = scheduler.makeLane()
        let drivers = Locked<[SimulatedCommitDriver]>([])
        let clock = VirtualClock(scheduler: scheduler, lane: executor.lane)
        let seams = EngineSeams(
            clock: EngineClock(clock),
            date: { [scheduler] in Date(timeIntervalSince1970: 1_767_225_600 + Double(scheduler.now) / 1e9) },
            makeID: { [self] in id() }, jitter: { 0.5 }, taskExecutor: executor,
            makeCommitDriver: { [scheduler] in
                let driver = SimulatedCommitDriver(scheduler: scheduler, lane: executor.lane, delay: 100_000)
                drivers.withLock { $0.append(driver) }
                return driver
            }, observation: .none)
        do {
            let manager = AIRequestManager(
                store: store,
                providers: try ProviderRegistry([
                    ScriptedProvider(limits: ProviderLimits(concurrency: 3)) { [self] in await answer($0) }
                ]),
                configuration: EngineConfiguration(
                    attemptTimeout: .seconds(1_000_000), retry: .never, breaker: .never),
                seams: seams, logger: LogRecorder().logger)
            let coordinator = AIDataCoordinator(
                manager: manager, database: database, targets: targets,
                options: AIDataCoordinator.Options(provider: "scripted", maximumBytesInFlight: 64), seams: seams,
                logger: LogRecorder().logger)
            world.withLock { ($0.asking, $0.operationsLeft) = (3, 3) }
            let spawner = TaskSpawner(executor: executor)
            // Not `run()`, which waits for a shutdown on threads outside the simulation.
            let forever = AsyncStream.makeStream(of: Void.self)
            let service = spawner.start { [self] in
                await serve { try await EngineService.run(manager) { for await _ in forever.stream {} } }
            }
            let keeper = spawner.start { [self] in await serve { try await coordinator.promises.run() } }
            let clients = (0..<3).map { _ in
                spawner.start { [self] in await ask(coordinator, manager, isLast: steps == nil) }
            }
            if let steps { scheduler.lightFuse(steps, lane: executor.lane) }
            play(executor.lane)
            bury([service, keeper] + clients, executor, drivers.withLock { $0 })
        } catch {
            fault("a process could not start: \(error)")
        }
    }

    /// Runs a service until its process dies.
    private func serve(_ run: () async throws -> Void) async {
        do {
            try await run()
        } catch {
            if !(world.withLock { $0.isBurying }), !(error is CancellationError) { fault("a service ended: \(error)") }
        }
    }

    /// Runs steps until the process dies, or until all requests are done.
    private func play(_ lane: Int) {
        let start = scheduler.stamp.steps
        while scheduler.stamp.steps - start < 200_000 {
            switch scheduler.step() {
            case .went: break
            case .alert(.fuseBurnt(let burnt)): if burnt == lane { return }  // the process dies now
            case .alert(.raised): break
            case .nothing: return
            }
            if world.withLock({ $0.operationsLeft == 0 }) { return }
        }
        fault("it never ends")
    }

    /// Runs the rest of a dead process to its end, without any effect.
    private func bury(_ tasks: [Task<Void, Never>], _ executor: ProcessExecutor, _ drivers: [SimulatedCommitDriver]) {
        world.withLock { $0.isBurying = true }
        scheduler.cut(lane: executor.lane)
        for task in tasks { task.cancel() }
        for driver in drivers { driver.flush() }
        guard scheduler.runRemaining(ofLane: executor.lane, within: 100_000) else {
            return fault("a dead process never ends")
        }
        world.withLock { $0.isBurying = false }
    }

    // MARK: The provider

    private func answer(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
        let (fails, time) = draw { ($0.percent(20), $0.below(3_000_000_000)) }
        do {
            try await scheduler.sleep(until: scheduler.now + time, lane: provider.lane)
        } catch {
            return .failure(AIServiceError(.overloaded, "Cut."))
        }
        if fails { return .failure(AIServiceError(.providerFailed, "It does not feel like it.")) }
        return .success(ProviderAnswer(.text(Body(call.request.prompt.plainText))))
    }

    // MARK: Clients

    /// The targets. Every merge adds one row to a table without constraints, so two rows show a merge that was done
    /// twice.
    private var targets: [MergeTarget] {
        ["first", "second"].map { name in
            .custom(name, as: String.self) { [self] database, row, _, response in
                if draw({ $0.percent(10) }) {
                    world.withLock { $0.refusals += 1 }
                    throw DatabaseError(resultCode: .SQLITE_BUSY, message: "not now")
                }
                try database.execute(
                    sql: "INSERT INTO merged VALUES (?, ?, ?)", arguments: [response.requestID, name, row.key])
            }
        }
    }

    private func id() -> UUID {
        let (high, low) = draw { ($0.next(), $0.next()) }
        return withUnsafeBytes(of: (high, low)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    private func ask(_ coordinator: AIDataCoordinator, _ manager: AIRequestManager, isLast: Bool) async {
        for _ in 0..<5 {
            let choice = draw { $0.below(10) }
            do {
                switch choice {
                case 0..<4: try await promise(coordinator)
                case 4..<7: try await merge(coordinator, manager)
                case 7: try await generate(coordinator, manager)
                case 8: try await manager.prune(Retention(maximumAge: 20))
                default: try await rest()
                }
            } catch {
                // Refused by the disk, or dead: nothing was acknowledged.
            }
        }
        let finishes = world.withLock { world in
            world.asking -= 1
            return isLast && world.asking == 0
        }
        if finishes { await finish(coordinator, manager) }
        world.withLock { $0.operationsLeft -= 1 }
    }

    private func rest() async throws {
        let time = draw { $0.below(5_000_000_000) }
        try await scheduler.sleep(until: scheduler.now + time, lane: provider.lane)
    }

    private func key(_ id: UUID) -> MergeKey {
        draw { random in
            MergeKey(
                requestID: id, target: random.percent(50) ? "first" : "second",
                row: MergeRow(Int64(random.below(2))))
        }
    }

    /// Submits a new request and promises its merge, perhaps into two targets.
    private func promise(_ coordinator: AIDataCoordinator) async throws {
        let request = AIRequest(id: id(), prompt: "x", caching: .bypass)
        let first = key(request.id)
        world.withLock { $0.requests.append(request.id) }
        try await coordinator.submit(request, mergingInto: first.target, row: first.row)
        world.withLock { _ = $0.acknowledged.insert(first) }
        let second = key(request.id)
        if try await coordinator.promiseMerge(requestID: request.id, into: second.target, row: second.row) == nil
            || second == first
        {
            world.withLock { _ = $0.acknowledged.insert(second) }
        }
        guard draw({ $0.percent(40) }) else { return }
        if draw({ $0.percent(70) }) { try await rest() }
        try await forget(draw { $0.percent(50) } ? first : second, coordinator)
    }

    /// Withdraws a promise. On return it was fulfilled, or never will be.
    private func forget(_ key: MergeKey, _ coordinator: AIDataCoordinator) async throws {
        // Without an answer, either may be true.
        world.withLock { _ = $0.acknowledged.remove(key) }
        try await coordinator.forgetMerge(requestID: key.requestID, into: key.target, row: key.row)
        let count = try count(key)
        world.withLock { world in
            guard !world.isBurying else { return }
            if count == 0 { world.forgotten.insert(key) } else { world.acknowledged.insert(key) }
        }
    }

    private func count(_ key: MergeKey) throws -> Int {
        try database.readHere { database in
            try Int.fetchOne(
                database, sql: "SELECT COUNT(*) FROM merged WHERE request = ? AND target = ? AND row = ?",
                arguments: [key.requestID, key.target, key.row.key]) ?? 0
        }
    }

    /// Waits for a new request, and merges it with two concurrent calls, of which only one may take effect.
    private func merge(_ coordinator: AIDataCoordinator, _ manager: AIRequestManager) async throws {
        let request = AIRequest(id: id(), prompt: "x", caching: .bypass, keepUntilMerged: true)
        world.withLock { $0.requests.append(request.id) }
        let response = try await manager.execute(request, with: "scripted")
        let key = key(request.id)
        guard let target = targets.first(where: { $0.name == key.target }) else { return }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask { [self] in
                    do {
                        let outcome = try await coordinator.merge(response, into: target, row: key.row)
                        told(outcome, key)
                    } catch {
                        // Refused by the disk, or dead.
                    }
                }
            }
        }
    }

    private func generate(_ coordinator: AIDataCoordinator, _ manager: AIRequestManager) async throws {
        let request = AIRequest(id: id(), prompt: "x", caching: .bypass)
        let key = key(request.id)
        world.withLock { $0.requests.append(request.id) }
        try await coordinator.generate(request, mergingInto: key.target, row: key.row)
        if try count(key) != 1, !(world.withLock { $0.isBurying }) { fault("generate came back before its merge") }
        world.withLock { _ = $0.acknowledged.insert(key) }
        guard draw({ $0.percent(50) }) else { return }
        if draw({ $0.percent(50) }) { try await rest() }
        try await clean(request.id, coordinator, manager)
    }

    /// Deletes a merged response from the engine, and removes its receipts. It can no longer be merged.
    private func clean(_ id: UUID, _ coordinator: AIDataCoordinator, _ manager: AIRequestManager) async throws {
        try await manager.delete(id)
        let removed = try await coordinator.forgetReceipts(before: .distantFuture)
        world.withLock { $0.removed += removed }
    }

    private func told(_ outcome: MergeOutcome, _ key: MergeKey) {
        world.withLock { world in
            guard !world.isBurying else { return }
            world.acknowledged.insert(key)
            if outcome == .merged { world.done[key, default: 0] += 1 }
        }
    }

    /// Retries failed requests until all promised merges are done.
    private func finish(_ coordinator: AIDataCoordinator, _ manager: AIRequestManager) async {
        for _ in 0..<400 {
            do {
                try await scheduler.sleep(until: scheduler.now + 2_000_000_000, lane: provider.lane)
                let snapshots = try await manager.snapshots()
                for snapshot in snapshots where snapshot.phase == .failed { try await manager.retry(snapshot.id) }
                let promised = try await coordinator.pendingMerges()
                let known = Set(snapshots.map(\.id))
                let isDone = snapshots.allSatisfy { $0.phase == .completed }
                if isDone, promised.allSatisfy({ !known.contains($0.key.requestID) }) {
                    // Waits until merged responses are reported to the engine.
                    let merged = try database.readHere { try UUID.fetchSet($0, sql: "SELECT request FROM merged") }
                    if !snapshots.contains(where: { $0.awaitsMerge && merged.contains($0.id) }) { return }
                }
            } catch {
                return fault("the last process cannot finish: \(error)")
            }
        }
        do {
            let states = try await manager.snapshots().map { "\($0.id) \($0.phase) \(String(describing: $0.waiting))" }
            let promises = try await coordinator.pendingMerges().map { "\($0.key) \($0.failure ?? "")" }
            fault("something is never done: \(states) \(promises)")
        } catch {
            fault("something is never done")
        }
    }

    // MARK: Judgement

    private func judge() throws {
        let rows = try database.read {
            try Row.fetchAll($0, sql: "SELECT request, target, row, COUNT(*) AS n FROM merged GROUP BY 1, 2, 3")
        }
        var counts: [MergeKey: Int] = [:]
        for row in rows {
            let key = MergeKey(
                requestID: row["request"], target: row["target"], row: MergeRow(row["row"] as DatabaseValue))
            counts[key] = row["n"]
        }
        let (acknowledged, done, forgotten) = world.withLock { ($0.acknowledged, $0.done, $0.forgotten) }
        for (key, count) in counts where count > 1 { fault("merged \(count) times: \(key)") }
        for key in acknowledged where counts[key] == nil { fault("acknowledged and not merged: \(key)") }
        for key in forgotten where counts[key] != nil { fault("merged after its promise was taken back: \(key)") }
        for (key, count) in done where count > 1 { fault("said \(count) times that it is done now: \(key)") }
        let receipts = try database.read {
            try Row.fetchAll($0, sql: "SELECT request, target, row FROM hablare_receipts")
        }.map {
            MergeKey(requestID: $0["request"], target: $0["target"], row: MergeRow($0["row"] as DatabaseValue))
        }
        for key in receipts where counts[key] == nil { fault("a receipt of what was not merged: \(key)") }
        for key in Set(counts.keys).subtracting(receipts) {
            // A receipt may be removed once the response can no longer be merged.
            guard case .success? = try store.response(of: key.requestID)?.result else { continue }
            fault("merged without a receipt: \(key)")
        }
    }
}

/// A store that does nothing for a dead process.
private struct MortalStore: ForwardingStore {
    let base: any RequestStore = InMemoryStore()
    let isDead: @Sendable () -> Bool

    init(isDead: @escaping @Sendable () -> Bool) { self.isDead = isDead }

    private func check() throws {
        if isDead() { throw AIServiceError(.storageFailed, "The process is dead.") }
    }

    func commit(_ writes: [StoreWrite]) throws -> StoreCommit {
        try check()
        return try base.commit(writes)
    }

    func claim(_ query: ClaimQuery) throws -> Claim {
        try check()
        return try base.claim(query)
    }
}

/// An observer that refuses the commits of a dead process.
private final class MortalCommits: TransactionObserver, Sendable {
    private let isDead: @Sendable () -> Bool

    init(isDead: @escaping @Sendable () -> Bool) { self.isDead = isDead }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseWillCommit() throws {
        if isDead() { throw DatabaseError(resultCode: .SQLITE_IOERR, message: "the process is dead") }
    }
    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) {}
}
