import Foundation
import HablareSupport
import Logging

/// Connects ``EngineCore`` with the outside world. It passes events and commits to the core, and performs the effects
/// that the core returns.
///
/// The engine has one lock, and is not an actor. The core handles an event, and the engine starts the effects, in one
/// short critical section (ADR-059). A commit of a thousand requests is one event. No code under the lock waits or does
/// I/O. While it holds the lock, the engine calls only these functions of ``EngineSeams``: the clock, the date, the
/// jitter, the function for events (`follower`), and the executor that receives a task. Two kinds of effects are
/// performed after the lock is released. One is the start of an attempt. The other is any effect that may run code of
/// other modules, such as a cancellation handler or the end of a stream.
final class Engine: Sendable {
    struct State: Sendable {
        var core: EngineCore
        /// The attempts whose providers have not returned.
        var tasks: [AttemptKey: AttemptTask] = [:]
        var storeTasks: [Int: Task<Void, Never>] = [:]
        var lastStoreTask = 0
        var looks: [Int: Task<Void, Never>] = [:]
        var timer: (fires: Duration, task: Task<Void, Never>)?
        var listening: Task<Void, Never>?
        /// The attempts whose ends wait until the store can be written.
        var recordings: [AttemptKey: CheckedContinuation<Int?, Never>] = [:]
        var waiters: [Int: ConditionWaiter] = [:]
        var lastWaiter = 0
        /// The attempts to start after the lock is released. Starting a task wakes a thread. If the lock were still
        /// held, this thread might have to wait for it.
        var begun: [(task: AttemptTask, isJournalled: Bool)] = []
        /// The actions to run after the lock is released, because they run code of other modules or hold another lock
        /// for long.
        var afterwards: [@Sendable () -> Void] = []
    }

    struct ConditionWaiter: Sendable {
        let isOver: @Sendable (State) -> Bool
        let waiter: Waiter<Void>
    }

    let parts: AttemptTask.Parts
    let journal: Journal
    let store: any RequestStore
    let answers: AnswerCache
    let retention: Retention
    let spawner: TaskSpawner
    let clock: EngineClock
    let date: @Sendable () -> Date
    let scope: ClaimScope
    let cancellationGrace: Duration
    let renewalInterval: Duration
    let logger: Logger
    let chunks: ChunkHub
    let revivals = Broadcast<Revival>()
    let followers = Broadcast<EngineEvent>(limit: 1024)
    let follower: (@Sendable (EngineEvent) -> Void)?
    private let state: Locked<State>

    init(
        parts: AttemptTask.Parts, store: any RequestStore, answers: AnswerCache, chunks: ChunkHub,
        registry: ProviderRegistry, configuration: EngineConfiguration, seams: EngineSeams
    ) {
        self.parts = parts
        self.store = store
        self.answers = answers
        self.chunks = chunks
        journal = parts.journal
        retention = configuration.retention
        spawner = TaskSpawner(executor: seams.taskExecutor)
        clock = seams.clock
        date = seams.date
        scope = configuration.scope
        follower = seams.follower
        cancellationGrace = configuration.cancellationGrace
        renewalInterval = configuration.renewalInterval
        logger = parts.logger
        let lanes = registry.registrations.map {
            LaneDescription(
                provider: $0.id, concurrency: $0.limits.concurrency, account: $0.account, rate: $0.limits.rate,
                breaker: $0.limits.breaker ?? configuration.breaker, needsNetwork: $0.needsNetwork,
                attemptTimeout: $0.limits.attemptTimeout ?? configuration.attemptTimeout)
        }
        var core = EngineCore(
            lanes: lanes,
            configuration: EngineCore.Configuration(
                cancellationGrace: configuration.cancellationGrace, scope: configuration.scope,
                isShared: store.signal != nil,
                suspendsRefusingAccounts: configuration.suspendsRefusingAccounts,
                longestPause: configuration.longestPause))
        core.isFollowed = seams.follower != nil
        state = Locked(State(core: core))
    }

    deinit {
        let left = state.withLock { $0 }
        for task in [left.timer?.task, left.listening].compactMap(\.self) { task.cancel() }
        for look in left.looks.values { look.cancel() }
        for recording in left.recordings.values { recording.resume(returning: nil) }
    }

    // MARK: Events

    /// Applies an event to the core and starts its effects, in one critical section.
    @discardableResult
    func apply<R: Sendable>(_ event: (inout EngineCore) -> R) -> R {
        applyToState { state, now in state.core.apply(at: now, event) }
    }

    private func applyToState<R: Sendable>(
        _ event: (inout State, Moment) -> (answer: R, effects: [EngineCore.Effect])
    ) -> R {
        let gauges = parts.observer.lanes
        var begun: [(task: AttemptTask, isJournalled: Bool)] = []
        var afterwards: [@Sendable () -> Void] = []
        var hasNewLoads = false
        let answer = state.withLock { state in
            let (answer, effects) = event(&state, Moment(date: date(), clock: clock.now))
            for effect in effects { perform(effect, &state) }
            setTimer(&state)
            if !state.waiters.isEmpty { wakeWaiters(&state) }
            hasNewLoads = gauges != nil && state.core.takeLoadChange()
            if !state.begun.isEmpty { swap(&begun, &state.begun) }
            if !state.afterwards.isEmpty { swap(&afterwards, &state.afterwards) }
            return answer
        }
        for (task, isJournalled) in begun { task.start(isJournalled: isJournalled, with: spawner) }
        for action in afterwards { action() }
        if hasNewLoads { gauges?.changed { read(\.loads) } }
        return answer
    }

    func read<R: Sendable>(_ body: (EngineCore) -> R) -> R { state.withLock { body($0.core) } }

    func change<R: Sendable>(_ body: (inout State) -> R) -> R { state.withLock(body) }

    func events() -> AsyncStream<EngineEvent> {
        apply { $0.isFollowed = true }
        return followers.elements()
    }

    // MARK: Closing, time

    /// Starts no more attempts, and returns flights that were not sent to the store. Attempts in flight may continue
    /// for `grace`. After that, they are stopped.
    ///
    /// Cancelling the task (for example by a second Ctrl-C) ends the grace period at once. The ends of attempts are
    /// recorded nevertheless.
    func drain(grace: Duration) async {
        apply { $0.closed() }
        await idle(within: grace, orUntilCancelled: true)
        apply { $0.stopAll() }
        await idle(within: min(cancellationGrace, .farthest) + .seconds(1))
        await wait { $0.core.isQuiet }
        // Pending ends are tried once more before the registration goes and they count as lost. The disk may have room
        // again.
        apply { $0.resumeRecordings() }
        await wait { $0.core.isQuiet }
        apply { $0.retired() }
    }

    /// Handles everything that waits for a date that may have come. Call this method also if the clock was set or the
    /// machine has slept.
    func timePassed() {
        applyToState { state, now in
            let tasks = state.tasks
            return state.core.apply(at: now) { $0.timePassed { tasks[$0]?.silenceLeft } }
        }
    }

    // MARK: Watching

    /// Starts to wait for an outcome. Call this method before the request can become final.
    func expectOutcome(of id: UUID) -> Waiter<RequestStatus> {
        let waiter = Waiter<RequestStatus>()
        if !apply({ $0.wait(waiter, for: id) }) { waiter.resume(with: .failure(AIServiceError.suspended)) }
        return waiter
    }

    func forget(_ waiter: Waiter<RequestStatus>, of id: UUID) {
        apply { $0.watched.forget(waiter, of: id) }
    }

    /// Starts a stream of statuses. If a reader has not read a status yet, a newer status replaces it. The final status
    /// is never replaced.
    func stream(of id: UUID) -> (number: Int, statuses: AsyncThrowingStream<RequestStatus, any Error>) {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: RequestStatus.self, throwing: (any Error).self, bufferingPolicy: .bufferingNewest(1))
        guard let number = apply({ $0.begin(continuation, of: id) }) else {
            continuation.finish(throwing: AIServiceError.suspended)
            return (0, stream)
        }
        continuation.onTermination = { [weak self] end in
            guard case .cancelled = end, let self else { return }  // the engine has removed a stream that it finished
            later { $0.endStream(number, of: id) }
        }
        return (number, stream)
    }

    /// Yields the first status of a stream, unless the stream already has a newer status. Returns the stream for the
    /// reader.
    ///
    /// A final status is yielded even if the engine has ended, because no newer status can follow it.
    func begin(
        _ stream: (number: Int, statuses: AsyncThrowingStream<RequestStatus, any Error>), of id: UUID,
        with status: RequestStatus
    ) -> AsyncThrowingStream<RequestStatus, any Error> {
        guard !status.isFinal else {
            endStream(stream.number, of: id)
            return AsyncThrowingStream { continuation in
                continuation.yield(status)
                continuation.finish()
            }
        }
        apply { $0.watched.tellFirst(status, to: stream.number, of: id) }
        return stream.statuses
    }

    /// Runs an action in a task of its own. Cancellation handlers must use this method instead of taking the engine's
    /// lock.
    ///
    /// When a task is cancelled, its handlers run while the runtime holds a lock of this task. The engine, on the other
    /// hand, resumes readers while it holds its own lock, and resuming takes the runtime's lock. If a handler took the
    /// engine's lock, the two locks would be taken in opposite orders, and both threads could wait for ever.
    func later(_ action: @escaping @Sendable (Engine) -> Void) {
        _ = spawner.start { [weak self] in if let self { action(self) } }
    }

    func endStream(_ number: Int, of id: UUID) {
        apply { $0.watched.endStream(number, of: id) }
    }

    func readerCame(for request: UUID) -> (number: Int, waker: StreamWaker) {
        apply { $0.readers += 1 }
        return chunks.readerCame(for: request)
    }

    func readerLeft(_ number: Int) {
        chunks.readerLeft(number)
        apply { $0.readers -= 1 }
    }
}

// MARK: - Commits

extension Engine: CommitListener {
    func willCommit(_ writes: inout [StoreWrite]) {
        guard writes.contains(where: \.isSubmission) else { return }
        apply { $0.place(&writes) }
    }

    func committed(_ commit: StoreCommit, of writes: [StoreWrite]) {
        apply { $0.committed(commit, of: writes) }
        parts.observer.committed(commit.changes)
    }

    func commitFailed(_ writes: [StoreWrite], with error: any Error) {
        apply { $0.commitFailed(writes, with: error) }
    }

    func isOfInterest(_ row: ChangedRow) -> Bool {
        switch row {
        case .request(let id): read { $0.isOfInterest(row) } || chunks.readerCount(of: id) > 0
        case .flight(let id): read { $0.isOfInterest(row) } || chunks.hasReaders(of: id)
        case .account: read { $0.isOfInterest(row) }
        }
    }

    var rowsOfInterest: [ChangedRow] {
        let (requests, flights) = chunks.read
        return read(\.rowsOfInterest) + flights.map { .flight($0) } + requests.map { .request($0) }
    }

    func received(_ news: ForeignChanges) {
        apply { $0.received(news) }
    }
}

extension StoreWrite {
    fileprivate var isSubmission: Bool { if case .submit = self { true } else { false } }
}

// MARK: - Attempts

extension Engine {
    func startRefused(_ key: AttemptKey) {
        end(key) { $0.startRefused(key) }
    }

    func startFailed(_ key: AttemptKey, with error: any Error) {
        logger.error("An attempt could not be journalled, so it was not sent", metadata: ["error": "\(error)"])
        end(key) { $0.startFailed(key, with: error) }
    }

    /// Returns a flight to the store because the deadline of its request has passed, as far as this process knows.
    /// Another request with a later deadline may have joined the flight. The process that claims the flight next learns
    /// this from the store.
    func startTooLate(_ flight: QueuedFlight) {
        end(flight.key) {
            $0.startRefused(flight.key)
            $0.release([flight])
        }
    }

    private func end(_ key: AttemptKey, _ event: (inout EngineCore) -> Void) {
        applyToState { state, now in
            state.tasks[key] = nil
            return state.core.apply(at: now, event)
        }
    }

    /// Ends an attempt whose provider has returned and whose output is written to the store. Returns the reason why the
    /// attempt was stopped, if it was stopped. Returns `nil` if an end in place of the provider's result is still being
    /// recorded. This end must be recorded first.
    func ended(_ key: AttemptKey, with reply: Reply) -> StopReason?? {
        applyToState { state, now in
            guard !state.core.isRecordingStandIn(of: key) else { return (nil, []) }
            state.tasks[key] = nil
            let (stopped, effects) = state.core.apply(at: now) { $0.ended(key, with: reply) }
            return (.some(stopped), effects)
        }
    }

    func recordingOver(_ end: AttemptEnd) {
        apply {
            $0.recorded(AttemptKey(flight: end.flight, token: end.lifecycle.token))
            $0.emit(.discarded(end))
        }
    }

    /// Keeps an end that could not be written to the store. The continuation resumes when the store can be written
    /// again. It receives the number of failed tries to record this end. If the engine is released, the continuation
    /// receives `nil`.
    ///
    /// This is not an async function. The frame of an async function would keep the engine alive, and the engine keeps
    /// the continuation alive.
    func recordingFailed(
        _ key: AttemptKey, with error: any Error, _ continuation: CheckedContinuation<Int?, Never>
    ) {
        logger.error("An attempt's end could not be recorded; the engine tries again", metadata: ["error": "\(error)"])
        let failures: Int? = applyToState { state, now in
            let (_, effects) = state.core.apply(at: now) { $0.recordingFailed(key, with: error) }
            let recording = state.core.recording(of: key)
            guard recording?.isSuspended == true else { return (recording?.failures ?? 0, effects) }
            state.recordings[key] = continuation
            return (nil, effects)
        }
        if let failures { continuation.resume(returning: failures) }
    }
}
