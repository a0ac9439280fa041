package import Foundation
import OrderedCollections

/// Tells whoever watches what became of a request.
///
/// Holds nothing of a request that nobody watches, and nothing at all of a finished one: a payload lives in the store
/// and in the hands of those who asked for it.
package final class StatusHub: Sendable {
    private struct Watched: Sendable {
        var waiters: [OutcomeWaiter] = []
        /// In the order they began, so that a simulation sees them told in the same order.
        var streams: OrderedDictionary<Int, AsyncThrowingStream<RequestStatus, any Error>.Continuation> = [:]
        /// Streams that have been told something, and need not be told what was true before.
        var informed: Set<Int> = []
        var progress: Double?
        /// Submissions of the request that are being written: until they are, the store does not know it.
        var unwritten = 0

        var isEmpty: Bool { waiters.isEmpty && streams.isEmpty }
    }

    private struct State: Sendable {
        var watched: [UUID: Watched] = [:]
        var lastStream = 0
        var isShutDown = false
    }

    private let state = Guarded(State())
    /// The readers of chunks, who are told what may be the end of their stream.
    package let chunks = ChunkHub()

    package init() {}

    // MARK: Watching

    /// Begins to wait for an outcome: to be called before the request can possibly end.
    ///
    /// - Parameter isWritten: Whether the request is on disk. If not, ``submissionEnded(of:)`` is to follow; until then
    ///   nobody concludes from its absence that it was deleted.
    package func expectOutcome(of id: UUID, isWritten: Bool = true) -> OutcomeWaiter {
        let waiter = OutcomeWaiter()
        let isShutDown = state.withLock { state in
            if !state.isShutDown {
                state.watched[id, default: Watched()].waiters.append(waiter)
                if !isWritten { state.watched[id]?.unwritten += 1 }
            }
            return state.isShutDown
        }
        if isShutDown { waiter.resolve(.failure(AIServiceError.suspended)) }
        return waiter
    }

    /// The request is on disk now, or will not be.
    package func submissionEnded(of id: UUID) {
        state.withLock { state in
            guard let watched = state.watched[id] else { return }
            state.watched[id]?.unwritten = max(0, watched.unwritten - 1)
        }
    }

    /// Nobody waits on this waiter any more.
    package func forget(_ waiter: OutcomeWaiter, of id: UUID) {
        state.withLock { state in
            state.watched[id]?.waiters.removeAll { $0 === waiter }
            if state.watched[id]?.isEmpty == true { state.watched[id] = nil }
        }
    }

    /// Begins a stream. Statuses that a slow reader has not read are replaced by newer ones; the outcome never is.
    package func stream(of id: UUID) -> (number: Int, statuses: AsyncThrowingStream<RequestStatus, any Error>) {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: RequestStatus.self, throwing: (any Error).self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.lastStream += 1
            if !state.isShutDown { state.watched[id, default: Watched()].streams[state.lastStream] = continuation }
            return state.isShutDown ? nil : state.lastStream
        }
        guard let number else {
            continuation.finish(throwing: AIServiceError.suspended)
            return (0, stream)
        }
        continuation.onTermination = { [weak self] _ in self?.endStream(number, of: id) }
        return (number, stream)
    }

    /// Tells a new stream what was true when it began, unless it has been told something newer. A final status is
    /// told in any case: what came after it can only be the echo of something older.
    package func begin(_ number: Int, of id: UUID, with status: RequestStatus) {
        let ended = state.withLock { state -> AsyncThrowingStream<RequestStatus, any Error>.Continuation? in
            guard let watched = state.watched[id], let continuation = watched.streams[number] else { return nil }
            if status.isFinal || !watched.informed.contains(number) { continuation.yield(status) }
            return status.isFinal ? continuation : nil
        }
        ended?.finish()
    }

    private func endStream(_ number: Int, of id: UUID) {
        state.withLock { state in
            state.watched[id]?.streams[number] = nil
            state.watched[id]?.informed.remove(number)
            if state.watched[id]?.isEmpty == true { state.watched[id] = nil }
        }
    }

    /// The requests on disk that somebody watches, in the order of their UUIDs.
    package var watchedIDs: [UUID] {
        state.withLock { state in
            state.watched.filter { $0.value.unwritten == 0 }.keys
                .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        }
    }

    /// How many wait for the outcome of a request or watch it.
    package func watcherCount(of id: UUID) -> Int {
        state.withLock { state in state.watched[id].map { $0.waiters.count + $0.streams.count } ?? 0 }
    }

    /// The last progress a provider reported of a request that is watched.
    package func progress(of id: UUID) -> Double? {
        state.withLock { $0.watched[id]?.progress }
    }

    // MARK: Announcing

    /// Announces a status. A final one ends all waiting and all streams of the request.
    ///
    /// Streams are told under the lock, so that of two announcements the later one is what a slow reader finds; they
    /// are ended outside it, because the end of a stream comes back here.
    package func announce(_ status: RequestStatus, of id: UUID) {
        if status.phase != .executing { chunks.statusChanged(of: id) }
        let ended = state.withLock { state -> Watched? in
            guard let watched = state.watched[id] else { return nil }
            for continuation in watched.streams.values { continuation.yield(status) }
            if status.isFinal {
                state.watched[id] = nil
                return watched
            }
            if case .executing(let progress) = status { state.watched[id]?.progress = progress }
            state.watched[id]?.informed.formUnion(watched.streams.keys)
            return nil
        }
        guard let ended else { return }
        for continuation in ended.streams.values { continuation.finish() }
        for waiter in ended.waiters { waiter.resolve(.success(status)) }
    }

    /// Ends the waiting for a request that did not end: its outcome could not be recorded.
    package func fail(_ id: UUID, with error: any Error) {
        end(state.withLock { $0.watched.removeValue(forKey: id) }.map { [$0] } ?? [], with: error)
        chunks.fail(id, with: error)
    }

    /// Nobody will announce anything any more.
    package func shutDown() {
        let all = state.withLock { state in
            state.isShutDown = true
            defer { state.watched = [:] }
            return state.watched.sorted { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }.map(\.value)
        }
        end(all, with: AIServiceError.suspended)
        chunks.shutDown()
    }

    /// Announcements will be made (again).
    package func open() {
        state.withLock { $0.isShutDown = false }
        chunks.open()
    }

    private func end(_ watched: [Watched], with error: any Error) {
        for watched in watched {
            for continuation in watched.streams.values { continuation.finish(throwing: error) }
            for waiter in watched.waiters { waiter.resolve(.failure(error)) }
        }
    }
}
