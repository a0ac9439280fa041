import Hablare

/// Callers that wait until a count is reached. Cancelling a caller's task ends its wait, so that a test whose time is
/// over ends instead of hanging.
final class CountWaiters: Sendable {
    private struct State: Sendable {
        var count = 0
        var last = 0
        var waiting: [(number: Int, target: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var cancelled: Set<Int> = []
    }

    private let state = Guarded(State())

    /// Changes the count and wakes whoever waits for it.
    func set(_ count: Int) {
        let due = state.withLock { state in
            state.count = count
            let due = state.waiting.filter { $0.target <= count }.map(\.continuation)
            state.waiting.removeAll { $0.target <= count }
            return due
        }
        for continuation in due { continuation.resume() }
    }

    /// Waits until the count is at least so much, or the task is cancelled.
    func reach(_ target: Int) async {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.cancelled.remove(number) != nil || state.count >= target { return true }
                    state.waiting.append((number, target, continuation))
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
                guard let index = state.waiting.firstIndex(where: { $0.number == number }) else {
                    state.cancelled.insert(number)
                    return nil
                }
                return state.waiting.remove(at: index).continuation
            }
            continuation?.resume()
        }
    }
}
