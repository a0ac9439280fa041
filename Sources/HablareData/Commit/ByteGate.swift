import DequeModule
import Hablare

/// Bounds how many bytes of content are in memory at once: whoever wants more waits, first come, first served.
final class ByteGate: Sendable {
    private struct State: Sendable {
        var held = 0
        var waiting: Deque<(bytes: Int, continuation: CheckedContinuation<Void, Never>)> = []

        func admits(_ bytes: Int, _ limit: Int) -> Bool { held == 0 || held + bytes <= limit }
    }

    let limit: Int
    private let state = Guarded(State())

    /// - Parameter limit: How many bytes at once. What alone is more than that is let in when nothing else is.
    init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// Waits until so many bytes have room, and takes it. Give it back with ``leave(_:)``.
    func enter(_ bytes: Int) async {
        await withCheckedContinuation { continuation in
            let isIn = state.withLock { state in
                guard state.waiting.isEmpty, state.admits(bytes, limit) else {
                    state.waiting.append((bytes, continuation))
                    return false
                }
                state.held += bytes
                return true
            }
            if isIn { continuation.resume() }
        }
    }

    /// Gives the room of so many bytes back.
    func leave(_ bytes: Int) {
        let admitted = state.withLock { state in
            state.held -= bytes
            var admitted: [CheckedContinuation<Void, Never>] = []
            while let next = state.waiting.first, state.admits(next.bytes, limit) {
                state.waiting.removeFirst()
                state.held += next.bytes
                admitted.append(next.continuation)
            }
            return admitted
        }
        for continuation in admitted { continuation.resume() }
    }
}
