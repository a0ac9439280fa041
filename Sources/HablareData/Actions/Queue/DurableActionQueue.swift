import Foundation
public import GRDB
public import Hablare
import HablareSupport
public import Logging

/// A durable queue that carries out the user's actions in groups, in the background. It writes each action to disk
/// before it acknowledges the action. It supports undo before and after the commit. It survives a crash at any moment.
///
/// Open the queue once for each name and database, and pass it to a `ServiceGroup`. The queue carries actions out while
/// ``run()`` is active. You can append, undo and redo actions at any time.
///
/// If another object opens a queue with the same name, in this process or in another, that object becomes the owner of
/// the queue. The first object then throws ``ActionQueueError/Code/takenOver`` and can no longer write to the journal.
/// The new owner does not wait for the first one. So if the first process is dead, its actions continue at once.
///
/// For the guarantees and the duties of a committer, see <doc:ActionQueue>.
public final class DurableActionQueue<Committer: ActionCommitter>: Sendable {
    /// The type of the actions.
    public typealias Action = Committer.Action

    /// The delay before events are written again after a failure of the journal.
    static var journalRetryDelay: Duration { .seconds(1) }
    /// The maximum time that a shutdown waits for cancelled commits.
    static var cancellationGrace: Duration { .seconds(1) }

    struct State: Sendable {
        /// The state of the core that is on disk.
        var core: ActionQueueCore<Action>
        var snapshot = ActionQueueSnapshot()
        /// The events that are not on disk yet.
        var inbox: [ActionQueueEvent<Action>] = []
        /// The task that writes the inbox while the inbox has events.
        var writer: Task<Void, Never>?
        /// The time at which the inbox is written again, after a failure of the journal.
        var journalRetryAt: Duration?
        /// The journal's failure, until the journal works again.
        var journalFailure: ActionQueueError?
        /// The commits in flight.
        var commits: [Int: Task<Void, Never>] = [:]
        var alarm: (fires: Duration, task: Task<Void, Never>)?
        var isRun = false
        /// Whether ``run()`` has stopped passing actions to the committer and waits for the last commits.
        var isLeaving = false
        var isToEnd = false
        var isPaused = false
        /// The error after which the queue can no longer be used; `nil` while it can be used.
        var end: ActionQueueError?
        var waiters: [Int: ConditionWaiter] = [:]
        /// The last number that was given to a commit, a waiter or a reader of this queue.
        var lastNumber = 0

        var isRunning: Bool { isRun && !isPaused && end == nil }

        mutating func nextNumber() -> Int {
            lastNumber += 1
            return lastNumber
        }
    }

    /// A waiter with a condition on the queue's state.
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
    /// The readers of ``updates``. The broadcast has its own lock. A reader can end in a cancellation handler, and such
    /// a handler must not wait for the queue's lock, under which snapshots are published.
    let readers = Broadcast<ActionQueueSnapshot>(limit: 1)
    let logger: Logger
    private let state: Locked<State>

    /// Opens a queue and reads its actions. The caller becomes the queue's owner, in place of the current owner.
    ///
    /// - Parameters:
    ///   - name: The queue's name. A database can hold one queue for each name.
    ///   - database: The database that stores the queue. Its migrator must have called `registerHablareData()`.
    ///     Acknowledged actions are as durable as the commits of this database.
    ///   - committer: The committer that carries the actions out.
    ///   - configuration: The settings for commits, attempts and undo. Default: the default configuration.
    ///   - seams: The clock, dates, UUIDs and threads. Default: those of the system.
    ///   - logger: The logger for failures of the journal, unreadable rows and similar problems. Default: the logger of
    ///     the process.
    /// - Throws: ``ActionQueueError``: `invalidConfiguration`, `notMigrated`, `diskFull`, `databaseFailed`. Cancelling
    ///   the task does not stop the call.
    public convenience init(
        _ name: String, in database: any DatabaseWriter, committer: Committer,
        configuration: ActionQueueConfiguration = ActionQueueConfiguration(), seams: EngineSeams = EngineSeams(),
        logger: Logger = Logger(label: "hablare.actions")
    ) async throws {
        try await self.init(
            name, journal: GroupWriter(database, driver: seams.makeCommitDriver()), committer: committer,
            configuration: configuration, seams: seams, logger: logger)
    }

    /// Opens a queue whose actions change only the queue's own database. Each action runs in the transaction that marks
    /// it as done.
    ///
    /// - Parameters:
    ///   - name: The queue's name. A database can hold one queue for each name.
    ///   - database: The database that stores the queue. The actions change this database. Its migrator must have
    ///     called `registerHablareData()`.
    ///   - configuration: The settings for commits, attempts and undo. Default: the default configuration.
    ///   - seams: The clock, dates, UUIDs and threads. Default: those of the system.
    ///   - logger: The logger for failures of the journal, unreadable rows and similar problems. Default: the logger of
    ///     the process.
    ///   - apply: A closure that carries an action out. It runs on the queue's own thread. It may run again after its
    ///     transaction was rolled back, so it must change only the given database.
    /// - Throws: ``ActionQueueError``: `invalidConfiguration`, `notMigrated`, `diskFull`, `databaseFailed`. Cancelling
    ///   the task does not stop the call.
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
            throw ActionQueueError.forCaller(error)
        }
        let core = ActionQueueCore(
            configuration: configuration, owner: contents.owner, stored: contents.stored, last: contents.last,
            names: contents.names, unreadable: contents.unreadable, now: clock.now)
        state = Locked(State(core: core, snapshot: core.snapshot))
        if !contents.unreadable.isEmpty {
            logger.warning(
                "This version of the app cannot read some queued actions. It keeps and skips them; `discardUnreadable()` removes them",
                metadata: ["queue": "\(name)", "count": "\(contents.unreadable.count)"])
        }
        enter(.looked)
    }

    deinit {
        state.withLock { $0.alarm?.task }?.cancel()
    }

    /// Returns a token from the second half of a UUID, which has 62 random bits.
    private static func token(of id: UUID) -> Int64 {
        id.bytes.suffix(8).reduce(0) { $0 << 8 | Int64($1) }
    }

    /// Applies a change to the state. Resumes the waiters whose conditions are then true.
    @discardableResult
    func apply<R: Sendable>(_ event: (inout State) -> R) -> R {
        let (result, satisfied) = state.withLock { state in
            let result = event(&state)
            let over = state.waiters.keys.sorted().filter { state.waiters[$0]?.isOver(state) == true }
            return (result, over.compactMap { state.waiters.removeValue(forKey: $0) })
        }
        // Outside the lock, because a resumed waiter may run at once.
        for entry in satisfied { entry.waiter.resume() }
        return result
    }

    /// Reads or changes the state without checking the conditions of the waiters, because a check may examine every
    /// action in the queue. Use this method only for changes that no waiter waits for.
    @discardableResult
    func quietly<R: Sendable>(_ event: (inout State) -> R) -> R { state.withLock { event(&$0) } }
}
