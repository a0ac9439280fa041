import DequeModule
import Hablare

/// Bounds how many bytes of content are in memory at once: whoever wants more waits, first come, first served.
final class ByteGate: Sendable {
    private struct State: Sendable {
        var held = 0
        var waiting: Deque<(number: Int, bytes: Int, continuation: CheckedContinuation<Void, any Error>)> = []
        var last = 0
        /// Those who left before they came to wait.
        var cancelled: Set<Int> = []

        func admits(_ bytes: Int, _ limit: Int) -> Bool { held == 0 || held + bytes <= limit }
    }

    let limit: Int
    private let state = Guarded(State())

    /// - Parameter limit: How many bytes at once. What alone is more than that is let in when nothing else is.
    init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// Waits until so many bytes have room, and takes it. Give it back with ``leave(_:)``.
    ///
    /// - Throws: `CancellationError`; nothing is taken then.
    func enter(_ bytes: Int) async throws {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let result = state.withLock { state -> Result<Void, any Error>? in
                    if state.cancelled.remove(number) != nil { return .failure(CancellationError()) }
                    guard state.waiting.isEmpty, state.admits(bytes, limit) else {
                        state.waiting.append((number, bytes, continuation))
                        return nil
                    }
                    state.held += bytes
                    return .success(())
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            cancelled(number)
        }
        // Whoever was let in and cancelled at once noted it in vain.
        state.withLock { _ = $0.cancelled.remove(number) }
    }

    private func cancelled(_ number: Int) {
        let (left, admitted) = state.withLock { state in
            guard let place = state.waiting.firstIndex(where: { $0.number == number }) else {
                state.cancelled.insert(number)
                return (nil as CheckedContinuation<Void, any Error>?, [CheckedContinuation<Void, any Error>]())
            }
            let left = state.waiting.remove(at: place).continuation
            return (left, Self.admit(&state, limit))
        }
        left?.resume(throwing: CancellationError())
        for continuation in admitted { continuation.resume() }
    }

    /// Gives the room of so many bytes back.
    func leave(_ bytes: Int) {
        let admitted = state.withLock { state in
            state.held -= bytes
            return Self.admit(&state, limit)
        }
        for continuation in admitted { continuation.resume() }
    }

    private static func admit(_ state: inout State, _ limit: Int) -> [CheckedContinuation<Void, any Error>] {
        var admitted: [CheckedContinuation<Void, any Error>] = []
        while let next = state.waiting.first, state.admits(next.bytes, limit) {
            state.waiting.removeFirst()
            state.held += next.bytes
            admitted.append(next.continuation)
        }
        return admitted
    }
}
