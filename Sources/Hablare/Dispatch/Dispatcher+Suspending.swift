import Foundation

extension Dispatcher {
    // MARK: Reasons to rest

    /// For which reasons the engine rests.
    var suspensionReasons: Set<SuspensionReason> { happened { $0.suspensions.reasons } }

    /// Decides whether nobody is told anything. Of two decisions the one with the greater number knows more.
    func decideOnSilence() -> (isSilent: Bool, decision: Int) {
        happened { state in
            state.lastDecision += 1
            return (state.suspensions.isSilent, state.lastDecision)
        }
    }

    /// There is a reason to rest: from now on nothing is begun that it concerns, and what is queued goes back. What is
    /// under way may go on for the grace.
    func suspended(for reason: SuspensionReason, grace: Duration) {
        happened { state in
            state.suspensions.suspended(for: reason, graceEnds: clock.now + grace)
            apply(state.core.suspended(for: reason), &state)
            graceMayBeOver(&state)
        }
    }

    /// A reason to rest is gone.
    func resumed(from reason: SuspensionReason) {
        happened { state in
            guard state.suspensions.resumed(from: reason) else { return }
            apply(state.core.resumed(from: reason, now: date()), &state)
            setGraceTimer(&state)
            wakeWaiters(&state)
        }
        if reason == .offline { unfinished.release() }
    }

    /// Whoever asked to rest cannot wait any longer.
    func hurried(_ reason: SuspensionReason) {
        happened { state in
            state.suspensions.hurried(reason)
            graceMayBeOver(&state)
        }
    }

    /// Waits until the reason is gone, or nothing is under way that it concerns and all leases are given back.
    func settled(_ reason: SuspensionReason) async {
        switch reason {
        case .background:
            await wait { !$0.suspensions.contains(.background) || !$0.suspensions.isEngineUp }
        case .offline:
            await wait { state in
                !state.suspensions.contains(.offline)
                    || !state.attempts.values.contains { state.core.isOffline($0.flight.provider) }
            }
            await unfinished.emptyOfOnline { [self] in happened { $0.suspensions.contains(.offline) } }
            // Leases are on their way back in some of these, or come and will then be: a claim gives back what it got.
            await wait { state in
                !state.suspensions.contains(.offline) || !state.errands.values.contains(where: \.needsNetwork)
            }
        }
    }

    /// Time has passed, or a grace was set: attempts that may not go on are stopped.
    private func graceMayBeOver(_ state: inout State) {
        state.suspensions.timePassed(now: clock.now)
        if state.suspensions.isGraceOver(of: .offline) {
            for id in state.attempts.keys.sorted() {
                guard let attempt = state.attempts[id], state.core.isOffline(attempt.flight.provider) else { continue }
                stop(id, because: .interrupted, &state)
            }
        }
        setGraceTimer(&state)
        wakeWaiters(&state)
    }

    /// When the next grace ends of those for which anything goes on. What is over early is to wake nobody: nothing that
    /// a reason in force concerns is begun, so it need not be looked at again.
    private func nextGraceEnd(_ state: State) -> Duration? {
        var ends: [Duration] = []
        if let end = state.suspensions.graceEnd(of: .background), !state.attempts.isEmpty { ends.append(end) }
        if let end = state.suspensions.graceEnd(of: .offline),
            state.attempts.values.contains(where: { state.core.isOffline($0.flight.provider) })
        {
            ends.append(end)
        }
        return ends.min()
    }

    /// Lets the next grace end in time, or sees to it that none does.
    func setGraceTimer(_ state: inout State) {
        let next = nextGraceEnd(state)
        guard state.graceTimer?.fires != next else { return }
        if let timer = state.graceTimer { state.cancelled.append(timer.task) }
        state.graceTimer = nil
        guard let next else { return }
        state.graceTimer = (
            next,
            spawner.start { [weak self, clock] in
                do {
                    try await clock.sleep(until: next)
                } catch {
                    return  // replaced, or nobody needs it any more
                }
                self?.happened { state in
                    // Another may have replaced it at the very moment.
                    if state.graceTimer?.fires == next { state.graceTimer = nil }
                    self?.graceMayBeOver(&state)
                }
            }
        )
    }

    // MARK: The engine

    /// An engine begins to run. Answers whether it is to work at once, and how things stood before; `nil` where one
    /// runs already: two would give back each other's leases.
    func engineStarted() -> (isToWork: Bool, before: Suspensions)? {
        happened { state in
            let before = state.suspensions
            guard !before.hasEngine else { return nil }
            return (state.suspensions.engineStarted(), before)
        }
    }

    /// The engine could not begin.
    func engineFailed(before: Suspensions) {
        happened { state in
            state.suspensions.engineFailed(before: before)
            wakeWaiters(&state)
        }
    }

    /// The engine holds nothing any more.
    func engineRested() {
        happened { state in
            state.suspensions.engineRested()
            wakeWaiters(&state)
        }
    }

    /// The engine is to shut down.
    func endOrdered() {
        happened { state in
            state.suspensions.endOrdered()
            wakeWaiters(&state)
        }
    }

    /// The engine has shut down.
    func engineEnded() {
        happened { state in
            state.suspensions.engineEnded()
            wakeWaiters(&state)
        }
    }

    /// What the engine is to do.
    var order: Suspensions.Order { happened { $0.suspensions.order } }

    /// Waits until the engine is not to work any more, for some time at most.
    func untilNotToWork(within limit: Duration) async {
        await wait(within: limit) { $0.suspensions.order != .work }
    }

    /// Waits until the engine that rests is to work again: true; or to shut down: false.
    func untilToWork() async -> Bool {
        while true {
            await wait { $0.suspensions.order != .rest }
            // Looked at again: the order may have changed since.
            let order = happened { state in
                state.suspensions.engineWoke() ? .work : state.suspensions.order
            }
            if order != .rest { return order == .work }
        }
    }

    /// Waits until the engine is to shut down, or to rest and nothing may go on any longer. Nothing is begun then.
    func untilClosed() async {
        while true {
            await wait { Self.isToClose($0) }
            let isClosed = happened { state in
                guard Self.isToClose(state) else { return false }
                apply(state.core.closed(), &state)
                return true
            }
            if isClosed { return }
        }
    }

    private static func isToClose(_ state: State) -> Bool {
        switch state.suspensions.order {
        case .work: false
        case .rest: state.attempts.isEmpty || state.suspensions.isGraceOver(of: .background)
        case .end: true
        }
    }
}
