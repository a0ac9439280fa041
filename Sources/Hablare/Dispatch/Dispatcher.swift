import Foundation
import Logging

/// The shell around ``DispatchCore``: feeds it what happened, does what it says, owns every attempt's task.
///
/// Not an actor: whatever happens is decided and set in motion in one short critical section, in the order in which it
/// happened, and a request passes through here three times. With an actor these were three hops between tasks, which
/// cost more than all that is decided in them (see ADR-013). Nothing under the lock waits, does I/O or runs code of
/// others; tasks that are to be cancelled are cancelled after it, because cancellation handlers are code of others.
package final class Dispatcher: Sendable {
    struct Attempt: Sendable {
        let flight: QueuedFlight
        let startedAt: Date
        let timeout: Duration
        let stream: AttemptStream
        let watch: AttemptWatch?
        var task: Task<Void, Never>?
        var stop: StopReason?
        /// Whether the attempt is on disk. Before that nothing was sent, and the store decides what becomes of it.
        var isJournalled = false
        /// Whether its provider came back. Then only the recording of what came of it is left, and nothing stops that.
        var isBack = false
    }

    /// An attempt that was given up and has not come back.
    struct GivenUp: Sendable, Hashable {
        let flight: FlightID
        let token: Int64
    }

    /// The end of an attempt that the store could not take.
    struct UnrecordedEnd: Sendable {
        let end: AttemptEnd
        /// How often it was tried to record it.
        let tries: Int
    }

    /// Something that has to do with the store, under way.
    struct Errand: Sendable {
        let task: Task<Void, Never>
        /// Whether it may hold or give back leases of a provider that needs the network, or begin what does.
        let needsNetwork: Bool
    }

    /// So often the recording of an answer is tried whose content cannot be stored although commits succeed. Nothing
    /// is sent meanwhile; then the request fails, so that one answer cannot hold up all work for ever.
    static let maximumRecordings = 60

    /// Somebody who waits until something is so.
    struct Waiter: Sendable {
        let isOver: @Sendable (State) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    struct State: Sendable {
        var core: DispatchCore
        var owner: OwnerID?
        var attempts: [FlightID: Attempt] = [:]
        var deadlines = DeadlineQueue()
        /// Why attempts were stopped that were given up and have not come back.
        var givenUp: [GivenUp: StopReason] = [:]
        var timer: (fires: Duration, task: Task<Void, Never>)?
        /// Wakes the core when something that waited for a date is due.
        var alarm: (fires: Date, task: Task<Void, Never>)?
        /// Claims, releases, reservations and late recordings under way.
        var errands: [Int: Errand] = [:]
        var lastErrand = 0
        /// Ends of attempts that the store could not take. Kept until it can, or until the process ends.
        var unrecorded: [UnrecordedEnd] = []
        /// Leases that could not be given back. Tried again when the store was written; they end with the registration.
        var unreturned: [QueuedFlight] = []
        /// For which reasons the engine rests, and what it is to do.
        var suspensions = Suspensions()
        /// The number of the last decision whether to tell anybody anything.
        var lastDecision = 0
        /// Ends the grace of a reason to rest.
        var graceTimer: (fires: Duration, task: Task<Void, Never>)?
        var waiters: [Int: Waiter] = [:]
        var lastWaiter = 0
        /// Waits whose time ran out before they had begun.
        var endedWaits: Set<Int> = []
        /// Tasks to be cancelled as soon as the lock is given back.
        var cancelled: [Task<Void, Never>] = []
    }

    let runner: AttemptRunner
    let journal: Journal
    let hub: StatusHub
    let answers: AnswerCache
    let retention: Retention
    let spawner: TaskSpawner
    let clock: EngineClock
    let date: @Sendable () -> Date
    let scope: ClaimScope
    let cancellationGrace: Duration
    let logger: Logger
    /// Submissions that were placed and are being written, and attempts that came back and are being recorded. Until
    /// they are, the process's registration has to stay: they name it as the holder.
    let unfinished = Gauge()
    private let state: Guarded<State>

    init(
        runner: AttemptRunner, journal: Journal, hub: StatusHub, answers: AnswerCache, registry: ProviderRegistry,
        configuration: EngineConfiguration, seams: EngineSeams, logger: Logger
    ) {
        self.runner = runner
        self.journal = journal
        self.hub = hub
        self.answers = answers
        retention = configuration.retention
        self.spawner = TaskSpawner(executor: seams.taskExecutor)
        self.clock = seams.clock
        self.date = seams.date
        self.scope = configuration.scope
        self.cancellationGrace = configuration.cancellationGrace
        self.logger = logger
        let lanes = registry.registrations.map {
            LaneDescription(
                provider: $0.id, concurrency: $0.limits.concurrency, account: $0.account, rate: $0.limits.rate,
                breaker: $0.limits.breaker ?? configuration.breaker, needsNetwork: $0.needsNetwork)
        }
        state = Guarded(State(core: DispatchCore(lanes: lanes)))
    }

    /// Something happened: decides and sets in motion what follows from it, in one critical section.
    func happened<R: Sendable>(_ event: (inout State) -> R) -> R {
        let (result, cancelled) = state.withLock { state -> (R, [Task<Void, Never>]) in
            let result = event(&state)
            guard !state.cancelled.isEmpty else { return (result, []) }
            defer { state.cancelled = [] }
            return (result, state.cancelled)
        }
        for task in cancelled { task.cancel() }
        runner.observer.lanes?.changed { state.withLock { $0.core.loads } }
        return result
    }

    // MARK: Opening, closing

    func open(as owner: OwnerID) {
        happened { state in
            state.owner = owner
            apply(state.core.opened(now: date()), &state)
        }
    }

    /// Starts nothing more, gives back what was not sent, lets attempts run for `grace`, then stops them.
    ///
    /// Cancelling the task ends the grace at once (a second Ctrl-C), not the recording of what came of the attempts.
    func drain(grace: Duration) async {
        happened { state in apply(state.core.closed(), &state) }
        await idle(within: grace, orUntilCancelled: true)
        happened { state in
            for id in state.attempts.keys.sorted() { stop(id, because: .interrupted, &state) }
        }
        await idle(within: min(cancellationGrace, .farthest) + .seconds(1))
        happened { state in
            state.cancelled += [state.timer?.task, state.alarm?.task].compactMap(\.self)
            state.timer = nil
            state.alarm = nil
        }
        await unfinished.empty()
        // Once more, before the registration goes and these count as lost: the disk may have room again.
        for kept in happened({ Self.takeUnrecorded(&$0) }) { await record(kept.end, tries: kept.tries) }
        while let errand = happened({ $0.errands.min { $0.key < $1.key } }) {
            await errand.value.task.value
            happened { $0.errands[errand.key] = nil }
        }
        happened { state in
            state.owner = nil
            state.unreturned = []
        }
    }

    // MARK: Submissions

    /// Places submissions: says where each goes, and under whose lease. To be followed by one
    /// ``written(_:receipts:)``.
    func place(_ drafts: consuming [Draft]) -> [Draft] {
        let now = date()
        // Entered before the lock is given back, so that a drain that follows waits for it. What is left to the store
        // names no holder and is not waited for: others may go on submitting while this process shuts down.
        return happened { [drafts] state in
            var placed = drafts
            var isAwaited = false
            for index in placed.indices {
                place(&placed[index], now: now, &state)
                if placed[index].placement != .leave { isAwaited = true }
            }
            if isAwaited { unfinished.enter(needsNetwork: needsNetwork(placed)) }
            return placed
        }
    }

    /// Places a submission of its own. To be followed by one ``written(_:receipt:)``.
    func place(_ draft: Draft) -> Draft {
        let now = date()
        return happened { state in
            var placed = draft
            place(&placed, now: now, &state)
            if placed.placement != .leave {
                unfinished.enter(needsNetwork: runner.needsNetwork(placed.submission.provider))
            }
            return placed
        }
    }

    private func place(_ draft: inout Draft, now: Date, _ state: inout State) {
        let provider = draft.submission.provider
        draft.placement = state.core.submitting(to: provider, cost: draft.cost, now: now)
        guard draft.placement != .leave else { return }
        // Whatever counts against a budget starts with its reservation, in a commit of its own.
        let isBudgeted = runner.spending.mayCount(draft.submission.request, for: provider)
        draft.submission.flight = FlightLifecycle(
            placed: draft.placement, by: state.owner, isStarted: !isBudgeted)
    }

    /// The submissions that were placed are on disk, or were dropped: not written, there before, or aboard another flight.
    func written(_ drafts: [Draft], receipts: [WriteReceipt]) {
        let now = date()
        var isAwaited = false
        happened { state in
            for (index, draft) in drafts.enumerated() {
                if draft.placement != .leave { isAwaited = true }
                written(draft, index < receipts.count ? receipts[index] : nil, now: now, &state)
            }
        }
        if isAwaited { unfinished.leave(needsNetwork: needsNetwork(drafts)) }
    }

    /// The submission of its own that was placed is on disk, or was dropped.
    func written(_ draft: Draft, receipt: WriteReceipt?) {
        let now = date()
        happened { state in written(draft, receipt, now: now, &state) }
        if draft.placement != .leave {
            unfinished.leave(needsNetwork: runner.needsNetwork(draft.submission.provider))
        }
    }

    private func written(_ draft: Draft, _ receipt: WriteReceipt?, now: Date, _ state: inout State) {
        guard case .submitted(let stored) = receipt else { return drop(draft, now: now, &state) }
        if stored.hasJoined {
            drop(draft, now: now, &state)
            let request = draft.submission.request
            let chain = [draft.submission.provider] + request.fallback.map(\.provider)
            apply(state.core.joined(stored.flight, of: chain, priority: request.priority, now: now), &state)
        } else if stored.wasPresent, let job = draft.submission.job?.key, scope == .job(job) {
            // It may be part of this process's job only now, and have been submitted to another provider of the same kind.
            drop(draft, now: now, &state)
            apply(state.core.backlogMayExist(now: now), &state)
        } else if stored.wasPresent || stored.isAnswered {
            drop(draft, now: now, &state)
        } else {
            apply(state.core.submitted(draft.queued(as: stored.flight), as: draft.placement, now: now), &state)
        }
    }

    /// The drafts of one call are for one provider.
    private func needsNetwork(_ drafts: [Draft]) -> Bool {
        drafts.first.map { runner.needsNetwork($0.submission.provider) } ?? false
    }

    private func drop(_ draft: Draft, now: Date, _ state: inout State) {
        let provider = draft.submission.provider
        apply(
            state.core.submissionDropped(to: provider, placement: draft.placement, cost: draft.cost, now: now), &state)
    }

    // MARK: What others did

    func backlogMayExist() {
        happened { state in apply(state.core.backlogMayExist(now: date()), &state) }
    }

    /// A flight's last member left, or ran out of time, while the flight's token was the given one.
    func cancelled(_ flight: FlightID, token: Int64, because reason: StopReason = .cancelled) {
        happened { state in
            apply(state.core.cancelled(flight, token: token, now: date()), &state, stoppingBecause: reason)
        }
    }

    /// Whatever waits for a date is looked at: the clock may have been set, or the machine may have slept.
    func timePassed() {
        happened { state in
            if let alarm = state.alarm { state.cancelled.append(alarm.task) }
            state.alarm = nil
            apply(state.core.timePassed(now: date()), &state)
        }
    }

    /// A flight under way.
    struct UnderWay: Sendable {
        let flight: FlightID
        let token: Int64
        let request: UUID
        /// Which attempt is on disk; `nil` while it is being journalled.
        let attempt: Int?
    }

    /// The flights under way, in order, for looking whether another process ended them.
    var underWay: [UnderWay] {
        happened { state in
            state.attempts.values.map { attempt in
                let lifecycle = attempt.flight.lifecycle
                return UnderWay(
                    flight: attempt.flight.id, token: lifecycle.token, request: attempt.flight.request.id,
                    attempt: attempt.isJournalled ? lifecycle.attempt + (lifecycle.isExecuting ? 0 : 1) : nil)
            }
        }.sorted { $0.flight < $1.flight }
    }

    func storeFailed() {
        happened { $0.core.storeFailed() }
    }

    /// The store was written: whatever could not be recorded is tried again. Work goes on once all of it is recorded:
    /// before that, more would be paid for that cannot be kept.
    func storeRecovered() {
        happened { state in
            if !state.unreturned.isEmpty {
                let unreturned = state.unreturned
                state.unreturned = []
                errand(&state, needsNetwork: needsNetwork(unreturned)) { [weak self] in
                    await self?.giveBack(unreturned)
                }
            }
            guard !state.unrecorded.isEmpty else { return apply(state.core.storeRecovered(now: date()), &state) }
            let unrecorded = Self.takeUnrecorded(&state)
            let needsNetwork = unrecorded.contains { runner.needsNetwork($0.end.provider) }
            errand(&state, needsNetwork: needsNetwork) { [weak self] in
                for kept in unrecorded { await self?.record(kept.end, tries: kept.tries) }
                self?.happened { state in
                    guard let self, state.unrecorded.isEmpty else { return }
                    self.apply(state.core.storeRecovered(now: self.date()), &state)
                }
            }
        }
    }

    private static func takeUnrecorded(_ state: inout State) -> [UnrecordedEnd] {
        defer { state.unrecorded = [] }
        return state.unrecorded
    }
}
