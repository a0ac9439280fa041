import DequeModule
import Hablare

/// Bounds how many bytes of content are in memory at once: whoever wants more waits, first come, first served.
///
/// What nobody waits for, as a merge that was promised, is in the background: it has at most half of the room, and comes
/// after everybody in front, so that a view does not wait for a night's work.
final class ByteGate: Sendable {
    private struct Entry: Sendable {
        let waiter: Waiter<Void>
        let bytes: Int
        let inBackground: Bool
    }

    private struct State: Sendable {
        var held = 0
        var heldInBackground = 0
        var inFront: Deque<Entry> = []
        var inBackground: Deque<Entry> = []
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
        let entry = Entry(waiter: Waiter(), bytes: bytes, inBackground: inBackground)
        letIn { state in
            if inBackground { state.inBackground.append(entry) } else { state.inFront.append(entry) }
        }
        do {
            try await entry.waiter.value()
        } catch {
            // Those behind it may have room now.
            letIn { state in
                state.inFront.removeAll { $0.waiter === entry.waiter }
                state.inBackground.removeAll { $0.waiter === entry.waiter }
            }
            throw error
        }
    }

    /// Gives the room of so many bytes back.
    func leave(_ bytes: Int, inBackground: Bool = false) {
        letIn { state in
            state.held -= bytes
            if inBackground { state.heldInBackground -= bytes }
        }
    }

    /// Changes the state, and lets in whoever has room then.
    private func letIn(after change: (inout State) -> Void) {
        let admitted = state.withLock { state in
            change(&state)
            return admit(&state)
        }
        for entry in admitted where !entry.waiter.resume() {
            leave(entry.bytes, inBackground: entry.inBackground)  // it was cancelled at this moment
        }
    }

    private func admit(_ state: inout State) -> [Entry] {
        var admitted: [Entry] = []
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
