import Foundation
import HablareSupport

/// The resume handle and the stored chunks that one attempt leaves for the next attempt.
extension AttemptStream {
    /// The state of the resume handle of an attempt.
    struct Memory: Sendable, Hashable {
        enum Resumption: Sendable, Hashable {
            case none
            /// The attempt began with a handle, and the provider has not called ``ProviderCall/resume()`` yet.
            case given
            /// The provider has called ``ProviderCall/resume()``, and the stored chunks of the answer are being read.
            case underWay
            /// The stored chunks were read. New chunks follow them.
            case done
        }

        /// The number of chunks of earlier attempts in the store.
        let keptChunks: Int
        private(set) var resumption: Resumption
        /// Whether the next attempt would receive a handle, as far as this process knows. While ``isUncertain`` is
        /// true, only the store knows.
        private(set) var hasHandle: Bool
        /// The number of handle writes that are in progress or whose outcome is unknown.
        private var writes = 0
        /// Whether this attempt stored a handle or tried to store a handle. If so, the attempt has begun work that may
        /// be billed.
        private(set) var hasStoredHandle = false
        /// Whether the store refused a handle because this attempt no longer holds the flight (another process took it
        /// over, or it ended).
        private(set) var wasRefused = false
        /// Whether the attempt had a handle, but answered without resuming the work of this handle.
        private(set) var hasRestarted = false

        init(of flight: QueuedFlight) {
            keptChunks = flight.resumePoint?.keptChunks ?? 0
            hasHandle = flight.resumePoint != nil
            resumption = hasHandle ? .given : .none
        }

        /// Whether it is uncertain if the store has a handle. This is the case while a handle is being written or
        /// removed, or if the outcome of such a write is unknown.
        var isUncertain: Bool { writes > 0 }

        /// Whether the attempt resumes earlier work, and therefore has not begun new work.
        var isResumed: Bool { resumption == .underWay || resumption == .done }

        /// Whether the attempt may yield output: it had no handle, or it has resumed the work of its handle.
        var mayAnswer: Bool { resumption == .none || resumption == .done }

        fileprivate mutating func begun(_ handle: Data?) {
            writes += 1
            if handle != nil { hasStoredHandle = true }
        }

        /// Updates the state after a write of a handle.
        ///
        /// - Parameter wasTaken: Whether the store accepted the handle.
        fileprivate mutating func written(_ handle: Data?, wasTaken: Bool) {
            writes -= 1
            if wasTaken { hasHandle = handle != nil } else { wasRefused = true }
        }

        /// Updates the state after a failed write of a handle. If the handle was certainly not written, decreases the
        /// count of writes.
        fileprivate mutating func writingFailed(with error: any Error) {
            if !error.isUncertain { writes -= 1 }
        }

        fileprivate mutating func resuming() { resumption = .underWay }

        fileprivate mutating func resumed() { resumption = .done }

        mutating func restarted() {
            hasHandle = false
            hasRestarted = true
        }
    }

    var memory: Memory { state.withLock { $0.memory } }

    /// Writes a handle to the store, or removes it.
    ///
    /// This method also works in a cancelled task, because the handle of work in progress must not be lost.
    func remember(_ handle: Data?) async throws {
        let token = try state.withLock { state in
            guard !state.isOver else { throw AIServiceError.handleTooLate }
            state.memory.begun(handle)
            return state.token
        }
        let wasTaken: Bool
        do {
            let memory = ResumeHandleWrite(flight: flight, token: token, handle: handle)
            wasTaken = try await seams.journal.commit(.remember(memory)) == .done
        } catch {
            state.withLock { $0.memory.writingFailed(with: error) }
            throw error
        }
        state.withLock { $0.memory.written(handle, wasTaken: wasTaken) }
        // This attempt does not hold the flight any more, and the engine may not know that yet.
        guard wasTaken else { throw CancellationError() }
    }

    func isWanted() async throws -> Bool {
        let (token, generation) = state.withLock { ($0.token, $0.generation) }
        let lives = try await seams.journal.read { [flight] store in try store.flights([flight]) }
        return lives[flight]?.isWanted(workOf: token, in: generation) ?? false
    }

    /// Takes over the chunks of earlier attempts, so that the new chunks follow them. The answer then consists of the
    /// earlier and the new chunks.
    func resume(_ flight: QueuedFlight) async throws {
        let isNew = try state.withLock { state in
            guard !state.isOver else { throw AIServiceError.resumedTooLate }
            guard state.memory.resumption != .none else { throw AIServiceError.nothingToResume }
            guard !state.memory.isResumed else { return false }
            // A chunk yielded before was refused, so the answer has no valid start.
            if let failure = state.failure { throw failure }
            state.memory.resuming()
            return true
        }
        guard isNew else { return try await waitForResumption() }
        defer { endResumption() }
        guard policy != nil, let kept = flight.resumePoint else { return }
        do {
            try await takeOver(kept, of: flight)
        } catch {
            // A part of the answer is missing, so the attempt fails, regardless of the provider's result.
            let failure = error is CancellationError ? .attemptCancelled : AIServiceError(storing: error)
            state.withLock { $0.failure = $0.failure ?? failure }
            throw error
        }
    }

    /// Ends the takeover of earlier chunks after success or failure. Calls of `yield` that waited for it continue.
    private func endResumption() {
        let waiting = state.withLock { state in
            if state.failure == nil, !state.isOver { state.memory.resumed() }
            return state.resuming.leave()
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits for the end of a takeover that another call has begun.
    private func waitForResumption() async throws {
        await wait(in: \.resuming) { !$0.isResuming }
        try Task.checkCancellation()
        let failure = state.withLock { $0.memory.resumption == .done ? nil : $0.failure }
        if let failure { throw failure }
    }

    private func takeOver(_ kept: ResumePoint, of flight: QueuedFlight) async throws {
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
        .storageFailed, "The chunks of earlier attempts cannot be read now, so no chunk can follow them. Try again.",
        disposition: .retry(after: nil))
}
