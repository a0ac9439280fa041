package import Foundation

/// Tells whoever watches what became of a request.
///
/// Holds nothing of a request that nobody watches, and nothing at all of a finished one: a payload lives in the store
/// and in the hands of those who asked for it.
package final class StatusHub: Sendable {
    private struct Watched: Sendable {
        var waiters: [OutcomeWaiter] = []
        var streams: [Int: AsyncThrowingStream<RequestStatus, any Error>.Continuation] = [:]
        /// Streams that have been told something, and need not be told what was true before.
        var informed: Set<Int> = []
        var progress: Double?

        var isEmpty: Bool { waiters.isEmpty && streams.isEmpty }
    }

    private struct State: Sendable {
        var watched: [UUID: Watched] = [:]
        var lastStream = 0
        var isShutDown = false
    }

    private let state = Guarded(State())

    package init() {}

    // MARK: Watching

    /// Begins to wait for an outcome: to be called before the request can possibly end.
    package func expectOutcome(of id: UUID) -> OutcomeWaiter {
        let waiter = OutcomeWaiter()
        let isShutDown = state.withLock { state in
            if !state.isShutDown { state.watched[id, default: Watched()].waiters.append(waiter) }
            return state.isShutDown
        }
        if isShutDown { waiter.resolve(.failure(AIServiceError.suspended)) }
        return waiter
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

    /// Tells a new stream what was true when it began, unless it has been told something newer.
    package func begin(_ number: Int, of id: UUID, with status: RequestStatus) {
        let continuation = state.withLock { state in
            state.watched[id].flatMap { $0.informed.contains(number) ? nil : $0.streams[number] }
        }
        continuation?.yield(status)
        if status.isFinal { continuation?.finish() }
    }

    private func endStream(_ number: Int, of id: UUID) {
        state.withLock { state in
            state.watched[id]?.streams[number] = nil
            state.watched[id]?.informed.remove(number)
            if state.watched[id]?.isEmpty == true { state.watched[id] = nil }
        }
    }

    /// The requests that somebody watches, in the order of their UUIDs.
    package var watchedIDs: [UUID] {
        state.withLock { $0.watched.keys.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) } }
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
    package func announce(_ status: RequestStatus, of id: UUID) {
        let watched = state.withLock { state -> Watched? in
            guard let watched = state.watched[id] else { return nil }
            if status.isFinal {
                state.watched[id] = nil
            } else {
                if case .executing(let progress) = status { state.watched[id]?.progress = progress }
                state.watched[id]?.informed.formUnion(watched.streams.keys)
            }
            return watched
        }
        guard let watched else { return }
        for continuation in watched.streams.values {
            continuation.yield(status)
            if status.isFinal { continuation.finish() }
        }
        if status.isFinal { for waiter in watched.waiters { waiter.resolve(.success(status)) } }
    }

    /// Ends the waiting for a request that did not end: its outcome could not be recorded.
    package func fail(_ id: UUID, with error: any Error) {
        end(state.withLock { $0.watched.removeValue(forKey: id) }.map { [$0] } ?? [], with: error)
    }

    /// Nobody will announce anything any more.
    package func shutDown() {
        let all = state.withLock { state in
            state.isShutDown = true
            defer { state.watched = [:] }
            return Array(state.watched.values)
        }
        end(all, with: AIServiceError.suspended)
    }

    /// Announcements will be made (again).
    package func open() {
        state.withLock { $0.isShutDown = false }
    }

    private func end(_ watched: [Watched], with error: any Error) {
        for watched in watched {
            for continuation in watched.streams.values { continuation.finish(throwing: error) }
            for waiter in watched.waiters { waiter.resolve(.failure(error)) }
        }
    }
}
