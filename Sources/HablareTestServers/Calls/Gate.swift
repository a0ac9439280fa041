import Hablare

/// Something that happens once, and that others wait for: so a test says when, and no test sleeps.
package final class Gate: Sendable {
    private struct State: Sendable {
        var isOpen = false
        var last = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var cancelled: Set<Int> = []
    }

    private let state = Guarded(State())

    /// Creates a gate that is shut.
    package init() {}

    /// Whether it was opened.
    package var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Opens the gate, for good, and lets everybody through who waits.
    package func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until the gate is open.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    package func wait() async throws(CancellationError) {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.cancelled.remove(number) != nil || state.isOpen { return true }
                    state.waiting[number] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
                if let continuation = state.waiting.removeValue(forKey: number) { return continuation }
                state.cancelled.insert(number)
                return nil
            }
            continuation?.resume()
        }
        guard isOpen else { throw CancellationError() }
    }

    /// Waits until this gate or another one is open, and says whether it is this one.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    package func wait(orUntil other: Gate) async throws -> Bool {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.wait() }
            group.addTask { try await other.wait() }
            try await group.next()
            group.cancelAll()
        }
        return isOpen
    }
}
