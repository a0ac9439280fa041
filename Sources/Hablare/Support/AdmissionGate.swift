import DequeModule
import HablareSupport

/// A weighted semaphore. It limits the total weight of the work that runs at the same time, for example a number of
/// programs or of bytes. If there is no room, callers wait in order of arrival. Cancelling a caller's task ends its
/// wait.
///
/// Work that no caller waits for can be marked as background work. Background work gets at most half of the room, and
/// is admitted only if no other work waits. A view therefore does not wait for a long background job.
package final class AdmissionGate: Sendable {
    private struct Entry: Sendable {
        let waiter: Waiter<Void>
        let weight: Int
        let inBackground: Bool
    }

    private struct State: Sendable {
        var held = 0
        var heldInBackground = 0
        var inFront: Deque<Entry> = []
        var inBackground: Deque<Entry> = []
    }

    package let limit: Int
    private let state = Locked(State())

    /// Creates a gate.
    ///
    /// - Parameter limit: The maximum total weight, at least 1. A caller with a larger weight is admitted when no other
    ///   work runs.
    package init(limit: Int) {
        self.limit = max(1, limit)
    }

    package func limit(inBackground: Bool) -> Int { inBackground ? max(1, limit / 2) : limit }

    /// The number of waiting callers. Tests use it.
    package var waiting: Int { state.withLock { $0.inFront.count + $0.inBackground.count } }

    /// Waits until there is room for a weight, and takes the room. Call ``leave(_:inBackground:)`` when the work is
    /// done.
    ///
    /// - Throws: `CancellationError` if the task is cancelled. In this case no room is taken.
    package func enter(_ weight: Int = 1, inBackground: Bool = false) async throws {
        try Task.checkCancellation()
        let entry = Entry(waiter: Waiter(), weight: weight, inBackground: inBackground)
        letIn { state in
            if inBackground { state.inBackground.append(entry) } else { state.inFront.append(entry) }
        }
        do {
            try await entry.waiter.value()
        } catch {
            // The callers behind it may have room now.
            letIn { state in
                state.inFront.removeAll { $0.waiter === entry.waiter }
                state.inBackground.removeAll { $0.waiter === entry.waiter }
            }
            throw error
        }
    }

    package func leave(_ weight: Int = 1, inBackground: Bool = false) {
        letIn { state in
            state.held -= weight
            if inBackground { state.heldInBackground -= weight }
        }
    }

    /// Changes the state, and then admits the waiting callers for which there is room.
    private func letIn(after change: (inout State) -> Void) {
        let admitted = state.withLock { state in
            change(&state)
            return admit(&state)
        }
        for entry in admitted where !entry.waiter.resume() {
            leave(entry.weight, inBackground: entry.inBackground)  // the task was cancelled at this moment
        }
    }

    private func admit(_ state: inout State) -> [Entry] {
        var admitted: [Entry] = []
        while let next = state.inFront.first, state.held == 0 || state.held + next.weight <= limit {
            state.inFront.removeFirst()
            state.held += next.weight
            admitted.append(next)
        }
        while state.inFront.isEmpty, let next = state.inBackground.first {
            let isInBound = state.heldInBackground + next.weight <= limit(inBackground: true)
            guard state.held == 0 || (isInBound && state.held + next.weight <= limit) else { break }
            state.inBackground.removeFirst()
            state.held += next.weight
            state.heldInBackground += next.weight
            admitted.append(next)
        }
        return admitted
    }
}
