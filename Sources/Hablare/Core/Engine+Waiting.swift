import Foundation

extension Engine {
    /// Waits until no attempt is under way, for some time at most.
    func idle(within limit: Duration, orUntilCancelled: Bool = false) async {
        await wait(within: limit, orUntilCancelled: orUntilCancelled) { $0.core.running == 0 }
    }

    /// Waits until a reason to suspend work is gone, or nothing is under way that it concerns and all leases are given back.
    func settled(_ reason: SuspensionReason) async {
        switch reason {
        case .background:
            await wait { !$0.core.suspensions.contains(.background) || !$0.core.suspensions.isEngineUp }
        case .offline:
            await wait { !$0.core.suspensions.contains(.offline) || $0.core.isQuietOffline }
        }
    }

    /// Waits until the engine is not to work any more, for some time at most.
    func untilNotToWork(within limit: Duration) async {
        await wait(within: limit) { $0.core.suspensions.order != .work }
    }

    /// Waits until the suspended engine is to work again: true; or to shut down: false.
    func untilToWork() async -> Bool {
        while true {
            await wait { $0.core.suspensions.order != .rest }
            // Looked at again: the order may have changed since.
            let order = apply { $0.suspensions.engineWoke() ? .work : $0.suspensions.order }
            if order != .rest { return order == .work }
        }
    }

    /// Waits until the engine is to shut down, or is suspended and nothing may go on any longer. Nothing is begun then.
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
