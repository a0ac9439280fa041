import Foundation
import GRDB
import Hablare
import HablareSupport
import HablareTestKit

@testable import HablareData
@testable import HablareSimulation

/// Queues and their user, on one thread and in one virtual time. The database outlives them and refuses commits at
/// random moments. Each process dies at some point, and another one follows. The simulation judges which swipes are in
/// effect at the end. In between, it judges whether a new process finds the acknowledged actions.
///
/// The production code runs. Only time, threads, the disk's refusals and the service are simulated.
final class ActionSimulation: Sendable {
    /// The committer of the actions.
    enum Kind: CaseIterable, Sendable { case service, database }

    private struct World: Sendable {
        var random: SeededGenerator
        /// Whether a dead process is running to its end. Then its writes have no effect.
        var isBurying = false
        /// Whether commits are refused.
        var isStormy = true
        /// The acknowledged swipes, and whether they are wanted.
        var wantedNames: [Int: Bool] = [:]
        var lastName = 0
        /// The swipes with an unanswered request.
        var asked: Set<Int> = []
        /// The number of unanswered undos and redos.
        var changing = 0
        var acknowledged = 0
        var refused = 0
        var faults: [String] = []
        var isOver = false
    }

    private let scheduler: SimulationScheduler
    private let database: DatabaseQueue
    private let service: SimulatedService
    private let world: Locked<World>
    private let lifetimes: [Int]
    private let kind: Kind
    private let configuration: ActionQueueConfiguration
    /// The maximum duration of a journal's commit. Some disks take longer than a queue waits before a retry.
    private let diskDelay: Int64

    /// Creates a history of a few processes.
    ///
    /// - Parameters:
    ///   - deathAt: The step at which the first process dies, and no other one does. Default: random steps for a few
    ///     processes.
    init(seed: UInt64, kind: Kind, deathAt: Int? = nil) throws {
        var random = SeededGenerator(seed: seed)
        let style = SchedulingStyle(
            order: SchedulingStyle.Order.allCases.randomElement(using: &random) ?? .any, slowLane: nil,
            drift: Bool.random(using: &random) ? 1_000_000 : 0)
        lifetimes =
            deathAt.map { [$0] }
            ?? (0..<Int.random(in: 1...4, using: &random)).map { _ in Int.random(in: 1...700, using: &random) }
        configuration = ActionQueueConfiguration(
            mode: Int.random(in: 0..<4, using: &random) == 0 ? .review : .automatic,
            count: Int.random(in: 1...6, using: &random), largestGroup: Int.random(in: 1...4, using: &random),
            undoDepth: 1000, maximumAttempts: Int.random(in: 1...5, using: &random))
        diskDelay = random.percent(30) ? 4_000_000_000 : 100_000
        scheduler = SimulationScheduler(seed: random.next(), style: style)
        self.kind = kind
        let serviceSeed = random.next()
        let world = Locked(World(random: random))
        self.world = world
        service = SimulatedService(seed: serviceSeed, scheduler: scheduler) { world.withLock { $0.isBurying } }
        database = try DatabaseQueue()
        try database.write { database in
            try ActionSchema.create(database)
            try database.execute(sql: "CREATE TABLE swipes (name INTEGER NOT NULL, difference INTEGER NOT NULL)")
        }
        database.add(
            transactionObserver: MoodyCommits {
                world.withLock { world in
                    if world.isBurying { return true }
                    guard world.isStormy, world.random.percent(12) else { return false }
                    world.refused += 1
                    return true
                }
            }, extent: .databaseLifetime)
    }

    /// The number of steps in the history.
    var length: Int { Int(scheduler.stamp.steps) }
    /// The numbers of acknowledged requests, refused commits and repeated items.
    var counts: (acknowledged: Int, refused: Int, repeated: Int) {
        let (acknowledged, refused) = world.withLock { ($0.acknowledged, $0.refused) }
        return (acknowledged, refused, service.repetitions)
    }

    /// Runs the history, and returns descriptions of the faults.
    func run() throws -> [String] {
        for lifetime in lifetimes { live(for: lifetime) }
        live(for: nil)
        try judge()
        scheduler.close()
        return world.withLock { $0.faults } + service.faults
    }

    private func draw<R: Sendable>(_ draw: (inout SeededGenerator) -> R) -> R {
        world.withLock { draw(&$0.random) }
    }

    private func fault(_ fault: String) {
        world.withLock { world in
            if !world.isBurying { world.faults.append(fault) }
        }
    }

    // MARK: Processes

    /// Runs one process from its start to its death. The last one lives until everything is done.
    private func live(for steps: Int?) {
        let executor = scheduler.makeLane()
        let drivers = Locked<[SimulatedCommitDriver]>([])
        let seams = EngineSeams(
            clock: EngineClock(VirtualClock(scheduler: scheduler, lane: executor.lane)),
            date: { Date(timeIntervalSince1970: 1_767_225_600) }, makeID: { [self] in id() }, jitter: { 0.5 },
            taskExecutor: executor,
            makeCommitDriver: { [scheduler, diskDelay] in
                let driver = SimulatedCommitDriver(scheduler: scheduler, lane: executor.lane, delay: diskDelay)
                drivers.withLock { $0.append(driver) }
                return driver
            }, observation: .none)
        world.withLock { $0.isOver = false }
        let process = TaskSpawner(executor: executor).start { [self] in
            switch kind {
            case .service:
                await run(isLast: steps == nil, lane: executor.lane) {
                    try await DurableActionQueue(
                        "swipes", in: database,
                        committer: SimulatedCommitter(service: service, lane: executor.lane),
                        configuration: configuration, seams: seams, logger: LogRecorder().logger)
                }
            case .database:
                await run(isLast: steps == nil, lane: executor.lane) {
                    try await DurableActionQueue(
                        "swipes", in: database, configuration: configuration, seams: seams,
                        logger: LogRecorder().logger
                    ) { [self] in try apply($0, $1) }
                }
            }
        }
        if let steps { scheduler.lightFuse(steps, lane: executor.lane) }
        play(executor.lane)
        bury(process, executor, drivers.withLock { $0 })
    }

    private func run<C: ActionCommitter>(
        isLast: Bool, lane: Int, open: () async throws -> DurableActionQueue<C>
    ) async where C.Action == Swipe {
        while !scheduler.isCutOff(lane: lane) {
            do {
                let queue = try await open()
                find(queue)
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { [self] in await serve(queue) }
                    group.addTask { [self] in await use(queue, lane: lane, isLast: isLast) }
                    await group.next()
                    group.cancelAll()
                }
                world.withLock { $0.isOver = true }
                return
            } catch {
                guard (error as? ActionQueueError)?.code == .diskFull else {
                    return fault("not opened: \(error)")
                }
            }
        }
    }

    private func serve<C: ActionCommitter>(_ queue: DurableActionQueue<C>) async {
        do {
            try await queue.run()
        } catch {
            fault("the queue ended: \(error)")
        }
    }

    /// Checks that a new process finds the acknowledged actions, and each unanswered request either completely or not
    /// at all.
    private func find<C: ActionCommitter>(_ queue: DurableActionQueue<C>) where C.Action == Swipe {
        let rows = queue.quietly { state in
            state.core.steps.numbers.compactMap { state.core.steps[$0] }.map { ($0.action.name, $0.record.isWanted) }
        }
        world.withLock { world in
            guard !world.isBurying else { return }
            let found = Dictionary(rows) { first, _ in first }
            if found.count != rows.count { world.faults.append("an action is there twice") }
            for (name, isWanted) in world.wantedNames where found[name] ?? false != isWanted {
                // An undone action that cannot be redone may be gone.
                world.changing -= 1
                world.wantedNames[name] = found[name] ?? false
                if world.changing < 0 { world.faults.append("acknowledged, and not there: \(name), \(isWanted)") }
            }
            for (name, isWanted) in found where world.wantedNames[name] == nil {
                if !world.asked.contains(name) { world.faults.append("nobody asked for \(name)") }
                world.wantedNames[name] = isWanted
            }
            world.asked = []
            world.changing = 0
        }
    }

    /// Runs steps until the process dies, or until everything is done.
    private func play(_ lane: Int) {
        let start = scheduler.stamp.steps
        while scheduler.stamp.steps - start < 200_000 {
            switch scheduler.step() {
            case .went: break
            case .alert(.fuseBurnt(let burnt)): if burnt == lane { return }  // the process dies now
            case .alert(.raised): break
            case .nothing: return
            }
            if world.withLock({ $0.isOver }) { return }
        }
        fault("it never ends")
    }

    /// Runs the rest of a dead process to its end, without any effect.
    private func bury(_ process: Task<Void, Never>, _ executor: ProcessExecutor, _ drivers: [SimulatedCommitDriver]) {
        world.withLock { $0.isBurying = true }
        scheduler.cut(lane: executor.lane)
        process.cancel()
        for driver in drivers { driver.flush() }
        let isOver = scheduler.runRemaining(ofLane: executor.lane, within: 100_000)
        world.withLock { world in
            world.isBurying = false
            if !isOver { world.faults.append("a dead process never ends") }
        }
    }

    // MARK: The committer

    /// Carries a swipe out in the queue's own database, and may throw, which rolls its transaction back.
    private func apply(_ swipe: Swipe, _ database: Database) throws {
        try database.execute(
            sql: "INSERT INTO swipes VALUES (?, ?)", arguments: [swipe.name, swipe.takesBack ? -1 : 1])
        let choice = world.withLock { $0.isStormy ? $0.random.below(20) : 19 }
        switch choice {
        case 0, 1: throw DatabaseError(resultCode: .SQLITE_BUSY, message: "not now")
        case 2: throw CocoaError(.fileNoSuchFile)
        default: break
        }
    }

    // MARK: The user

    private func id() -> UUID {
        let (high, low) = draw { ($0.next(), $0.next()) }
        return withUnsafeBytes(of: (high, low)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    private func use<C: ActionCommitter>(
        _ queue: DurableActionQueue<C>, lane: Int, isLast: Bool
    ) async where C.Action == Swipe {
        // A new process begins with the actions that it finds, or with a new one at once.
        for _ in 0..<30 {
            guard !scheduler.isCutOff(lane: lane) else { return }
            do {
                try await perform(queue, lane: lane)
            } catch is CancellationError {
                return  // the process is dead
            } catch {
                // The request was refused, and nothing has changed.
            }
        }
        if isLast { await finish(queue, lane: lane) }
    }

    private func perform<C: ActionCommitter>(
        _ queue: DurableActionQueue<C>, lane: Int
    ) async throws where C.Action == Swipe {
        switch draw({ $0.below(20) }) {
        case 0..<8: try await append(to: queue)
        case 8..<11:
            try await change {
                try await queue.undo()
            } to: {
                false
            }
        case 11..<13:
            try await change {
                try await queue.redo()
            } to: {
                true
            }
        case 13: try await queue.commit()
        case 14: _ = try await queue.retryFailed()
        case 15:
            queue.pause()
            let time = draw { $0.below(3_000_000_000) }
            try await scheduler.sleep(until: scheduler.now + time, lane: lane)
            queue.resume()
        default:
            let time = draw { $0.below(4_000_000_000) }
            try await scheduler.sleep(until: scheduler.now + time, lane: lane)
        }
    }

    private func append<C: ActionCommitter>(to queue: DurableActionQueue<C>) async throws where C.Action == Swipe {
        let swipes = world.withLock { world in
            (0..<Int(1 + world.random.below(3))).map { _ in
                world.lastName += 1
                world.asked.insert(world.lastName)
                return Swipe(
                    world.lastName, group: ["trash", "album"][Int(world.random.below(2))],
                    subject: [nil, "a", "b"][Int(world.random.below(3))])
            }
        }
        let result: Result<[ActionID], any Error>
        do {
            result = .success(try await queue.append(swipes))
        } catch {
            result = .failure(error)
        }
        world.withLock { world in
            guard !world.isBurying else { return }
            for swipe in swipes {
                world.asked.remove(swipe.name)
                if case .success = result { world.wantedNames[swipe.name] = true }
            }
            if case .success = result { world.acknowledged += 1 }
        }
        _ = try result.get()
    }

    private func change(
        _ ask: () async throws -> ActionChange<Swipe>, to isWanted: () -> Bool
    ) async throws {
        world.withLock { $0.changing = 1 }
        do {
            let change = try await ask()
            let isWanted = isWanted()
            world.withLock { world in
                guard !world.isBurying else { return }
                world.changing = 0
                world.acknowledged += 1
                world.wantedNames[change.action.name] = isWanted
            }
        } catch {
            world.withLock { world in
                if !world.isBurying { world.changing = 0 }
            }
            throw error
        }
    }

    /// Continues without failures until nothing is left to do, with explicit commits in review mode.
    private func finish<C: ActionCommitter>(_ queue: DurableActionQueue<C>, lane: Int) async {
        world.withLock { $0.isStormy = false }
        service.calmDown()
        for _ in 0..<300 {
            do {
                let snapshot = queue.snapshot
                if snapshot.pending == 0, snapshot.failed == 0 { return }
                if snapshot.failed > 0 { try await queue.retryFailed() }
                // In automatic mode the queue must find the remaining work by itself.
                if configuration.mode == .review { try await queue.commit() }
                try await scheduler.sleep(until: scheduler.now + 2_000_000_000, lane: lane)
            } catch {
                return fault("the last process cannot finish: \(error)")
            }
        }
        fault("something is never done: \(queue.pendingActions)")
    }

    // MARK: Judgement

    private func judge() throws {
        let wanted = Set(world.withLock { $0.wantedNames }.filter(\.value).keys)
        let inEffect: Set<Int>
        switch kind {
        case .service: inEffect = service.inEffect
        case .database:
            let rows = try database.read {
                try Row.fetchAll($0, sql: "SELECT name, difference FROM swipes ORDER BY rowid")
            }
            var sums: [Int: Int] = [:]
            for row in rows {
                sums[row["name"], default: 0] += row["difference"]
                if !(0...1).contains(sums[row["name"]] ?? 0) { fault("carried out twice: \(row)") }
            }
            inEffect = Set(sums.filter { $0.value == 1 }.keys)
        }
        for name in wanted.subtracting(inEffect).sorted() { fault("wanted, and not in effect: \(name)") }
        for name in inEffect.subtracting(wanted).sorted() { fault("in effect, and not wanted: \(name)") }
    }
}

/// An observer that refuses commits on request.
private final class MoodyCommits: TransactionObserver, Sendable {
    private let refuses: @Sendable () -> Bool

    init(refuses: @escaping @Sendable () -> Bool) { self.refuses = refuses }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseWillCommit() throws {
        if refuses() { throw DatabaseError(resultCode: .SQLITE_FULL, message: "not now, or never") }
    }
    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) {}
}
