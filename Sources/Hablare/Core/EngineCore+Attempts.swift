import Foundation
import HablareSupport
import OrderedCollections

/// The attempts of this process. ``AttemptLifecycle`` decides about the state of each attempt. This extension decides
/// about the attempt's slot in its lane (the provider's queue).
extension EngineCore {
    /// Creates an attempt, which takes a slot in its lane. The caller has already counted the call in the lane's
    /// concurrency gate.
    ///
    /// - Parameter isJournalled: Whether the store already has the attempt's start, because it was written with the
    ///   submission.
    mutating func begin(_ flight: QueuedFlight, in lane: Int, isJournalled: Bool) {
        let timeout = flight.request.attemptTimeout ?? lanes.values[lane].attemptTimeout
        let probe = isJournalled ? nil : lanes.values[lane].breaker.sent()
        let attempt = Attempt(
            flight: flight, startedAt: now.date, timeout: timeout, probe: probe,
            lifecycle: isJournalled ? .running : .journalling(stop: nil))
        attempts[attempt.key] = attempt
        slots[flight.id] = attempt.key
        if isJournalled { setDeadline(of: attempt.key, in: timeout) }
    }

    func attempt(at flight: FlightID) -> Attempt? { slots[flight].flatMap { attempts[$0] } }

    private mutating func change<R>(_ key: AttemptKey, _ change: (inout Attempt) -> R) -> R? {
        guard let index = attempts.index(forKey: key) else { return nil }
        return change(&attempts.values[index])
    }

    private mutating func remove(_ key: AttemptKey) {
        deadlines.remove(key)
        attempts[key] = nil
    }

    private mutating func setDeadline(of key: AttemptKey, in duration: Duration) {
        deadlines.set(key, to: now.clock + min(duration, .farthest))
    }

    private mutating func decide(_ key: AttemptKey, _ event: (inout Attempt) -> [AttemptLifecycle.Effect]) {
        for effect in change(key, event) ?? [] {
            switch effect {
            case .cancel: effects.append(.stop(key))
            case .setDeadline(let duration): setDeadline(of: key, in: duration)
            case .abandon(let reason):
                guard let attempt = attempts[key] else { continue }
                deadlines.remove(key)
                effects.append(.abandon(key, reason))
                let isTimedOut = if case .timedOut = reason { true } else { false }
                releaseSlot(of: attempt, isTimedOut ? CallReport(health: .failing) : .notSent)
            }
        }
    }

    // MARK: Starting

    /// Records that the attempt's flight is on disk as executing. Returns `true` if the core did not know this before.
    mutating func journalled(_ key: AttemptKey) -> Bool {
        guard let attempt = attempts[key], !attempt.lifecycle.isJournalled else { return false }
        let grace = configuration.cancellationGrace
        decide(key) { $0.lifecycle.journalled(timeout: $0.timeout, grace: grace) }
        return true
    }

    /// Removes an attempt whose start the store refused. Either this process no longer holds the flight, or the
    /// deadline of the request has passed. No call was sent, so the next call can use the attempt's permit.
    mutating func startRefused(_ key: AttemptKey) {
        guard let attempt = attempts[key] else { return }
        remove(key)
        if let account = lanes[attempt.flight.provider]?.account {
            accounts[account]?.returned(cost: attempt.flight.cost)
        }
        releaseSlot(of: attempt, .notSent)
    }

    /// Queues the flight of an attempt again, because the start could not be written and the call was not sent. The
    /// flight waits until the store recovers.
    mutating func startFailed(_ key: AttemptKey, with error: any Error) {
        storeFailed(with: error)
        guard let attempt = attempts[key] else { return }
        let isOver =
            attempt.lifecycle == .journalling(stop: .cancelled) || attempt.lifecycle == .journalling(stop: .expired)
        if !isOver, deferred[key.flight] == nil { deferred[key.flight] = attempt.flight }
        startRefused(key)
        failWatchers(of: key.flight, with: error)
    }

    // MARK: Stopping

    /// Stops an attempt. The provider must return within the grace period.
    mutating func stop(_ key: AttemptKey, because reason: StopReason) {
        let grace = configuration.cancellationGrace
        decide(key) { $0.lifecycle.stopped(because: reason, grace: grace) }
    }

    mutating func stopAll() {
        for key in underWay { stop(key, because: .interrupted) }
    }

    /// Handles the deadline of an attempt: its timeout, or the end of its grace period after a stop.
    mutating func deadlineReached(_ key: AttemptKey, silence: Duration?) {
        guard let attempt = attempts[key] else { return }
        let isOffline = isOffline(attempt.flight.provider)
        let grace = configuration.cancellationGrace
        decide(key) {
            $0.lifecycle.deadlineReached(timeout: $0.timeout, silence: silence, isOffline: isOffline, grace: grace)
        }
    }

    // MARK: Ending

    /// Records that the provider returned while the last chunks of its output have not been written to the store yet.
    /// The attempt can no longer be stopped.
    ///
    /// The provider's health and its reported limits are recorded at once, so that the breaker learns of calls in the
    /// order in which they returned.
    mutating func returned(_ key: AttemptKey, with reply: Reply) {
        guard let attempt = attempts[key], case .running = attempt.lifecycle else { return }
        let stopped = stoppedItself(attempt.flight, reply)
        _ = change(key) { $0.lifecycle.returned(stopped) }
        deadlines.remove(key)
        learn(CallReport(reply, stopped: stopped, now: now.date), from: attempt)
    }

    /// Ends an attempt whose provider has returned and whose output is written to the store. The attempt's slot becomes
    /// free, and the caller must record its end. Returns the reason why the attempt was stopped, if it was stopped.
    mutating func ended(_ key: AttemptKey, with reply: Reply) -> StopReason? {
        guard let attempt = attempts[key] else { return nil }
        let own = stoppedItself(attempt.flight, reply)
        let stopped = change(key) { $0.lifecycle.ended(own) } ?? nil
        deadlines.remove(key)
        guard attempt.lifecycle.holdsSlot else { return stopped }
        let isKnown = if case .returned = attempt.lifecycle { true } else { false }
        releaseSlot(of: attempt, isKnown ? .known : CallReport(reply, stopped: stopped, now: now.date))
        return stopped
    }

    /// Returns a reason if the attempt was not stopped, but its failure is not the provider's fault. Either the lease
    /// was lost, or there is no network.
    private func stoppedItself(_ flight: QueuedFlight, _ reply: Reply) -> StopReason? {
        if reply.lostLease { return .interrupted }
        return reply.error?.category == .network && isOffline(flight.provider) ? .offline : nil
    }

    /// Frees the slot of an attempt. If the flight needs another attempt in this process, queues the flight again.
    private mutating func releaseSlot(of attempt: Attempt, _ report: CallReport) {
        slots[attempt.flight.id] = nil
        guard let index = lanes.index(forKey: attempt.flight.provider) else { return }
        lanes.values[index].gate.leave()
        if report.showsPace { lanes.values[index].callEnded(after: now.date.timeIntervalSince(attempt.startedAt)) }
        if let again = deferred.removeValue(forKey: attempt.flight.id) { enqueue(again) }
        learn(report, from: attempt)
    }

    /// Queues a leased flight in the lane of its provider. The flight's last attempt may have been at another provider,
    /// in another lane. If the lane is suspended, returns the flight to the store.
    mutating func enqueue(_ flight: QueuedFlight) {
        if givesBack(flight.provider) { return release([flight]) }
        guard let index = lanes.index(forKey: flight.provider) else { return }
        lanes.values[index].queue.append(flight, priority: flight.request.priority)
        touch(index)
    }

    /// Applies the report of a call to the lane's breaker and to the account. Also reports to the store the facts that
    /// other processes need.
    private mutating func learn(_ report: CallReport, from attempt: Attempt) {
        guard let index = lanes.index(forKey: attempt.flight.provider) else { return }
        touch(index)
        let account = lanes.values[index].account
        let failing = lanes.values[index].breaker.ended(report.health, probe: attempt.probe, now: now.date)
        let longestPause = configuration.longestPause
        let latest = now.date.addingTimeInterval(longestPause / .seconds(1))
        let pausedUntil = report.pausedUntil.map { min($0, latest) }
        if let pausedUntil { accounts[account]?.pause(until: pausedUntil, now: now.date) }
        if let most = report.limits?.concurrency { lanes.values[index].gate.learned(limit: most) }
        let limits = report.limits?.ofAccount?.pausing(atMost: longestPause)
        if limits != nil { accounts[account]?.limitsReported(now: now.date) }
        guard failing != .unchanged || pausedUntil != nil || limits != nil else { return }
        if pausedUntil != nil { accounts[account]?.reportsUnderWay += 1 }
        effects.append(
            .report(
                AccountReport(account: account, limits: limits, pausedUntil: pausedUntil, failing: failing)))
    }

    // MARK: Recording

    /// Records that an attempt's end was recorded, or need not be recorded because the store already has a more
    /// accurate end.
    mutating func recorded(_ key: AttemptKey) {
        guard let attempt = attempts[key] else { return }
        _ = change(key) { $0.lifecycle.recorded() }
        if case .over? = attempts[key]?.lifecycle { remove(key) }
        // An earlier end may have been recorded before the store failed.
        if attempt.isUnrecorded { unpark() }
    }

    /// Keeps an attempt's end that could not be written to the store. No attempt starts until the store can be written
    /// again.
    mutating func recordingFailed(_ key: AttemptKey, with error: any Error) {
        guard attempts[key] != nil else { return }
        _ = change(key) { $0.lifecycle.recordingFailed() }
        storeFailed(with: error)
        failWatchers(of: key.flight, with: error)
    }

    /// Returns whether an end is being recorded in place of the result of an abandoned attempt.
    func isRecordingStandIn(of key: AttemptKey) -> Bool {
        if case .abandoned(_, standIn: .some) = attempts[key]?.lifecycle { true } else { false }
    }

    func recording(of key: AttemptKey) -> AttemptLifecycle.Recording? { attempts[key]?.lifecycle.recording }
}

extension EngineCore.CallReport {
    init(_ reply: Reply, stopped: StopReason?, now: Date) {
        switch (stopped, reply.result) {
        case (.timedOut, .failure): self.init(health: .failing)
        case (.cancelled, .failure), (.interrupted, .failure), (.expired, .failure), (.offline, .failure):
            self.init(health: .unknown)
        case (_, .success): self.init(health: .sound)
        case (nil, .failure(let error)):
            // Only a rate limit concerns the whole account. Any other delay that a failure asks for is for its own
            // request: the overload of one says nothing about the others.
            let pause = error.code == .rateLimited ? error.retryAfter : nil
            self.init(
                health: reply.wasSent ? Breaker.Health(error) : .unknown,
                pausedUntil: pause.map { now.addingTimeInterval($0 / .seconds(1)) })
        }
        limits = reply.limits?.value
        if let pause = limits?.pause {
            let until = now.addingTimeInterval(pause / .seconds(1))
            pausedUntil = max(pausedUntil ?? until, until)
        }
    }
}
