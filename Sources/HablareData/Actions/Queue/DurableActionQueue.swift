import Foundation
public import GRDB
public import Hablare
public import Logging

/// Carries out what a person does, in groups and later, and loses nothing of it: each action is on disk before it is
/// acknowledged, can be undone before and after it was carried out, and survives a crash at any moment.
///
/// Open it once for each name and database, and give it to a `ServiceGroup`: while ``run()`` runs, actions are carried
/// out. Actions can be appended, undone and redone at any time. A second object for the same name, in this process or
/// another, takes the queue over, and the first one answers with ``ActionQueueError/Code/takenOver`` from then on: so
/// what a dead process left is picked up at once, and a process that only seemed dead can do no harm to the journal.
///
/// What is promised, and what a committer has to do for it, is written under <doc:ActionQueue>.
public final class DurableActionQueue<Committer: ActionCommitter>: Sendable {
    /// What is carried out.
    public typealias Action = Committer.Action

    /// The most bytes that an action takes as JSON.
    static var largestAction: Int { 1 << 20 }
    /// How long after a failure of the journal what happened is written again.
    static var journalRetryDelay: Duration { .seconds(1) }
    /// How long a shutdown waits for commits that were cancelled.
    static var cancellationGrace: Duration { .seconds(1) }

    struct State: Sendable {
        /// What is on disk, and no more than that.
        var core: ActionQueueCore<Action>
        var snapshot = ActionQueueSnapshot()
        /// What happened and is not on disk yet.
        var inbox: [ActionQueueEvent<Action>] = []
        /// Writes the inbox, while there is something in it.
        var writer: Task<Void, Never>?
        /// When the inbox is looked at again, after the journal has failed.
        var journalRetryAt: Duration?
        /// What the journal failed of, until it works again.
        var journalFailure: ActionQueueError?
        /// The commits under way.
        var commits: [Int: Task<Void, Never>] = [:]
        var alarm: (fires: Duration, task: Task<Void, Never>)?
        var isRun = false
        /// Whether the one who ran it waits for the last commits.
        var isLeaving = false
        var isToEnd = false
        var isPaused = false
        /// Why the queue is of no use any more.
        var end: ActionQueueError?
        var waiters: [Int: ConditionWaiter] = [:]
        var readers: [Int: AsyncStream<ActionQueueSnapshot>.Continuation] = [:]
        /// What commits, waiters and readers are numbered by.
        var lastNumber = 0

        var isRunning: Bool { isRun && !isPaused && end == nil }

        mutating func nextNumber() -> Int {
            lastNumber += 1
            return lastNumber
        }
    }

    /// A waiter with a condition over the queue's state.
    struct ConditionWaiter: Sendable {
        let isOver: @Sendable (State) -> Bool
        let waiter: Waiter<Void>
    }

    /// The queue's name in its database.
    public let name: String
    let committer: Committer
    let configuration: ActionQueueConfiguration
    let journal: GroupWriter
    let clock: EngineClock
    let date: @Sendable () -> Date
    let makeID: @Sendable () -> UUID
    let spawner: TaskSpawner
    let logger: Logger
    private let state: Guarded<State>

    /// Opens a queue: takes it over from whoever had it, and reads what is to be done.
    ///
    /// - Parameters:
    ///   - name: The queue's name: one database has as many queues as there are names.
    ///   - database: Where the queue is kept; its migrator has been given `registerHablareData()`. What is acknowledged is
    ///     as durable as this database's commits.
    ///   - committer: Carries the actions out.
    ///   - configuration: When it commits, how often it tries, how much it remembers.
    ///   - seams: Clock, dates, UUIDs and threads. Default: the system's.
    ///   - logger: Where failures of the journal, rows that cannot be read and the like are told. Default: the process's.
    /// - Throws: ``ActionQueueError``: `invalidConfiguration`, `notMigrated`, `diskFull`, `databaseFailed`. Cancelling the task does not end it.
    public convenience init(
        _ name: String, in database: any DatabaseWriter, committer: Committer,
        configuration: ActionQueueConfiguration = ActionQueueConfiguration(), seams: EngineSeams = EngineSeams(),
        logger: Logger = Logger(label: "hablare.actions")
    ) async throws {
        try await self.init(
            name, journal: GroupWriter(database, driver: seams.makeCommitDriver()), committer: committer,
            configuration: configuration, seams: seams, logger: logger)
    }

    /// Opens a queue whose actions change nothing but its own database, each in the transaction that marks it as done.
    ///
    /// - Parameters:
    ///   - name: The queue's name: one database has as many queues as there are names.
    ///   - database: Where the queue is kept, and what the actions change; its migrator has been given
    ///     `registerHablareData()`.
    ///   - configuration: When it commits, how often it tries, how much it remembers.
    ///   - seams: Clock, dates, UUIDs and threads. Default: the system's.
    ///   - logger: Where failures of the journal, rows that cannot be read and the like are told. Default: the process's.
    ///   - apply: Carries an action out. It runs on the queue's own thread and may run again after its transaction was
    ///     taken back, so it touches nothing but the database it is given.
    /// - Throws: ``ActionQueueError``: `invalidConfiguration`, `notMigrated`, `diskFull`, `databaseFailed`. Cancelling the task does not end it.
    public convenience init<A>(
        _ name: String, in database: any DatabaseWriter,
        configuration: ActionQueueConfiguration = ActionQueueConfiguration(), seams: EngineSeams = EngineSeams(),
        logger: Logger = Logger(label: "hablare.actions"),
        applying apply: @escaping @Sendable (A, Database) throws -> Void
    ) async throws where Committer == TransactionalCommitter<A> {
        let journal = GroupWriter(database, driver: seams.makeCommitDriver())
        try await self.init(
            name, journal: journal, committer: TransactionalCommitter(journal, apply: apply),
            configuration: configuration, seams: seams, logger: logger)
    }

    init(
        _ name: String, journal: GroupWriter, committer: Committer, configuration: ActionQueueConfiguration,
        seams: EngineSeams, logger: Logger
    ) async throws {
        try configuration.check()
        self.name = name
        self.committer = committer
        self.configuration = configuration
        self.journal = journal
        self.logger = logger
        clock = seams.clock
        date = seams.date
        makeID = seams.makeID
        spawner = TaskSpawner(executor: seams.taskExecutor)
        let contents: ActionTable.Contents<Action>
        do {
            let token = Self.token(of: makeID())
            contents = try await journal.write { try ActionTable.open(name, of: Action.self, token: token, in: $0) }
        } catch {
            throw ActionQueueError.told(error)
        }
        let core = ActionQueueCore(
            configuration: configuration, owner: contents.owner, stored: contents.stored, last: contents.last,
            names: contents.names, unreadable: contents.unreadable, now: clock.now)
        state = Guarded(State(core: core, snapshot: core.snapshot))
        if !contents.unreadable.isEmpty {
            logger.warning(
                "Actions that this version cannot read are kept and skipped",
                metadata: ["queue": "\(name)", "count": "\(contents.unreadable.count)"])
        }
        enter(.looked)
    }

    deinit {
        let (alarm, readers) = state.withLock { ($0.alarm?.task, Array($0.readers.values)) }
        alarm?.cancel()
        for reader in readers { reader.finish() }
    }

    /// A token of a UUID's second half, which has 62 random bits.
    private static func token(of id: UUID) -> Int64 {
        id.bytes.suffix(8).reduce(0) { $0 << 8 | Int64($1) }
    }

    /// Something happened that somebody may have waited for.
    @discardableResult
    func happened<R: Sendable>(_ event: (inout State) -> R) -> R {
        let (result, satisfied) = state.withLock { state in
            let result = event(&state)
            let over = state.waiters.keys.sorted().filter { state.waiters[$0]?.isOver(state) == true }
            return (result, over.compactMap { state.waiters.removeValue(forKey: $0) })
        }
        // Not under the lock: whoever waited may run at once.
        for entry in satisfied { entry.waiter.resume() }
        return result
    }

    /// Something happened that nobody waits for, or is only looked at: what waiters wait for, which may concern every action
    /// in line, is not asked again.
    @discardableResult
    func quietly<R: Sendable>(_ event: (inout State) -> R) -> R { state.withLock { event(&$0) } }
}
