import Foundation
import Logging

extension Dispatcher {
    // MARK: Deadlines of attempts

    func setDeadline(of id: FlightID, in duration: Duration, _ state: inout State) {
        state.deadlines.set(id, to: clock.now + min(duration, .farthest))
        armTimer(&state)
    }

    private func armTimer(_ state: inout State) {
        guard let next = state.deadlines.earliest() else { return }
        if let timer = state.timer {
            if timer.fires <= next { return }
            state.cancelled.append(timer.task)
        }
        state.timer = (
            next,
            spawner.start { [weak self, clock] in
                do {
                    try await clock.sleep(until: next)
                } catch {
                    return  // replaced by an earlier timer, or shut down
                }
                self?.deadlinesReached()
            }
        )
    }

    private func deadlinesReached() {
        let deaf = happened { state -> [ProviderID] in
            state.timer = nil
            var deaf: [ProviderID] = []
            for id in state.deadlines.popReached(clock.now) {
                guard let attempt = state.attempts[id] else { continue }
                if attempt.stop == nil, let rest = attempt.stream.timeLeft(of: attempt.timeout) {
                    setDeadline(of: id, in: rest, &state)
                } else if attempt.stop == nil {
                    // Without a network its silence says nothing of the provider.
                    let isOffline = state.core.isOffline(attempt.flight.provider)
                    stop(id, because: isOffline ? .interrupted : .timedOut(after: attempt.timeout), &state)
                } else if attempt.isJournalled {
                    giveUp(attempt, &state)
                    deaf.append(attempt.flight.provider)
                } else {
                    // The journal will answer; nothing was sent.
                    setDeadline(of: id, in: cancellationGrace, &state)
                }
            }
            armTimer(&state)
            return deaf
        }
        for provider in deaf {
            logger.warning("A provider does not react to cancellation", metadata: ["provider": "\(provider)"])
        }
    }

    // MARK: Waiting for a date

    /// Lets the core be woken when it wants to be.
    func setAlarm(_ state: inout State) {
        let now = date()
        guard let next = state.core.wake(after: now) else { return }
        if let alarm = state.alarm {
            if alarm.fires <= next { return }
            state.cancelled.append(alarm.task)
        }
        // From now, not from when the task gets to run.
        let wake = clock.now + max(Duration.milliseconds(1), .between(now, next))
        state.alarm = (
            next,
            spawner.start { [weak self, clock] in
                do {
                    try await clock.sleep(until: wake)
                } catch {
                    return  // replaced by an earlier alarm, or shut down
                }
                self?.timePassed()
            }
        )
    }

    // MARK: Waiting until something is so

    /// Waits until no attempt is under way, for some time at most.
    func idle(within limit: Duration, orUntilCancelled: Bool = false) async {
        await wait(within: limit, orUntilCancelled: orUntilCancelled) { $0.attempts.isEmpty }
    }

    /// Waits until something is so.
    ///
    /// - Parameters:
    ///   - limit: The most that is waited; `nil` waits for ever.
    ///   - orUntilCancelled: Whether cancelling the task ends a wait that has a limit.
    ///   - isOver: What is waited for: of attempts or errands under way or ``Suspensions``, whose changes are looked at.
    func wait(
        within limit: Duration? = nil, orUntilCancelled: Bool = false,
        until isOver: @escaping @Sendable (State) -> Bool
    ) async {
        let number = happened { state -> Int? in
            guard !isOver(state), limit ?? .farthest > .zero else { return nil }
            state.lastWaiter += 1
            return state.lastWaiter
        }
        guard let number else { return }
        let alarm = limit.map { limit in
            spawner.start { [weak self, clock] in
                do {
                    try await clock.sleep(for: limit)
                } catch {
                    // It is so, and nobody waits any more; or the wait was cancelled, and is over now.
                }
                self?.happened { state in
                    if let waiter = state.waiters.removeValue(forKey: number) {
                        waiter.continuation.resume()
                    } else {
                        state.endedWaits.insert(number)
                    }
                }
            }
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                happened { state in
                    // It may have come to be so, or the time may have run out, before the wait began.
                    if isOver(state) || state.endedWaits.contains(number) {
                        continuation.resume()
                    } else {
                        state.waiters[number] = Waiter(isOver: isOver, continuation: continuation)
                    }
                }
            }
        } onCancel: {
            if orUntilCancelled { alarm?.cancel() }
        }
        alarm?.cancel()
        await alarm?.value
        happened { _ = $0.endedWaits.remove(number) }
    }

    /// Something changed that somebody may wait for.
    func wakeWaiters(_ state: inout State) {
        for number in state.waiters.keys.sorted() where state.waiters[number]?.isOver(state) == true {
            state.waiters.removeValue(forKey: number)?.continuation.resume()
        }
    }
}
