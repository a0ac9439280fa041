import Foundation

extension Engine {
    /// Waits until no attempt is in flight, or until a time limit.
    func idle(within limit: Duration, orUntilCancelled: Bool = false) async {
        await wait(within: limit, orUntilCancelled: orUntilCancelled) { $0.core.running == 0 }
    }

    /// Waits until a suspension has taken effect: no call to which the reason applies is in flight, and all leases of
    /// such calls are returned. Also ends when the reason is removed.
    func settled(_ reason: SuspensionReason) async {
        switch reason {
        case .background:
            await wait { !$0.core.suspensions.contains(.background) || !$0.core.suspensions.isEngineUp }
        case .offline:
            await wait { !$0.core.suspensions.contains(.offline) || $0.core.isQuietOffline }
        }
    }

    /// Waits until the engine should no longer work, or until a time limit.
    func untilNotToWork(within limit: Duration) async {
        await wait(within: limit) { $0.core.suspensions.order != .work }
    }

    /// Waits until the suspended engine should work again or end. Returns `true` if it should work, and `false` if it
    /// should shut down.
    func untilToWork() async -> Bool {
        while true {
            await wait { $0.core.suspensions.order != .suspend }
            // Read again, because the order may have changed since.
            let order = apply { $0.suspensions.engineWoke() ? .work : $0.suspensions.order }
            if order != .suspend { return order == .work }
        }
    }

    /// Waits until the engine should shut down, or until it is suspended and the grace period is over. In each case,
    /// the core is closed when this method returns.
    func untilClosed() async {
        while true {
            await wait { $0.core.isToClose }
            let isClosed = apply { core in
                guard core.isToClose else { return false }
                core.closed()
                return true
            }
            if isClosed { return }
        }
    }

    func wait(
        within limit: Duration? = nil, orUntilCancelled: Bool = false,
        until isOver: @escaping @Sendable (State) -> Bool
    ) async {
        let waiter = Waiter<Void>()
        let number = change { state -> Int? in
            guard !isOver(state), limit ?? .farthest > .zero else { return nil }
            state.lastWaiter += 1
            state.waiters[state.lastWaiter] = ConditionWaiter(isOver: isOver, waiter: waiter)
            return state.lastWaiter
        }
        guard let number else { return }
        await waiter.wait(within: limit, on: clock, spawner, isCancellable: orUntilCancelled)
        change { $0.waiters[number] = nil }
    }

    func wakeWaiters(_ state: inout State) {
        for number in state.waiters.keys.sorted() where state.waiters[number]?.isOver(state) == true {
            state.waiters.removeValue(forKey: number)?.waiter.resume()
        }
    }
}
