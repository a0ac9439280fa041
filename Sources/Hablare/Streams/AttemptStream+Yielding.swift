import DequeModule
import Foundation

/// What the provider does.
extension AttemptStream {
    /// Takes a chunk; waits while too much is neither journalled nor written.
    func yield(_ bytes: Data) async throws {
        if Task.isCancelled { return try refuse() }
        let now = seams.clock.now
        let (isFull, isAwaited) = try state.withLock { state in
            try take(bytes, &state, now: now)
            schedule(&state, now: now)
            let isAwaited = policy?.durability == .volatile && state.isAwaited
            if isAwaited { state.isAwaited = false }
            return (self.isFull(state), isAwaited)
        }
        if isAwaited { seams.hub.chunksCame(of: flight) }
        if isFull { try await waitForRoom() }
    }

    /// The attempt was stopped. What is refused is missing in the answer, so there can be none, whatever the provider
    /// says.
    private func refuse() throws {
        state.withLock { state in
            if !state.isOver || state.isStopped { state.failure = state.failure ?? .attemptCancelled }
        }
        throw CancellationError()
    }

    private func take(_ bytes: Data, _ state: inout State, now: Duration) throws {
        guard !state.isOver else {
            if state.isStopped { state.failure = state.failure ?? .attemptCancelled }
            throw AIServiceError.yieldedTooLate
        }
        if let failure = state.failure { throw failure }
        guard !state.memory.wasGiven || state.memory.hasResumed else {
            state.memory.beganAnew()
            state.failure = .notResumed
            throw AIServiceError.notResumed
        }
        guard bytes.count <= Self.maximumChunk else {
            state.failure = .chunkTooLarge(bytes.count)
            throw AIServiceError.chunkTooLarge(bytes.count)
        }
        state.lastActivity = now
        // A slice would keep all alive that it is a slice of.
        var chunk = bytes.startIndex == 0 ? bytes : Data(bytes)
        do throws(TextJoiner.NotText) {
            chunk = try state.text?.joined(chunk) ?? chunk
        } catch {
            state.failure = .notText
            throw AIServiceError.notText
        }
        guard !chunk.isEmpty else { return }
        state.hasBegun = true
        state.byteCount += chunk.count
        state.unwritten.append(chunk)
        guard state.grouping != nil else { return }
        state.grouping?.arrived(size: chunk.count)
        state.tail.append(chunk)
        state.tailBytes += chunk.count
    }

    func isFull(_ state: State) -> Bool {
        guard state.failure == nil else { return false }
        return state.grouping?.isFull == true || state.byteCount >= threshold && state.unwritten.count >= 1 << 20
    }

    func waitForRoom() async throws {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let hasRoom = state.withLock { state in
                    if !isFull(state) || Task.isCancelled { return true }
                    state.waiting[number] = continuation
                    return false
                }
                if hasRoom { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
        }
        try Task.checkCancellation()
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }
}
