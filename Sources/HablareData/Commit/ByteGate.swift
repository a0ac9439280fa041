import DequeModule
import Hablare

/// Bounds how many bytes of content are in memory at once: whoever wants more waits, first come, first served.
///
/// What nobody waits for, as a merge that was promised, is in the background: it has at most half of the room, and comes
/// after everybody in front, so that a view does not wait for a night's work.
final class ByteGate: Sendable {
    private struct Waiter: Sendable {
        let number: Int
        let bytes: Int
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

    let limit: Int
    private let state = Guarded(State())

    /// - Parameter limit: How many bytes at once. What alone is more than that is let in when nothing else is.
    init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// How many bytes may be in at once.
    func limit(inBackground: Bool) -> Int { inBackground ? max(1, limit / 2) : limit }

    /// Waits until so many bytes have room, and takes it. Give it back with ``leave(_:inBackground:)``.
    ///
    /// - Throws: `CancellationError`; nothing is taken then.
    func enter(_ bytes: Int, inBackground: Bool = false) async throws {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let waiter = Waiter(number: number, bytes: bytes, continuation: continuation)
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

    /// Gives the room of so many bytes back.
    func leave(_ bytes: Int, inBackground: Bool = false) {
        let admitted = state.withLock { state in
            state.held -= bytes
            if inBackground { state.heldInBackground -= bytes }
            return admit(&state)
        }
        for waiter in admitted { waiter.continuation.resume() }
    }

    /// Lets in whoever has room now.
    private func admit(_ state: inout State) -> [Waiter] {
        var admitted: [Waiter] = []
        while let next = state.inFront.first, state.held == 0 || state.held + next.bytes <= limit {
            state.inFront.removeFirst()
            state.held += next.bytes
            admitted.append(next)
        }
        while state.inFront.isEmpty, let next = state.inBackground.first {
            let isInBound = state.heldInBackground + next.bytes <= limit(inBackground: true)
            guard state.held == 0 || (isInBound && state.held + next.bytes <= limit) else { break }
            state.inBackground.removeFirst()
            state.held += next.bytes
            state.heldInBackground += next.bytes
            admitted.append(next)
        }
        return admitted
    }
}
