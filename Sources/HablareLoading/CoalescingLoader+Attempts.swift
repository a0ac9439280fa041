import Hablare
import Logging

extension CoalescingLoader {
    // MARK: Effects

    /// Performs the effects that the core returned. Tasks are created while the lock is held, so that a task cannot be
    /// cancelled before it is created. Tasks are cancelled, and their priority is raised, after the lock is released,
    /// because their handlers run code of other modules.
    func carryOut(_ effects: [LoadCore<Key>.Effect], _ state: inout State, with result: Result<Value, any Error>? = nil)
    {
        for effect in effects {
            switch effect {
            case .start(let attempt, let key):
                start(attempt, of: key, &state)
                // The task inherits the priority of the code that freed the slot, which has nothing to do with this
                // load.
                if state.core.isVisible(attempt) { lift(attempt, &state) }
            case .wait(let attempt, let duration): wait(duration, after: attempt, &state)
            case .lift(let attempt): lift(attempt, &state)
            case .cancel(let attempt):
                // The task stays registered until it ends, because ``shutdown()`` may have to wait for it.
                if let task = state.tasks[attempt] { state.aftermath.cancelled.append(task) }
            case .deliver(let ending, let callers):
                let answer = ending == .closed ? .failure(Self.closed) : result ?? .failure(CancellationError())
                for caller in callers { state.answer(caller, with: answer) }
            }
        }
    }

    private static var closed: AIServiceError {
        AIServiceError(
            .invalidState,
            "The loader was shut down and no longer loads values. Create another loader, or shut this loader down later."
        )
    }

    private func start(_ attempt: LoadAttempt, of key: Key, _ state: inout State) {
        // Only the first attempt of a load looks into the blob cache.
        let looksFirst = attempt.number == 1 && state.traffic.isReadable(key)
        let place = source.cost?.budget.begin(state.core.isVisible(attempt) ? .visible : .preload)
        state.places[attempt] = place
        state.tasks[attempt] = spawner.start { [weak self, source] in
            let outcome = await source.outcome(for: key, looksFirst: looksFirst, in: place)
            self?.came(outcome, of: attempt, for: key)
        }
    }

    private func lift(_ attempt: LoadAttempt, _ state: inout State) {
        if let task = state.tasks[attempt] { state.aftermath.lifted.append((task, state.places[attempt])) }
    }

    private func wait(_ duration: Duration, after attempt: LoadAttempt, _ state: inout State) {
        // The wait counts from now, not from when the task gets to run.
        let end = clock.now + min(duration, .farthest)
        state.tasks[attempt] = spawner.start { [weak self, clock] in
            do {
                try await clock.sleep(until: end)
            } catch {
                // Cancelled because no caller wants the value any more. The core knows.
            }
            self?.apply { state in
                state.tasks[attempt] = nil
                self?.carryOut(state.core.waited(attempt), &state)
            }
        }
    }

    // MARK: What comes of an attempt

    private func came(_ outcome: LoadSource<Key, Value>.Outcome, of attempt: LoadAttempt, for key: Key) {
        note(outcome, of: attempt)
        switch outcome.result {
        case .success(let value): succeeded(with: value, attempt, for: key, isNew: outcome.wasAsked)
        case .failure(let error): failed(with: error, attempt)
        }
    }

    private func note(_ outcome: LoadSource<Key, Value>.Outcome, of attempt: LoadAttempt) {
        if let failure = outcome.blobFailure { note(failure) }
        guard outcome.wasAsked else { return }
        apply { state in
            state.statistics.loads += 1
            if attempt.number > 1 { state.statistics.retries += 1 }
        }
    }

    private func succeeded(with value: Value, _ attempt: LoadAttempt, for key: Key, isNew: Bool) {
        let cost = max(0, policy.cost(value))
        // Delivers before storing, so that no caller waits for a disk.
        let write = apply { state -> BlobWrites<Key, Value>.Write? in
            let effects = state.core.succeeded(attempt)
            carryOut(effects, &state, with: .success(value))
            guard case .deliver(.succeeded(isPresent: true), _)? = effects.first else { return nil }
            state.hold(value, for: key, cost: cost)
            if !isNew { state.statistics.diskHits += 1 }
            return isNew && source.blobs != nil ? state.writeFollows(value, for: key) : nil
        }
        if let write { store(write, for: key) }
        apply { ended(attempt, &$0) }
    }

    private func failed(with error: any Error, _ attempt: LoadAttempt) {
        let wait = policy.retry.wait(after: attempt.number, failing: error)
        apply { state in
            let effects = state.core.failed(attempt, wait: wait)
            if case .deliver? = effects.first { state.statistics.failures += 1 }
            // Before the wait takes the attempt's entry among the tasks.
            ended(attempt, &state)
            carryOut(effects, &state, with: .failure(error))
        }
    }

    private func ended(_ attempt: LoadAttempt, _ state: inout State) {
        state.tasks[attempt] = nil
        state.places[attempt] = nil
        carryOut(state.core.ended(attempt), &state)
    }
}
