import Foundation
import GRDB
import Hablare
import Logging

extension DurableActionQueue {
    private struct Batch: Sendable {
        let core: ActionQueueCore<Action>
        var events: [ActionQueueEvent<Action>]

        /// Whether an event changes the app's own tables.
        var joinsTransaction: Bool { events.contains { $0.change != nil } }

        /// Applies the events to a copy of the core.
        ///
        /// - Parameter database: The database in the transaction that writes the journal. `nil` only if no event joins
        ///   the transaction.
        /// - Throws: ``RefusedEvent`` if the closure of an event throws an error.
        func decided(now: Duration, in database: Database? = nil) throws(RefusedEvent) -> Decision {
            var core = core
            var answers: [@Sendable () -> Void] = []
            for (index, event) in events.enumerated() {
                if let change = event.change, let database {
                    do {
                        answers.append(try change(&core, database))
                    } catch {
                        throw RefusedEvent(index: index, cause: error)
                    }
                } else {
                    answers.append(event.handle(&core))
                }
            }
            let handovers = core.decide(now: now)
            return Decision(writes: core.takeWrites(), core: core, handovers: handovers, answers: answers)
        }
    }

    /// The result of a batch of events. It takes effect when the writes are on disk.
    private struct Decision: Sendable {
        let writes: [ActionWrite]
        let core: ActionQueueCore<Action>
        let handovers: [ActionHandover<Action>]
        let answers: [@Sendable () -> Void]
    }

    /// The error of an event whose closure did not change the app's own tables.
    private struct RefusedEvent: Error {
        let index: Int
        let cause: any Error
    }

    /// Adds an event to the inbox. The event takes effect when it is on disk.
    func enter(_ event: ActionQueueEvent<Action>) {
        let end = quietly { state -> ActionQueueError? in
            guard state.end == nil else { return state.end }
            state.inbox.append(event)
            startWriter(&state)
            return nil
        }
        if let end { event.refuse?(end) }
    }

    private func startWriter(_ state: inout State) {
        guard state.writer == nil else { return }
        state.writer = spawner.start { await self.write() }
    }

    /// Writes the events, batch by batch. Events that arrive during a write form the next batch.
    ///
    /// The events of a batch are applied to a copy of the core. The copy replaces the core only after the journal has
    /// the changes. So the queue never acts on, shows or acknowledges a change that a restart would lose.
    private func write() async {
        while var batch = takeBatch() {
            while true {
                let now = clock.now
                do {
                    let decision = try await written(batch, now: now)
                    adopt(decision.core, decision.handovers, decidedAt: now)
                    for answer in decision.answers { answer() }
                } catch let refused as RefusedEvent {
                    // Nothing is written. The other events are applied again, without the refused one.
                    batch.events.remove(at: refused.index).refuse?(refused.cause)
                    continue
                } catch {
                    journalFailed(batch.events, error)
                }
                break
            }
        }
    }

    /// Decides about a batch, and writes the journal. If an event changes the app's own tables, the decision is made
    /// inside the transaction, which may run more than once.
    private func written(_ batch: Batch, now: Duration) async throws -> Decision {
        let owner = batch.core.owner
        guard batch.joinsTransaction else {
            let decision = try batch.decided(now: now)
            if !decision.writes.isEmpty {
                try await journal.write { try ActionTable.write(decision.writes, of: owner, in: $0) }
            }
            return decision
        }
        return try await journal.write { database in
            let decision = try batch.decided(now: now, in: database)
            // Even without writes this checks that the queue still has this owner.
            try ActionTable.write(decision.writes, of: owner, in: database)
            return decision
        }
    }

    private func takeBatch() -> Batch? {
        apply { state in
            let isToWait = state.journalRetryAt != nil && state.inbox.allSatisfy { $0.refuse == nil }
            guard !state.inbox.isEmpty, !isToWait, state.end == nil else {
                state.writer = nil
                return nil
            }
            defer { state.inbox = [] }
            var core = state.core
            core.isRunning = state.isRunning
            return Batch(core: core, events: state.inbox)
        }
    }

    private func adopt(
        _ core: ActionQueueCore<Action>, _ handovers: [ActionHandover<Action>], decidedAt: Duration
    ) {
        let stopped = apply { state in
            state.core = core
            state.journalRetryAt = nil
            state.journalFailure = nil
            // The queue may have been paused or shut down during the write.
            let isRunning = state.isRunning
            if isRunning { for handover in handovers { start(handover, &state) } }
            setAlarm(core.wake(after: decidedAt), &state)
            publish(&state)
            return isRunning ? [] : handovers
        }
        for handover in stopped {
            let verdicts = handover.items.map { ($0.origin.number, ActionVerdict.stopped($0)) }
            let now = clock.now
            enter(
                .mutation {
                    $0.groupEnded(handover.group, Dictionary(verdicts) { first, _ in first }, now: now)
                })
        }
    }

    private func journalFailed(_ events: [ActionQueueEvent<Action>], _ error: any Error) {
        let failure = ActionQueueError.forCaller(error)
        logger.warning(
            "The journal of an action queue cannot be written. The queue tries again every second",
            metadata: ["queue": "\(name)", "cause": "\(failure.cause ?? failure.message)"])
        let refused = apply { state -> [ActionQueueEvent<Action>] in
            if failure.isFinal {
                state.end = failure
                state.snapshot.isRunning = false
                defer { state.inbox = [] }
                publish(&state)
                return events + state.inbox
            }
            state.inbox = events.filter { $0.refuse == nil && !$0.isLook } + state.inbox
            let retryAt = clock.now + Self.journalRetryDelay
            state.journalRetryAt = retryAt
            state.journalFailure = failure
            setAlarm(retryAt, &state)
            return events
        }
        for event in refused { event.refuse?(failure) }
    }

    private func publish(_ state: inout State) {
        var snapshot = state.core.snapshot
        snapshot.isRunning = state.isRunning
        guard snapshot != state.snapshot else { return }
        state.snapshot = snapshot
        readers.publish(snapshot)
    }

    // MARK: Alarm

    /// Sets the alarm for the core's next decision, or for the next retry of a failing journal. If that time has
    /// already passed, for example because the journal was slow, the alarm fires now.
    private func setAlarm(_ next: Duration?, _ state: inout State) {
        guard let next else { return }
        if let alarm = state.alarm {
            // An alarm that fires too early makes the core decide, and is set again.
            if alarm.fires <= next { return }
            alarm.task.cancel()
        }
        state.alarm = (
            next,
            spawner.start { [weak self, clock] in
                do {
                    try await clock.sleep(until: next)
                } catch {
                    return  // an earlier alarm replaced this one, or the queue is gone
                }
                self?.alarmRang()
            }
        )
    }

    private func alarmRang() {
        let isTime = quietly { state in
            state.alarm = nil
            guard let retryAt = state.journalRetryAt else { return true }
            guard clock.now >= retryAt else {
                setAlarm(retryAt, &state)
                return false
            }
            state.journalRetryAt = nil
            return true
        }
        if isTime { enter(.looked) }
    }
}
