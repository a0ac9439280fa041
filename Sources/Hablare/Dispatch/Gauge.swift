/// Counts something that is under way, and lets one caller wait until nothing is.
///
/// Entering and leaving never suspend: this is for the hot path, where an actor hop for bookkeeping would cost more
/// than the bookkeeping.
final class Gauge: Sendable {
    private struct State: Sendable {
        var count = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Guarded(State())

    func enter() {
        state.withLock { $0.count += 1 }
    }

    func leave() {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.count -= 1
            guard state.count == 0 else { return [] }
            defer { state.waiters = [] }
            return state.waiters
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
}
