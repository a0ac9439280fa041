import Foundation
import Logging

extension Engine {
    /// The maximum number of requests that one sweep ends.
    static let sweepBatch = 256

    func perform(_ effect: EngineCore.Effect, _ state: inout State) {
        switch effect {
        case .start(let flight): begin(flight, isJournalled: false, &state)
        case .run(let flight): begin(flight, isJournalled: true, &state)
        case .stop(let key):
            guard let task = state.tasks[key] else { return }
            state.afterwards.append { task.cancel() }
        case .abandon(let key, let reason): abandon(key, because: reason, &state)
        case .resumeRecording(let keys):
            for key in keys {
                guard let waiting = state.recordings.removeValue(forKey: key) else { continue }
                let failures = state.core.recording(of: key)?.failures ?? 0
                state.afterwards.append { waiting.resume(returning: failures) }
            }
        case .claim(let provider, let limit): claim(provider, limit: limit, &state)
        case .release(let flights): release(flights, &state)
        case .reserve(let request): reserve(request, &state)
        case .report(let report): note(report, &state)
        case .sweep: sweep(&state)
        case .look(let look): self.look(look, &state)
        case .end(let watched, let result):
            state.afterwards.append { for each in watched { each.end(with: result) } }
        case .wakeReaders(let id): state.afterwards.append { [chunks] in chunks.statusChanged(of: id) }
        case .failReaders(let id, let error): state.afterwards.append { [chunks] in chunks.fail(id, with: error) }
        case .wakeReadersOfFlight(let flight): state.afterwards.append { [chunks] in chunks.changed(flight) }
        case .revive(let revival): state.afterwards.append { [revivals] in revivals.publish(revival) }
        case .silence(let isSilent): silence(isSilent, &state)
        case .event(let event):
            follower?(event)
            followers.publish(event)
        case .answers(let change): note(change, &state)
        case .listen(let isWanted): listen(isWanted, &state)
        }
    }

    /// Cancels a task after the lock is released, because the task's cancellation handlers may be code of other
    /// modules.
    private func cancel(_ task: Task<Void, Never>?, _ state: inout State) {
        if let task { state.afterwards.append { task.cancel() } }
    }

    // MARK: Attempts

    private func begin(_ flight: QueuedFlight, isJournalled: Bool, _ state: inout State) {
        let task = AttemptTask(flight, parts: parts, engine: self)
        state.tasks[flight.key] = task
        state.begun.append((task, isJournalled))
    }

    private func abandon(_ key: AttemptKey, because reason: StopReason, _ state: inout State) {
        guard let task = state.tasks[key] else { return }
        let provider = task.queued.provider
        state.afterwards.append { [logger] in
            logger.warning("A provider does not react to cancellation", metadata: ["provider": "\(provider)"])
        }
        task.abandoned(because: reason, with: spawner)
    }

    // MARK: The store

    /// Commits writes and counts them as a store operation until the store answers.
    ///
    /// - Parameter needsNetwork: Whether the writes may take or return leases of a provider that needs the network, or
    ///   start a call of such a provider. A suspension with the reason `offline` waits for these writes.
    private func commit(
        _ writes: [StoreWrite], needsNetwork: Bool, _ state: inout State,
        then answered: @escaping @Sendable (Engine, Result<[WriteReceipt], any Error>) -> Void
    ) {
        state.core.storeTasks.began(needsNetwork: needsNetwork)
        journal.commit(writes) { [weak self] result in
            guard let self else { return }
            answered(self, result)
            storeTaskEnded(needsNetwork: needsNetwork)
        }
    }

    private func storeTaskEnded(needsNetwork: Bool) {
        apply { $0.storeTasks.ended(needsNetwork: needsNetwork) }
    }

    private func start(
        needsNetwork: Bool, _ state: inout State, _ operation: @escaping @Sendable (Engine) async -> Void
    ) {
        state.core.storeTasks.began(needsNetwork: needsNetwork)
        state.lastStoreTask += 1
        let number = state.lastStoreTask
        state.storeTasks[number] = spawner.start { [weak self] in
            guard let self else { return }
            await operation(self)
            change { $0.storeTasks[number] = nil }
            storeTaskEnded(needsNetwork: needsNetwork)
        }
    }

    private func claim(_ provider: ProviderID, limit: Int, _ state: inout State) {
        guard let owner = state.core.owner else { return }
        let needsNetwork = state.core.needsNetwork(provider)
        let query = ClaimQuery(
            owner: owner, provider: provider, scope: scope, limit: limit, now: date(),
            roundOffset: state.core.roundOffset(of: provider))
        state.core.storeTasks.began(needsNetwork: needsNetwork)
        journal.claim(query) { [weak self] result in
            guard let self else { return }
            defer { storeTaskEnded(needsNetwork: needsNetwork) }
            switch result {
            case .success(let claim) where claim.needsReading:
                change { readPrompts(of: claim, query, needsNetwork: needsNetwork, &$0) }
            case .success(let claim): claimed(ReadClaim(flights: claim.flights, nextDue: claim.nextDue), query)
            case .failure(let error):
                logger.error("The store did not answer a claim", metadata: ["error": "\(error)"])
                apply { $0.claimFailed(by: provider, with: error) }
            }
        }
    }

    private func readPrompts(of claim: Claim, _ query: ClaimQuery, needsNetwork: Bool, _ state: inout State) {
        start(needsNetwork: needsNetwork, &state) { engine in
            let read = await engine.journal.reading(claim, date: engine.date) { [weak engine] in
                engine?.read { !$0.givesBack(query.provider) } ?? false
            }
            engine.claimed(read, query)
        }
    }

    private func claimed(_ claim: ReadClaim, _ query: ClaimQuery) {
        for flight in claim.putBack {
            logger.warning(
                "A prompt cannot be read; its request is retried later",
                metadata: [
                    "request": "\(flight.request.id)", "error": flight.failure.map { "\($0)" } ?? "",
                ])
        }
        if let error = claim.storeFailure {
            logger.error(
                "Requests whose prompts cannot be read could not be returned to the queue",
                metadata: ["error": "\(error)"])
        }
        let flights = claim.flights.map { queued($0, by: query.provider) }
        let unneeded = claim.unneeded.map { queued($0, by: query.provider) }
        apply { core in
            core.claimed(
                flights, putBack: claim.putBack.count, nextDue: claim.nextDue, by: query.provider, asked: query.limit)
            guard let error = claim.storeFailure, !unneeded.isEmpty else { return core.release(unneeded) }
            core.unreturned += unneeded
            core.storeFailed(with: error)
        }
    }

    private func queued(_ flight: ClaimedFlight, by provider: ProviderID) -> QueuedFlight {
        QueuedFlight(
            id: flight.id, lifecycle: flight.lifecycle, request: flight.request, provider: provider,
            origin: flight.origin, cost: parts.cost(of: flight.request, for: provider),
            triedSince: flight.triedSince, trace: flight.trace,
            waitsSince: flight.lifecycle.attempt == 0 ? flight.submittedAt : date(),
            resumePoint: flight.resumePoint, failure: flight.failure)
    }

    /// Returns leases to the store. If this process may execute the flights later, it claims them again when the store
    /// has answered.
    private func release(_ flights: [QueuedFlight], _ state: inout State) {
        let now = date()
        var writes: [StoreWrite] = []
        for flight in flights {
            do throws(FlightLifecycle.Refusal) {
                let transition = try FlightTransition(of: flight.lifecycle) {
                    lifecycle throws(FlightLifecycle.Refusal) in
                    try lifecycle.released(token: lifecycle.token)
                }
                writes.append(.advance(flight.id, transition, at: now))
            } catch {
                continue  // not held any more: there is nothing to give back
            }
        }
        guard !writes.isEmpty else { return }
        let needsNetwork = flights.contains { state.core.needsNetwork($0.provider) }
        commit(writes, needsNetwork: needsNetwork, &state) { engine, result in
            guard case .failure(let error) = result else {
                return engine.apply { $0.emit(.released(flights.map(\.id))) }
            }
            // The leases end with this process's registration, or are broken when the process is found dead. If it
            // continues, it tries again.
            engine.logger.error("Leases could not be released", metadata: ["error": "\(error)"])
            engine.apply { $0.unreturned += flights }
        }
    }

    private func reserve(_ request: PermitRequest, _ state: inout State) {
        commit([.reserve(request, at: date())], needsNetwork: false, &state) { engine, result in
            switch result {
            case .success(let receipts):
                guard case .permits(let grant)? = receipts.first else {
                    return engine.reserveFailed(
                        of: request.account,
                        with: AIServiceError(
                            .storageFailed,
                            "The store did not answer a reservation. This is a fault of the store: report it."))
                }
                engine.apply { $0.granted(grant, of: request.account) }
            case .failure(let error): engine.reserveFailed(of: request.account, with: error)
            }
        }
    }

    private func reserveFailed(of account: AccountID, with error: any Error) {
        logger.error("Permits could not be reserved, so nothing was sent", metadata: ["error": "\(error)"])
        apply { $0.reserveFailed(of: account, with: error) }
    }

    private func note(_ report: AccountReport, _ state: inout State) {
        if let meters = parts.observer.meters { state.afterwards.append { meters.learned(report) } }
        commit([.report(report, at: date())], needsNetwork: false, &state) { engine, result in
            guard case .failure(let error) = result else {
                return engine.apply { $0.reported(report, isWritten: true) }
            }
            engine.apply { $0.reported(report, isWritten: false) }
            // This process applies the report all the same. The others learn it from the provider.
            engine.logger.error("The state of an account could not be recorded", metadata: ["error": "\(error)"])
        }
    }

    private func sweep(_ state: inout State) {
        commit([.expire(at: date(), limit: Self.sweepBatch)], needsNetwork: false, &state) { engine, result in
            var isFailed = false
            if case .failure(let error) = result {
                // The next renewal tries again, in this process or another.
                engine.logger.error(
                    "Requests past their deadline could not be ended", metadata: ["error": "\(error)"])
                isFailed = true
            }
            engine.apply { [isFailed] in $0.swept(isFailed: isFailed) }
        }
    }

    // MARK: Answers

    private func note(_ change: EngineCore.AnswerChange, _ state: inout State) {
        switch change {
        case .dropped: answers.forgetAll()
        case .doubtful: answers.storeChanged()
        case .recorded(let work, let isCached):
            answers.answerRecorded(work)
            // The cache is trimmed after every so many answers that entered it.
            guard isCached, answers.answerEntered() else { return }
            start(needsNetwork: false, &state) { engine in
                do {
                    try await engine.answers.trim(engine.journal, at: engine.date(), engine.retention)
                } catch {
                    engine.logger.error("The cache could not be trimmed", metadata: ["error": "\(error)"])
                }
            }
        }
    }

    // MARK: Other processes

    private func silence(_ isSilent: Bool, _ state: inout State) {
        guard isSilent else { return chunks.open() }
        chunks.shutDown()
        for look in state.looks.sorted(by: { $0.key < $1.key }) { cancel(look.value, &state) }
        state.looks = [:]
    }

    /// Reads the outcome of a watched request. The read does not count as a store operation, because a shutdown need
    /// not wait for it. If the store cannot be read, the read is repeated later.
    private func look(_ look: WatchedRequests.Look, _ state: inout State) {
        state.lastStoreTask += 1
        let number = state.lastStoreTask
        state.looks[number] = spawner.start { [weak self] in
            await self?.look(look)
            self?.change { $0.looks[number] = nil }
        }
    }

    private func look(_ look: WatchedRequests.Look) async {
        let reader = StatusReader(journal: journal, retention: retention, date: date)
        while read({ $0.watched.watcherCount(of: look.id) > 0 }) {
            do {
                guard let status = try await reader.status(of: look.id) else {
                    let error = await journal.notFound(look.id)
                    return apply { $0.found(.failure(error), by: look) }
                }
                return apply { $0.found(.success(status), by: look) }
            } catch {
                logger.error("The store cannot be read", metadata: ["error": "\(error)"])
            }
            do {
                try await clock.sleep(for: renewalInterval)
            } catch {
                return
            }
        }
    }

    private func listen(_ isWanted: Bool, _ state: inout State) {
        cancel(state.listening, &state)
        state.listening = nil
        guard isWanted, let signal = store.signal else { return }
        state.listening = spawner.start { [weak self, clock, renewalInterval] in
            let changes = signal.changes()
            // Changes from before the subscription are read first.
            await self?.readForeignChanges()
            await withTaskGroup { group in
                group.addTask { for await _ in changes { await self?.readForeignChanges() } }
                // Also read without a signal: a process may have died between its commit and its signal.
                group.addTask {
                    do {
                        while true {
                            try await clock.sleep(for: renewalInterval)
                            await self?.readForeignChanges()
                        }
                    } catch {
                        return  // the engine listens no more
                    }
                }
            }
        }
    }

    func readForeignChanges() async {
        do {
            try await journal.readForeignChanges()
        } catch {
            logger.error("The store cannot be read", metadata: ["error": "\(error)"])
        }
    }

    // MARK: Time

    /// Sets the timer to the time at which the core must be called next. It is harmless if a timer fires early.
    func setTimer(_ state: inout State) {
        guard let next = state.core.wake() else {
            // The timer is kept while the engine works, which would soon need it again. A suspended engine has no
            // timer.
            guard state.core.isClosed else { return }
            cancel(state.timer?.task, &state)
            return state.timer = nil
        }
        if let timer = state.timer {
            if timer.fires <= next { return }
            cancel(timer.task, &state)
        }
        state.timer = (
            next,
            spawner.start { [weak self, clock] in
                do {
                    try await clock.sleep(until: next)
                } catch {
                    return  // replaced by an earlier timer, or the engine is gone
                }
                self?.timerFired(next)
            }
        )
    }

    private func timerFired(_ time: Duration) {
        change { state in
            // Another timer may have replaced it just now.
            if state.timer?.fires == time { state.timer = nil }
        }
        timePassed()
    }
}
