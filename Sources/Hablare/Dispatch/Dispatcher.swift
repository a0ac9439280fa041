import Foundation
import Logging

/// The shell around ``DispatchCore``: feeds it what happened, does what it says, owns every attempt's task.
package actor Dispatcher {
    private struct Attempt {
        let flight: QueuedFlight
        let startedAt: Date
        let timeout: Duration
        var task: Task<Void, Never>?
        var stop: StopReason?
        /// Whether the attempt is on disk. Before that nothing was sent, and the store decides what becomes of it.
        var isJournalled = false
    }

    private struct GivenUp: Hashable {
        let flight: FlightID
        let token: Int64
    }

    private let runner: AttemptRunner
    private let journal: Journal
    private let hub: StatusHub
    private let spawner: TaskSpawner
    private let clock: EngineClock
    private let scope: ClaimScope
    private let cancellationGrace: Duration
    private let logger: Logger

    private var core: DispatchCore
    private var owner: OwnerID?
    private var attempts: [FlightID: Attempt] = [:]
    private var deadlines = DeadlineQueue()
    /// Attempts that were given up and have not come back, and why they were stopped.
    private var givenUp: [GivenUp: StopReason] = [:]
    private var timer: (fires: Duration, task: Task<Void, Never>)?
    /// Claims, releases and late recordings under way.
    private var errands: [Int: Task<Void, Never>] = [:]
    private var lastErrand = 0
    /// Ends of attempts that the store could not take. Kept until it can, or until the process ends.
    private var unrecorded: [AttemptEnd] = []
    /// Submissions that were placed and are being written, and attempts that came back and are being recorded. Until
    /// they are, the process's registration has to stay: they name it as the holder.
    private let unfinished = Gauge()
    private var idleWaiters: [Int: CheckedContinuation<Void, Never>] = [:]
    private var lastIdleWaiter = 0

    init(
        runner: AttemptRunner, journal: Journal, hub: StatusHub, registry: ProviderRegistry,
        configuration: EngineConfiguration, seams: EngineSeams, logger: Logger
    ) {
        self.runner = runner
        self.journal = journal
        self.hub = hub
        self.spawner = TaskSpawner(executor: seams.taskExecutor)
        self.clock = seams.clock
        self.scope = configuration.scope
        self.cancellationGrace = configuration.cancellationGrace
        self.logger = logger
        self.core = DispatchCore(lanes: registry.providers.map { ($0.id, $0.limits.concurrency) })
    }

    // MARK: Opening, closing

    func open(as owner: OwnerID) {
        self.owner = owner
        apply(core.opened())
    }

    /// Starts nothing more, gives back what was not sent, lets attempts run for `grace`, then stops them.
    ///
    /// Cancelling the task ends the grace at once (a second Ctrl-C), not the recording of what came of the attempts.
    func drain(grace: Duration) async {
        apply(core.closed())
        await idle(within: grace, orUntilCancelled: true)
        for id in attempts.keys.sorted() { stop(id, because: .interrupted) }
        await idle(within: cancellationGrace + .seconds(1))
        timer?.task.cancel()
        timer = nil
        await unfinished.empty()
        // Once more, before the registration goes and these count as lost: the disk may have room again.
        for end in takeUnrecorded() { await record(end) }
        for number in errands.keys.sorted() { await errands[number]?.value }
        owner = nil
    }

    // MARK: Submissions

    /// Where submissions to a provider go, and under whose lease. To be followed by one ``written(_:dropped:to:)``.
    func place(_ count: Int, to provider: ProviderID, inScope: Bool) -> (
        owner: OwnerID?, places: [DispatchCore.Placement]
    ) {
        unfinished.enter()
        guard inScope else { return (owner, Array(repeating: .leave, count: count)) }
        return (owner, (0..<count).map { _ in core.submitting(to: provider) })
    }

    /// The submissions that were placed are on disk, or were dropped: not written, or there before.
    func written(
        _ flights: [(flight: QueuedFlight, placement: DispatchCore.Placement)], dropped: [DispatchCore.Placement],
        to provider: ProviderID
    ) {
        for (flight, placement) in flights { apply(core.submitted(flight, as: placement)) }
        for placement in dropped { apply(core.submissionDropped(to: provider, placement: placement)) }
        unfinished.leave()
    }

    // MARK: What others did

    func backlogMayExist() {
        apply(core.backlogMayExist())
    }

    /// A flight's last member left while the flight's token was the given one.
    func cancelled(_ flight: FlightID, token: Int64) {
        apply(core.cancelled(flight, token: token))
    }

    /// The flights under way and their requests, in order, for looking whether another process ended them.
    var underWay: [(flight: FlightID, token: Int64, request: UUID)] {
        attempts.values.map { ($0.flight.id, $0.flight.lifecycle.token, $0.flight.request.id) }.sorted { $0.0 < $1.0 }
    }

    func storeFailed() {
        core.storeFailed()
    }

    /// The store was written: whatever could not be recorded is tried again, then work goes on.
    func storeRecovered() {
        for end in takeUnrecorded() { errand { [weak self] in await self?.record(end) } }
        apply(core.storeRecovered())
    }

    private func takeUnrecorded() -> [AttemptEnd] {
        defer { unrecorded = [] }
        return unrecorded
    }

    // MARK: Effects

    private func apply(_ effects: [DispatchCore.Effect]) {
        for effect in effects {
            switch effect {
            case .start(let flight): begin(flight, isJournalled: false)
            case .run(let flight): begin(flight, isJournalled: true)
            case .claim(let provider, let limit): errand { [weak self] in await self?.claim(provider, limit: limit) }
            case .stop(let flight): stop(flight, because: .cancelled)
            case .release(let flights): errand { [weak self] in await self?.release(flights) }
            }
        }
    }

    private func errand(_ operation: @escaping @Sendable () async -> Void) {
        lastErrand += 1
        let number = lastErrand
        errands[number] = spawner.start { [weak self] in
            await operation()
            await self?.errandEnded(number)
        }
    }

    private func errandEnded(_ number: Int) {
        errands[number] = nil
    }

    private func claim(_ provider: ProviderID, limit: Int) async {
        guard let owner else { return apply(core.claimed([], by: provider, asked: limit)) }
        do {
            let query = ClaimQuery(owner: owner, provider: provider, scope: scope, limit: limit)
            let flights = try await journal.claim(query).map {
                QueuedFlight(
                    id: $0.id, lifecycle: $0.lifecycle, request: $0.request, provider: provider, failure: $0.failure)
            }
            apply(core.claimed(flights, by: provider, asked: limit))
        } catch {
            logger.error("The store did not answer a claim", metadata: ["error": "\(error)"])
            core.claimFailed(by: provider)
        }
    }

    private func release(_ flights: [QueuedFlight]) async {
        let date = runner.date()
        var writes: [StoreWrite] = []
        for flight in flights {
            do throws(FlightLifecycle.Refusal) {
                let transition = try FlightTransition(of: flight.lifecycle) {
                    lifecycle throws(FlightLifecycle.Refusal) in
                    try lifecycle.released(token: lifecycle.token)
                }
                writes.append(.advance(flight.id, transition, at: date))
            } catch {
                continue  // not held any more: nothing to give back
            }
        }
        do {
            _ = try await journal.commit(writes)
        } catch {
            // The leases end with this process's registration, or are broken when it is found dead.
            logger.error("Leases could not be given back", metadata: ["error": "\(error)"])
        }
    }

    // MARK: Attempts

    private func begin(_ flight: QueuedFlight, isJournalled: Bool) {
        let timeout = runner.timeout(of: flight)
        attempts[flight.id] = Attempt(flight: flight, startedAt: runner.date(), timeout: timeout)
        if isJournalled { armDeadline(of: flight.id) }
        attempts[flight.id]?.task = spawner.start { [weak self, runner] in
            await Self.run(flight, isJournalled: isJournalled, with: runner, for: self)
        }
    }

    /// One attempt from its journalling to its end. Nonisolated: nothing of it needs the actor but the two reports.
    private static func run(
        _ queued: QueuedFlight, isJournalled: Bool, with runner: AttemptRunner, for dispatcher: Dispatcher?
    ) async {
        var flight = queued
        if !isJournalled {
            do {
                guard let started = try await runner.journalStart(of: queued) else {
                    await dispatcher?.startRefused(queued)
                    return
                }
                flight = started
                await dispatcher?.journalled(started)
            } catch {
                await dispatcher?.startFailed(queued, with: error)
                return
            }
        }
        let startedAt = runner.date()
        let result = await runner.send(flight)
        guard let dispatcher else { return }
        let stopped = await dispatcher.returned(flight)
        await dispatcher.recordEnd(
            runner.end(
                of: flight, startedAt: startedAt, result: result ?? .failure(.attemptCancelled), stopped: stopped,
                wasSent: result != nil))
    }

    /// The attempt is on disk and is about to be sent: from now on its time counts.
    private func journalled(_ flight: QueuedFlight) {
        armDeadline(of: flight.id)
    }

    private func armDeadline(of id: FlightID) {
        guard let attempt = attempts[id] else { return }
        attempts[id]?.isJournalled = true
        // One that was told to stop meanwhile has a deadline already, the earlier one.
        if attempt.stop == nil { setDeadline(of: id, in: attempt.timeout) }
    }

    private func startRefused(_ flight: QueuedFlight) {
        forget(flight.id)
        apply(core.ended(flight.id))
    }

    private func startFailed(_ flight: QueuedFlight, with error: any Error) {
        logger.error("An attempt could not be journalled, so it was not sent", metadata: ["error": "\(error)"])
        forget(flight.id)
        apply(core.startFailed(flight))
        hub.fail(flight.request.id, with: error)
    }

    /// The provider came back: its place is free. Answers why it was told to stop, if it was.
    private func returned(_ flight: QueuedFlight) -> StopReason? {
        // An attempt that was given up came back after all; the flight may be under way again under a newer token.
        guard let attempt = attempts[flight.id], attempt.flight.request.id == flight.request.id,
            attempt.flight.lifecycle.token == flight.lifecycle.token
        else {
            unfinished.enter()
            return givenUp.removeValue(forKey: GivenUp(flight: flight.id, token: flight.lifecycle.token))
                ?? .timedOut(after: runner.timeout(of: flight))
        }
        unfinished.enter()
        forget(flight.id)
        apply(core.ended(flight.id))
        return attempt.stop
    }

    nonisolated private func recordEnd(_ end: AttemptEnd) async {
        defer { unfinished.leave() }
        do {
            try await runner.settle(end)
        } catch {
            await notRecorded(end, because: error)
        }
    }

    private func record(_ end: AttemptEnd) async {
        unfinished.enter()
        await recordEnd(end)
    }

    private func notRecorded(_ end: AttemptEnd, because error: any Error) {
        logger.error("An attempt's end could not be recorded; it is kept", metadata: ["error": "\(error)"])
        unrecorded.append(end)
        core.storeFailed()
        hub.fail(end.request, with: error)
    }

    private func stop(_ id: FlightID, because reason: StopReason) {
        guard attempts[id] != nil else { return }
        if attempts[id]?.stop == nil { attempts[id]?.stop = reason }
        attempts[id]?.task?.cancel()
        setDeadline(of: id, in: cancellationGrace)
    }

    private func forget(_ id: FlightID) {
        attempts[id] = nil
        deadlines.remove(id)
        if attempts.isEmpty { wakeIdleWaiters() }
    }

    // MARK: Deadlines

    private func setDeadline(of id: FlightID, in duration: Duration) {
        deadlines.set(id, to: clock.now + duration)
        armTimer()
    }

    private func armTimer() {
        guard let next = deadlines.earliest() else { return }
        if let timer, timer.fires <= next { return }
        timer?.task.cancel()
        timer = (
            next,
            spawner.start { [weak self, clock] in
                do {
                    try await clock.sleep(until: next)
                } catch {
                    return  // replaced by an earlier timer, or shut down
                }
                await self?.deadlinesReached()
            }
        )
    }

    private func deadlinesReached() {
        timer = nil
        for id in deadlines.popReached(clock.now) {
            guard let attempt = attempts[id] else { continue }
            if attempt.stop == nil {
                stop(id, because: .timedOut(after: attempt.timeout))
            } else if attempt.isJournalled {
                giveUp(attempt)
            } else {
                setDeadline(of: id, in: cancellationGrace)  // the journal will answer; nothing was sent
            }
        }
        armTimer()
    }

    /// The provider was told to stop and did not come back in time: its place goes to the next one.
    private func giveUp(_ attempt: Attempt) {
        let flight = attempt.flight
        logger.warning("A provider does not react to cancellation", metadata: ["provider": "\(flight.provider)"])
        forget(flight.id)
        givenUp[GivenUp(flight: flight.id, token: flight.lifecycle.token)] = attempt.stop
        apply(core.ended(flight.id))
        guard case .timedOut(let limit) = attempt.stop else { return }
        var started = flight
        if !started.lifecycle.isExecuting {
            do throws(FlightLifecycle.Refusal) {
                try started.lifecycle.attemptStarted(token: started.lifecycle.token)
            } catch {
                return
            }
        }
        let end = runner.end(
            of: started, startedAt: attempt.startedAt, result: .failure(.timedOut(after: limit)), stopped: attempt.stop)
        errand { [weak self] in await self?.record(end) }
    }

    // MARK: Idleness

    private func idle(within limit: Duration, orUntilCancelled: Bool = false) async {
        guard !attempts.isEmpty, limit > .zero else { return }
        lastIdleWaiter += 1
        let number = lastIdleWaiter
        let alarm = spawner.start { [weak self, clock] in
            do {
                try await clock.sleep(for: limit)
            } catch {
                // Everything ended in time, and nobody waits any more; or the wait was cancelled, and is over now.
            }
            await self?.wakeIdleWaiter(number)
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { idleWaiters[number] = $0 }
        } onCancel: {
            if orUntilCancelled { alarm.cancel() }
        }
        alarm.cancel()
    }

    private func wakeIdleWaiter(_ number: Int) {
        idleWaiters.removeValue(forKey: number)?.resume()
    }

    private func wakeIdleWaiters() {
        for number in idleWaiters.keys.sorted() { wakeIdleWaiter(number) }
    }
}
