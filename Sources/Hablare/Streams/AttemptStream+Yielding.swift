import DequeModule
import Foundation
import HablareSupport

extension AttemptStream {
    /// Accepts a chunk from the provider.
    ///
    /// If the chunks of earlier attempts are being taken over, first waits for the end of the takeover, because the new
    /// chunk follows them. After accepting the chunk, waits while too many bytes have not been written to the store and
    /// to the content file.
    func yield(_ bytes: Data) async throws {
        if Task.isCancelled { return try refuse() }
        var room = try take(bytes)
        while room == nil {
            await wait(in: \.resuming) { !$0.isResuming }
            if Task.isCancelled { return try refuse() }
            room = try take(bytes)
        }
        if room == false { try await waitForRoom() }
    }

    /// Accepts a chunk and returns whether there is room for more chunks. Returns `nil` and does not accept the chunk
    /// while the chunks of earlier attempts are being taken over.
    private func take(_ bytes: Data) throws -> Bool? {
        let now = seams.clock.now
        let (hasRoom, isAwaited) = try state.withLock { state -> (Bool?, Bool) in
            if state.isResuming { return (nil, false) }
            try take(bytes, &state, now: now)
            schedule(&state, now: now)
            let isAwaited = policy?.durability == .volatile && state.isAwaited
            if isAwaited { state.isAwaited = false }
            return (!isFull(state), isAwaited)
        }
        if isAwaited { seams.hub.chunksCame(of: flight) }
        return hasRoom
    }

    /// Refuses a chunk because the attempt was stopped. The answer would lack the refused chunk. The attempt therefore
    /// fails, regardless of the provider's result.
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
        guard state.memory.mayAnswer else {
            state.memory.restarted()
            state.failure = .notResumed
            throw AIServiceError.notResumed
        }
        guard bytes.count <= Self.maximumChunk else {
            state.failure = .chunkTooLarge(bytes.count)
            throw AIServiceError.chunkTooLarge(bytes.count)
        }
        state.lastActivity = now
        // A slice would keep its whole buffer alive.
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
        await wait(in: \.waiting) { !isFull($0) }
        try Task.checkCancellation()
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    /// Waits in a queue until another task ends the wait. Does not wait if the condition already holds. Cancelling the
    /// task ends the wait at once.
    func wait(
        in queue: any WritableKeyPath<State, State.WaiterQueue> & Sendable, unless isOver: (State) -> Bool
    ) async {
        let waiter = Waiter<Void>()
        let isReleased = state.withLock { state in
            if isOver(state) { return true }
            state[keyPath: queue].append(waiter)
            return false
        }
        if isReleased { return }
        await waiter.wait()
        state.withLock { $0[keyPath: queue].removeAll { $0 === waiter } }
    }
}

extension AttemptStream.State.WaiterQueue {
    mutating func leave() -> Self {
        defer { self = [] }
        return self
    }
}
