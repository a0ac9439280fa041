/// Counts something that is under way, and lets callers wait until nothing is.
///
/// Entering and leaving never suspend: this is for the hot path, where an actor hop for bookkeeping would cost more
/// than the bookkeeping.
final class Gauge: Sendable {
    private struct State: Sendable {
        var count = 0
        /// How many of them have to do with a provider that needs the network.
        var online = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
        var onlineWaiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Guarded(State())

    func enter(needsNetwork: Bool) {
        state.withLock { state in
            state.count += 1
            if needsNetwork { state.online += 1 }
        }
    }

    func leave(needsNetwork: Bool) {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.count -= 1
            if needsNetwork { state.online -= 1 }
            var over: [CheckedContinuation<Void, Never>] = []
            if state.online == 0, !state.onlineWaiters.isEmpty {
                over = state.onlineWaiters
                state.onlineWaiters = []
            }
            guard state.count == 0 else { return over }
            defer { state.waiters = [] }
            return over + state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns once the count is zero; at once if it is.
    func empty() async {
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLock { state in
                if state.count > 0 { state.waiters.append(continuation) }
                return state.count == 0
            }
            if isEmpty { continuation.resume() }
        }
    }

    /// Returns once nothing is under way that needs the network, or nobody needs to know any more.
    ///
    /// - Parameter isWanted: Whether somebody does; ``release()`` is to be called when it changes to false.
    func emptyOfOnline(while isWanted: @Sendable () -> Bool) async {
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLock { state in
                if state.online > 0 { state.onlineWaiters.append(continuation) }
                return state.online == 0
            }
            if isEmpty { continuation.resume() }
            // Looked at after it began to wait, and not under the lock: the answer takes a lock of its own.
            if !isWanted() { release() }
        }
    }

    /// Lets go of those who wait until nothing is under way that needs the network.
    func release() {
        let waiters = state.withLock { state in
            defer { state.onlineWaiters = [] }
            return state.onlineWaiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
