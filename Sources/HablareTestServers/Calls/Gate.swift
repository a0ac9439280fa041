import Hablare
import HablareSupport

/// A one-time event that other tasks wait for. The test triggers the event, so no test needs to sleep.
package final class Gate: Sendable {
    private struct State: Sendable {
        var isOpen = false
        var waiting: [Waiter<Void>] = []
    }

    private let state = Locked(State())

    /// Creates a closed gate.
    package init() {}

    /// Whether the gate is open.
    package var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Opens the gate permanently. Resumes all waiters.
    package func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.resume() }
    }

    /// Waits until the gate is open.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first.
    package func wait() async throws(CancellationError) {
        let waiter = Waiter<Void>()
        let isOpen = state.withLock { state in
            if !state.isOpen { state.waiting.append(waiter) }
            return state.isOpen
        }
        if isOpen { return }
        await waiter.wait()
        guard self.isOpen else {
            state.withLock { $0.waiting.removeAll { $0 === waiter } }
            throw CancellationError()
        }
    }

    /// Waits until this gate or another gate is open. Returns whether this gate is open.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first.
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
