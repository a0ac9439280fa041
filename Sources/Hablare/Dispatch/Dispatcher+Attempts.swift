import Foundation
import Logging

extension Dispatcher {
    func begin(_ flight: QueuedFlight, isJournalled: Bool, _ state: inout State) {
        let timeout = runner.timeout(of: flight)
        let stream = runner.stream(of: flight)
        let watch = runner.observer.watch(flight)
        state.attempts[flight.id] = Attempt(
            flight: flight, startedAt: date(), timeout: timeout, stream: stream, watch: watch)
        if isJournalled { armDeadline(of: flight.id, &state) }
        state.attempts[flight.id]?.task = spawner.start { [weak self, runner] in
            await Self.run(flight, stream, watch, isJournalled: isJournalled, with: runner, for: self)
        }
    }

    /// One attempt from its journalling to its end.
    private static func run(
        _ queued: QueuedFlight, _ stream: AttemptStream, _ watch: AttemptWatch?, isJournalled: Bool,
        with runner: AttemptRunner, for dispatcher: Dispatcher?
    ) async {
        var flight = queued
        if !isJournalled {
            guard let started = await journalled(queued, with: runner, for: dispatcher) else { return }
            flight = started
        }
        let startedAt = runner.date()
        let cameBack = { @Sendable [flight] reply in dispatcher?.cameBack(flight, with: reply) ?? () }
        let reply =
            if let watch {
                await runner.send(flight, stream, watchedBy: watch, cameBack: cameBack)
            } else {
                await runner.send(flight, stream, cameBack: cameBack)
            }
        guard let dispatcher else {
            watch?.ended(with: nil, wasSent: reply.value.wasSent)
            return
        }
        await dispatcher.recordEnd(dispatcher.ended(flight, with: reply.value, startedAt: startedAt, watch))
    }

    /// Journals an attempt. Answers with its flight where it is on disk and may be sent.
    @inline(never)
    private static func journalled(
        _ queued: QueuedFlight, with runner: AttemptRunner, for dispatcher: Dispatcher?
    ) async -> QueuedFlight? {
        do {
            switch try await runner.journalStart(of: queued) {
            case .started(let started):
                // The attempt is on disk and is about to be sent: from now on its time counts.
                dispatcher?.startJournalled(queued)
                return started
            case .refused:
                dispatcher?.startRefused(queued)
            case .outOfTime:
                // As far as was known here. Others may have joined it who have time left: whoever claims it next knows.
                dispatcher?.startRefused(queued)
                await dispatcher?.giveBack([queued])
            }
        } catch {
            dispatcher?.startFailed(queued, with: error)
        }
        return nil
    }

    /// The attempt is over. Answers with its end as it is to be recorded.
    @inline(never)
    private func ended(
        _ flight: QueuedFlight, with reply: AttemptRunner.Reply, startedAt: Date, _ watch: AttemptWatch?
    ) -> AttemptEnd {
        let stopped = returned(flight, with: reply)
        let end = runner.end(of: flight, startedAt: startedAt, reply: reply, stopped: stopped)
        watch?.ended(with: end, wasSent: reply.wasSent)
        return end
    }

    @inline(never)
    private func startJournalled(_ flight: QueuedFlight) {
        happened { armDeadline(of: flight.id, &$0) }
    }

    private func armDeadline(of id: FlightID, _ state: inout State) {
        guard let attempt = state.attempts[id] else { return }
        state.attempts[id]?.isJournalled = true
        // One that was told to stop meanwhile has a deadline already, the earlier one.
        if attempt.stop == nil { setDeadline(of: id, in: attempt.timeout, &state) }
    }

    @inline(never)
    private func startRefused(_ flight: QueuedFlight) {
        happened { state in
            forget(flight.id, &state)
            apply(state.core.ended(flight.id, now: date()), &state)
        }
    }

    @inline(never)
    private func startFailed(_ flight: QueuedFlight, with error: any Error) {
        logger.error("An attempt could not be journalled, so it was not sent", metadata: ["error": "\(error)"])
        happened { state in
            forget(flight.id, &state)
            apply(state.core.startFailed(flight, now: date()), &state)
        }
        hub.fail(flight.id, ledBy: flight.request.id, with: error)
    }

    /// The provider came back; its last chunks may still have to be journalled. Whatever would have stopped it from now
    /// on comes too late: its result is its own, and what that says of its health and its limits counts at once, so that
    /// the breaker hears of calls in the order in which they came back.
    private func cameBack(_ flight: QueuedFlight, with reply: AttemptRunner.Reply) {
        happened { state in
            guard let attempt = state.attempts[flight.id], attempt.flight.lifecycle.token == flight.lifecycle.token,
                attempt.stop == nil
            else { return }
            state.attempts[flight.id]?.isBack = true
            state.deadlines.remove(flight.id)
            let now = date()
            let stopped = stoppedItself(flight, reply, state)
            state.attempts[flight.id]?.stop = stopped
            let end = DispatchCore.CallEnd(reply, stopped: stopped, now: now)
            apply(state.core.cameBack(flight.id, end, now: now), &state)
        }
    }

    /// Why an attempt failed that nobody told to stop, where it is none of the provider's doing: the store told it, or
    /// there is no network.
    private func stoppedItself(_ flight: QueuedFlight, _ reply: AttemptRunner.Reply, _ state: State) -> StopReason? {
        if reply.wasDeposed { return .interrupted }
        return reply.error?.category == .network && state.core.isOffline(flight.provider) ? .offline : nil
    }

    /// What the provider gave is journalled: its place is free. Answers why it was told to stop, if it was.
    private func returned(_ flight: QueuedFlight, with reply: AttemptRunner.Reply) -> StopReason? {
        unfinished.enter(needsNetwork: runner.needsNetwork(flight.provider))
        return happened { state in
            // An attempt that was given up came back after all; the flight may be under way again under a newer token.
            guard let attempt = state.attempts[flight.id], attempt.flight.request.id == flight.request.id,
                attempt.flight.lifecycle.token == flight.lifecycle.token
            else {
                let attempt = GivenUp(flight: flight.id, token: flight.lifecycle.token)
                return state.givenUp.removeValue(forKey: attempt) ?? .timedOut(after: runner.timeout(of: flight))
            }
            forget(flight.id, &state)
            let now = date()
            let stopped = attempt.stop ?? (attempt.isBack ? nil : stoppedItself(flight, reply, state))
            let end = attempt.isBack ? .known : DispatchCore.CallEnd(reply, stopped: stopped, now: now)
            apply(state.core.ended(flight.id, end, now: now), &state)
            return stopped
        }
    }

    private func recordEnd(_ end: AttemptEnd, tries: Int = 0) async {
        defer { unfinished.leave(needsNetwork: runner.needsNetwork(end.provider)) }
        do {
            let recorded = try await runner.settle(end, isLastTry: tries + 1 >= Self.maximumRecordings)
            runner.observer.recorded(recorded, at: end.provider)
            switch recorded {
            case .postponed(_, let until, _):
                happened { apply($0.core.postponed(end.provider, until: until, now: date()), &$0) }
            case .diverted: backlogMayExist()  // it waits in another lane now
            // Others of its members have time left; or it was stopped for a rest that may be over by now.
            case .interrupted: backlogMayExist()
            case .completed: answerRecorded(by: end)
            case .failed, .expired, .held, nil: break
            }
        } catch {
            logger.error("An attempt's end could not be recorded; it is kept", metadata: ["error": "\(error)"])
            happened { state in
                state.unrecorded.append(UnrecordedEnd(end: end, tries: tries + 1))
                state.core.storeFailed()
            }
            hub.fail(end.flight, ledBy: end.request, with: error)
        }
    }

    /// An answer is on disk. Now and then the cache, which it may have entered, is looked at.
    private func answerRecorded(by end: AttemptEnd) {
        guard end.entersCache, answers.answerEntered() else { return }
        happened { state in
            errand(&state, needsNetwork: false) { [answers, journal, date, logger, retention] in
                do {
                    try await answers.trim(journal, at: date(), retention)
                } catch {
                    logger.error("The cache could not be trimmed", metadata: ["error": "\(error)"])
                }
            }
        }
    }

    func record(_ end: AttemptEnd, tries: Int = 0) async {
        unfinished.enter(needsNetwork: runner.needsNetwork(end.provider))
        await recordEnd(end, tries: tries)
    }

    func stop(_ id: FlightID, because reason: StopReason, _ state: inout State) {
        // Told once: its time runs from then, however often the same is found out.
        guard let attempt = state.attempts[id], attempt.stop == nil, !attempt.isBack else { return }
        state.attempts[id]?.stop = reason
        if let task = attempt.task { state.cancelled.append(task) }
        setDeadline(of: id, in: cancellationGrace, &state)
    }

    private func forget(_ id: FlightID, _ state: inout State) {
        state.attempts[id] = nil
        state.deadlines.remove(id)
        if !state.suspensions.reasons.isEmpty { setGraceTimer(&state) }
        if state.attempts.isEmpty || !state.suspensions.reasons.isEmpty { wakeWaiters(&state) }
    }

    /// The provider was told to stop and did not come back in time: its place goes to the next one.
    func giveUp(_ attempt: Attempt, _ state: inout State) {
        let flight = attempt.flight
        forget(flight.id, &state)
        state.givenUp[GivenUp(flight: flight.id, token: flight.lifecycle.token)] = attempt.stop
        let error: AIServiceError
        switch attempt.stop {
        case .timedOut(let limit):
            error = .timedOut(after: limit)
            apply(state.core.ended(flight.id, DispatchCore.CallEnd(health: .failing), now: date()), &state)
        case .interrupted:
            // Its request is to go on elsewhere, or later here, whenever this one comes back.
            error = .interrupted
            apply(state.core.ended(flight.id, now: date()), &state)
        case .cancelled, .expired, .offline, nil:
            return apply(state.core.ended(flight.id, now: date()), &state)
        }
        var started = flight
        if !started.lifecycle.isExecuting {
            do throws(FlightLifecycle.Refusal) {
                var lifecycle = started.lifecycle
                try lifecycle.attemptStarted(token: lifecycle.token)
                started = started.started(as: lifecycle, at: attempt.startedAt)
            } catch {
                return
            }
        }
        let end = runner.end(
            of: started, startedAt: attempt.startedAt,
            reply: AttemptRunner.Reply(
                result: .failure(error), hasBegun: attempt.stream.stop(), memory: attempt.stream.memory),
            stopped: attempt.stop)
        errand(&state, needsNetwork: runner.needsNetwork(flight.provider)) { [weak self] in
            attempt.watch?.ended(with: end, wasSent: true)
            await self?.record(end)
        }
    }
}
