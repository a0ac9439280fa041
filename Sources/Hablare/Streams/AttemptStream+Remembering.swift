import Foundation

/// What an attempt leaves for the next one, and takes over from the one before.
extension AttemptStream {
    /// What there is to go on with.
    struct Memory: Sendable, Hashable {
        enum Resumption: Sendable, Hashable {
            case none
            /// It has not said that it goes on with it.
            case given
            /// It has, and what was kept of the answer is being read.
            case underWay
            /// What it yields follows what was kept.
            case done
        }

        /// How many chunks of an earlier attempt's output are journalled.
        let keptChunks: Int
        private(set) var resumption: Resumption
        /// Whether the next attempt has a handle, as far as is known here: the store knows better where this is uncertain.
        private(set) var hasHandle: Bool
        /// How many writes of a handle are on their way to the store, or may have been made without its answer.
        private var writes = 0
        /// Whether this attempt left one or tried to: either way it has begun work that may be billed.
        private(set) var hasRemembered = false
        /// Whether the store did not take what it was to remember, because the attempt is not its flight's any more.
        private(set) var wasRefused = false
        /// Whether it did not go on with what it was given, and answered all the same.
        private(set) var hasBegunAnew = false

        init(of flight: QueuedFlight) {
            keptChunks = flight.remembered?.keptChunks ?? 0
            hasHandle = flight.remembered != nil
            resumption = hasHandle ? .given : .none
        }

        /// Whether only the store knows if there is a handle: one is on its way there, or out of it, or the outcome of such
        /// a write is unknown.
        var isUncertain: Bool { writes > 0 }

        /// Whether it has said that it goes on with what it was given: then it has begun nothing.
        var goesOn: Bool { resumption == .underWay || resumption == .done }

        /// Whether what it answers follows what it was given, or it was given nothing.
        var mayAnswer: Bool { resumption == .none || resumption == .done }

        fileprivate mutating func begun(_ handle: Data?) {
            writes += 1
            if handle != nil { hasRemembered = true }
        }

        /// - Parameter wasTaken: Whether the store took it.
        fileprivate mutating func written(_ handle: Data?, wasTaken: Bool) {
            writes -= 1
            if wasTaken { hasHandle = handle != nil } else { wasRefused = true }
        }

        /// The store failed: all is as before, unless it may have made the write.
        fileprivate mutating func writingFailed(with error: any Error) {
            if !error.isUncertain { writes -= 1 }
        }

        fileprivate mutating func resuming() { resumption = .underWay }

        fileprivate mutating func resumed() { resumption = .done }

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
            state.memory.begun(handle)
            return state.token
        }
        let wasTaken: Bool
        do {
            let memory = AttemptMemory(flight: flight, token: token, handle: handle)
            wasTaken = try await seams.journal.commit(.remember(memory)) == .done
        } catch {
            state.withLock { $0.memory.writingFailed(with: error) }
            throw error
        }
        state.withLock { $0.memory.written(handle, wasTaken: wasTaken) }
        // The flight is not this attempt's any more, and nobody here may have heard of that yet.
        guard wasTaken else { throw CancellationError() }
    }

    func isWanted() async throws -> Bool {
        let (token, generation) = state.withLock { ($0.token, $0.generation) }
        let lives = try await seams.journal.read { [flight] store in try store.flights([flight]) }
        return lives[flight]?.isWanted(workOf: token, in: generation) ?? false
    }

    /// Takes over what earlier attempts yielded: the answer is that, and what follows.
    func resume(_ flight: QueuedFlight) async throws {
        let isNew = try state.withLock { state in
            guard !state.isOver else { throw AIServiceError.resumedTooLate }
            guard state.memory.resumption != .none else { throw AIServiceError.nothingToResume }
            guard !state.memory.goesOn else { return false }
            // What was yielded before was refused, and is no beginning of an answer.
            if let failure = state.failure { throw failure }
            state.memory.resuming()
            return true
        }
        guard isNew else { return try await waitForResumption() }
        defer { endResumption() }
        guard policy != nil, let kept = flight.remembered else { return }
        do {
            try await takeOver(kept, of: flight)
        } catch {
            // A part of the answer is missing, so there can be none, whatever the provider says.
            let failure = error is CancellationError ? .attemptCancelled : AIServiceError(storing: error)
            state.withLock { $0.failure = $0.failure ?? failure }
            throw error
        }
    }

    /// What was kept has been taken over, or cannot be: lets those go on who yielded meanwhile.
    private func endResumption() {
        let waiting = state.withLock { state in
            if state.failure == nil, !state.isOver { state.memory.resumed() }
            return state.resuming.leave()
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Somebody else says it, too: it holds once what was kept is taken over.
    private func waitForResumption() async throws {
        await wait(in: \.resuming) { !$0.isResuming }
        try Task.checkCancellation()
        let failure = state.withLock { $0.memory.resumption == .done ? nil : $0.failure }
        if let failure { throw failure }
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
            let isFull = try state.withLock { state in
                guard !state.isOver else { throw AIServiceError.resumedTooLate }
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
