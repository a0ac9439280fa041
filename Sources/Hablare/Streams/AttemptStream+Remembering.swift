import Foundation

/// What an attempt leaves for the next one, and takes over from the one before.
extension AttemptStream {
    /// What there is to go on with.
    struct Memory: Sendable, Hashable {
        /// Whether an earlier attempt left a handle.
        let wasGiven: Bool
        /// How many chunks of its output are journalled.
        let keptChunks: Int
        /// Whether the next attempt has one.
        private(set) var hasHandle: Bool
        /// Whether this attempt left one or tried to: either way it has begun work that may be billed.
        private(set) var hasRemembered = false
        /// Whether the store did not take what it was to remember, because the attempt is not its flight's any more.
        private(set) var wasRefused = false
        /// Whether this attempt goes on with what it was given.
        private(set) var hasResumed = false
        /// Whether it did not, and answered all the same.
        private(set) var hasBegunAnew = false

        init(of flight: QueuedFlight) {
            wasGiven = flight.remembered != nil
            keptChunks = flight.remembered?.keptChunks ?? 0
            hasHandle = wasGiven
        }

        fileprivate mutating func begun() { hasRemembered = true }

        fileprivate mutating func remembered(_ handle: Data?) { hasHandle = handle != nil }

        fileprivate mutating func refused() { wasRefused = true }

        fileprivate mutating func resumed() { hasResumed = true }

        mutating func beganAnew() {
            hasHandle = false
            hasBegunAnew = true
        }
    }

    var memory: Memory { state.withLock { $0.memory } }

    /// Journals a handle, or that there is none any more.
    ///
    /// Also in a task that was cancelled: what is known of work that was begun is worth keeping.
    func remember(_ handle: Data?) async throws {
        let token = try state.withLock { state in
            guard !state.isOver else { throw AIServiceError.rememberedTooLate }
            if handle != nil { state.memory.begun() }
            return state.token
        }
        let memory = AttemptMemory(flight: flight, token: token, handle: handle)
        guard try await seams.journal.commit(.remember(memory)) == .done else {
            // The flight is not this attempt's any more, and nobody here may have heard of that yet.
            state.withLock { $0.memory.refused() }
            throw CancellationError()
        }
        state.withLock { $0.memory.remembered(handle) }
    }

    /// Whether the flight is not settled.
    func isWanted() async throws -> Bool {
        let lives = try await seams.journal.read { [flight] store in try store.flights([flight]) }
        return lives[flight].map { !$0.isSettled } ?? false
    }

    /// Takes over what earlier attempts yielded: the answer is that, and what follows.
    func resume(_ flight: QueuedFlight) async throws {
        let isNew = try state.withLock { state in
            guard !state.isOver else { throw AIServiceError.resumedTooLate }
            guard state.memory.wasGiven else { throw AIServiceError.nothingToResume }
            defer { state.memory.resumed() }
            return !state.memory.hasResumed
        }
        guard isNew, policy != nil, let kept = flight.remembered else { return }
        do {
            try await takeOver(kept, of: flight)
        } catch {
            // A part of the answer is missing, so there can be none, whatever the provider says.
            let failure = error is CancellationError ? .attemptCancelled : AIServiceError(storing: error)
            state.withLock { $0.failure = $0.failure ?? failure }
            throw error
        }
    }

    private func takeOver(_ kept: RememberedWork, of flight: QueuedFlight) async throws {
        var next = 0
        while next < kept.keptChunks {
            try Task.checkCancellation()
            let position = StreamPosition(generation: flight.lifecycle.generation, sequence: next)
            let page = try await seams.journal.read { [id = flight.request.id] store in
                try store.stream(of: id, from: position, maximumBytes: Self.pieceBytes)
            }
            guard let page, page.flight == self.flight, page.generation == position.generation, !page.chunks.isEmpty
            else { throw AIServiceError.keptUnreadable }
            let chunks = page.chunks.prefix(kept.keptChunks - next)
            let now = seams.clock.now
            let isFull = state.withLock { state in
                for chunk in chunks {
                    state.unwritten.append(chunk.bytes)
                    state.byteCount += chunk.bytes.count
                }
                schedule(&state, now: now)
                return self.isFull(state)
            }
            next += chunks.count
            if isFull { try await waitForRoom() }
        }
    }
}

extension AIServiceError {
    static let keptUnreadable = AIServiceError(
        .storageFailed, "What earlier attempts yielded cannot be read now, so nothing can follow it. Try again.",
        disposition: .retry(after: nil))
}
