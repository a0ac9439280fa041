import Hablare
import HablareSupport

/// Callers that wait until a count is reached. If a caller's task is cancelled, its wait ends. A test that reaches its
/// time limit therefore ends, and does not hang.
final class CountWaiters: Sendable {
    private struct State: Sendable {
        var count = 0
        var waiting: [(target: Int, waiter: Waiter<Void>)] = []
    }

    private let state = Locked(State())

    /// Sets the count and wakes the callers that wait for it.
    func set(_ count: Int) {
        let due = state.withLock { state in
            state.count = count
            defer { state.waiting.removeAll { $0.target <= count } }
            return state.waiting.filter { $0.target <= count }
        }
        for (_, waiter) in due { waiter.resume() }
    }

    /// Waits until the count is at least a target, or the task is cancelled.
    func reach(_ target: Int) async {
        let waiter = Waiter<Void>()
        let isReached = state.withLock { state in
            if state.count < target { state.waiting.append((target, waiter)) }
            return state.count >= target
        }
        if isReached { return }
        await waiter.wait()
        state.withLock { $0.waiting.removeAll { $0.waiter === waiter } }
    }
}
