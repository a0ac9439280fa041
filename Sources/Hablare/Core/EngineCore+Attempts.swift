import Foundation
import OrderedCollections

/// Attempts of this process. ``AttemptLifecycle`` decides about each; here its place in the lane follows.
extension EngineCore {
    mutating func begin(_ flight: QueuedFlight, in lane: Int, isJournalled: Bool) {
        let timeout = flight.request.attemptTimeout ?? lanes.values[lane].attemptTimeout
        let probe = isJournalled ? nil : lanes.values[lane].breaker.sent()
        let attempt = Attempt(
            flight: flight, startedAt: now.date, timeout: timeout, probe: probe,
            lifecycle: isJournalled ? .running : .journalling(stop: nil))
        attempts[attempt.key] = attempt
        places[flight.id] = attempt.key
        if isJournalled { setDeadline(of: attempt.key, in: timeout) }
    }

    func attempt(at flight: FlightID) -> Attempt? { places[flight].flatMap { attempts[$0] } }

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
                leavePlace(of: attempt, isTimedOut ? CallReport(health: .failing) : .notSent)
            }
        }
    }

    // MARK: Starting

    /// The flight of an attempt is on disk as executing. Returns whether that is news: its start was on its way to the
    /// store.
    mutating func journalled(_ key: AttemptKey) -> Bool {
        guard let attempt = attempts[key], !attempt.lifecycle.isJournalled else { return false }
        let grace = configuration.cancellationGrace
        decide(key) { $0.lifecycle.journalled(timeout: $0.timeout, grace: grace) }
        return true
    }

    /// The store refused the start of an attempt, because the flight is not this process's any more, or its request is
    /// out of time. Nothing was sent, so its permit is the next call's.
    mutating func startRefused(_ key: AttemptKey) {
        guard let attempt = attempts[key] else { return }
        remove(key)
        if let account = lanes[attempt.flight.provider]?.account {
            accounts[account]?.returned(cost: attempt.flight.cost)
        }
        leavePlace(of: attempt, .notSent)
    }

    /// The start of an attempt could not be written, so it was not sent: it is queued again until the store recovers.
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

    mutating func stop(_ key: AttemptKey, because reason: StopReason) {
        let grace = configuration.cancellationGrace
        decide(key) { $0.lifecycle.stopped(because: reason, grace: grace) }
    }

    mutating func stopAll() {
        for key in underWay { stop(key, because: .interrupted) }
    }

    mutating func deadlineReached(_ key: AttemptKey, silence: Duration?) {
        guard let attempt = attempts[key] else { return }
        let isOffline = isOffline(attempt.flight.provider)
        let grace = configuration.cancellationGrace
        decide(key) {
            $0.lifecycle.deadlineReached(timeout: $0.timeout, silence: silence, isOffline: isOffline, grace: grace)
        }
    }

    // MARK: Ending

    /// The provider returned, and some of its output is still to be journalled. Nothing stops the attempt from now on;
    /// what the reply says of the provider's health and limits counts at once, so that the breaker hears of calls in the
    /// order in which they returned.
    mutating func returned(_ key: AttemptKey, with reply: Reply) {
        guard let attempt = attempts[key], case .running = attempt.lifecycle else { return }
        let stopped = stoppedItself(attempt.flight, reply)
        _ = change(key) { $0.lifecycle.returned(stopped) }
        deadlines.remove(key)
        learn(CallReport(reply, stopped: stopped, now: now.date), from: attempt)
    }

    /// The provider returned, and all of its output is journalled: its place is free, and its end is to be recorded.
    /// Returns why it was stopped, if it was.
    mutating func ended(_ key: AttemptKey, with reply: Reply) -> StopReason? {
        guard let attempt = attempts[key] else { return nil }
        let own = stoppedItself(attempt.flight, reply)
        let stopped = change(key) { $0.lifecycle.ended(own) } ?? nil
        deadlines.remove(key)
        guard attempt.lifecycle.holdsPlace else { return stopped }
        let isKnown = if case .returned = attempt.lifecycle { true } else { false }
        leavePlace(of: attempt, isKnown ? .known : CallReport(reply, stopped: stopped, now: now.date))
        return stopped
    }

    /// Why an attempt failed that nothing had stopped, where it is none of the provider's doing: the store refused it, or
    /// there is no network.
    private func stoppedItself(_ flight: QueuedFlight, _ reply: Reply) -> StopReason? {
        if reply.lostLease { return .interrupted }
        return reply.error?.category == .network && isOffline(flight.provider) ? .offline : nil
    }

    /// Gives away the place of an attempt, and queues its flight where that is to be attempted again.
    private mutating func leavePlace(of attempt: Attempt, _ report: CallReport) {
        places[attempt.flight.id] = nil
        guard let index = lanes.index(forKey: attempt.flight.provider) else { return }
        lanes.values[index].gate.leave()
        if report.showsPace { lanes.values[index].callEnded(after: now.date.timeIntervalSince(attempt.startedAt)) }
        if let again = deferred.removeValue(forKey: attempt.flight.id) { enqueue(again) }
        learn(report, from: attempt)
    }

    /// Queues a leased flight in the lane of its provider, which may be another one than that of its last attempt; gives
    /// it back where that lane is suspended.
    mutating func enqueue(_ flight: QueuedFlight) {
        if givesBack(flight.provider) { return release([flight]) }
        guard let index = lanes.index(forKey: flight.provider) else { return }
        lanes.values[index].queue.append(flight, priority: flight.request.priority)
        touch(index)
    }

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

    /// An attempt's end was recorded; or was not needed, because the store knows better.
    mutating func recorded(_ key: AttemptKey) {
        guard let attempt = attempts[key] else { return }
        _ = change(key) { $0.lifecycle.recorded() }
        if case .over? = attempts[key]?.lifecycle { remove(key) }
        // Another end may have been recorded before the store failed.
        if attempt.isUnrecorded { unpark() }
    }

    mutating func recordingFailed(_ key: AttemptKey, with error: any Error) {
        guard attempts[key] != nil else { return }
        _ = change(key) { $0.lifecycle.recordingFailed() }
        storeFailed(with: error)
        failWatchers(of: key.flight, with: error)
    }

    /// Whether the end of an abandoned attempt is on its way to the store.
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
            // Another failure's wish for time is the request's own: an overload of one says nothing of the others' limit.
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
