import DequeModule

/// A semaphore with weights: bounds how much is in at once, be it programs or bytes of content. Callers for whom there is
/// no room wait, first come, first served; cancelling a caller's task ends its wait.
///
/// What no one waits for, as a merge that was promised, is in the background: it has at most half of the room, and comes
/// after everything in front, so that a view does not wait for a night's work.
package final class AdmissionGate: Sendable {
    private struct Waiter: Sendable {
        let number: Int
        let weight: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State: Sendable {
        var held = 0
        var heldInBackground = 0
        var inFront: Deque<Waiter> = []
        var inBackground: Deque<Waiter> = []
        var last = 0
        /// Those who left before they came to wait.
        var cancelled: Set<Int> = []
    }

    package let limit: Int
    private let state = Guarded(State())

    /// - Parameter limit: How much at once, at least 1. What alone is more than that is let in when nothing else is.
    package init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// How much may be in at once.
    package func limit(inBackground: Bool) -> Int { inBackground ? max(1, limit / 2) : limit }

    /// Waits until there is room for a weight, and takes it. Give it back with ``leave(_:inBackground:)``.
    ///
    /// - Throws: `CancellationError`; nothing is taken then.
    package func enter(_ weight: Int = 1, inBackground: Bool = false) async throws {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let waiter = Waiter(number: number, weight: weight, continuation: continuation)
                let (isCancelled, admitted) = state.withLock { state in
                    if state.cancelled.remove(number) != nil { return (true, [Waiter]()) }
                    if inBackground { state.inBackground.append(waiter) } else { state.inFront.append(waiter) }
                    return (false, admit(&state))
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
                for waiter in admitted { waiter.continuation.resume() }
            }
        } onCancel: {
            cancelled(number)
        }
        // Whoever was let in and cancelled at once noted it in vain.
        state.withLock { _ = $0.cancelled.remove(number) }
    }

    private func cancelled(_ number: Int) {
        let (left, admitted) = state.withLock { state -> (Waiter?, [Waiter]) in
            let left: Waiter
            if let place = state.inFront.firstIndex(where: { $0.number == number }) {
                left = state.inFront.remove(at: place)
            } else if let place = state.inBackground.firstIndex(where: { $0.number == number }) {
                left = state.inBackground.remove(at: place)
            } else {
                state.cancelled.insert(number)
                return (nil, [])
            }
            return (left, admit(&state))
        }
        left?.continuation.resume(throwing: CancellationError())
        for waiter in admitted { waiter.continuation.resume() }
    }

    /// Gives the room of a weight back.
    package func leave(_ weight: Int = 1, inBackground: Bool = false) {
        let admitted = state.withLock { state in
            state.held -= weight
            if inBackground { state.heldInBackground -= weight }
            return admit(&state)
        }
        for waiter in admitted { waiter.continuation.resume() }
    }

    /// Lets in whoever has room now.
    private func admit(_ state: inout State) -> [Waiter] {
        var admitted: [Waiter] = []
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
