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
        /// What the streams were told last, which they are not told again.
        var told: [Int: RequestStatus] = [:]
        var progress: Double?
        /// The flight that does its work, as far as it was told.
        var flight: FlightID?
        /// Submissions of the request that are being written: until they are, the store does not know it.
        var unwritten = 0

        var isEmpty: Bool { waiters.isEmpty && streams.isEmpty }

        /// Tells a stream what is not final.
        mutating func tell(_ status: RequestStatus, to number: Int) {
            told[number] = status
            streams[number]?.yield(status)
        }
    }

    private struct State: Sendable {
        private(set) var watched: [UUID: Watched] = [:]
        /// The watched requests by their flight, in the order they were attached.
        private var aboard: [FlightID: OrderedSet<UUID>] = [:]
        var lastStream = 0
        var isShutDown = false
        /// The number of the last decision whether to tell anybody anything.
        var lastDecision = 0

        subscript(id: UUID) -> Watched? {
            get { watched[id] }
            _modify { yield &watched[id] }
        }

        /// Changes what is watched, if it is: in place, with one look at the table.
        @discardableResult
        mutating func change<R>(_ id: UUID, _ change: (inout Watched) -> R) -> R? {
            guard let index = watched.index(forKey: id) else { return nil }
            return change(&watched.values[index])
        }

        mutating func watch(_ id: UUID, _ change: (inout Watched) -> Void) {
            change(&watched[id, default: Watched()])
        }

        /// Whether members of a flight were attached.
        func hasAboard(_ flight: FlightID) -> Bool { aboard[flight] != nil }

        func members(of flight: FlightID, ledBy leader: UUID) -> [UUID] {
            guard let aboard = aboard[flight] else { return [leader] }
            return aboard.contains(leader) ? Array(aboard) : [leader] + aboard
        }

        mutating func attach(_ id: UUID, to flight: FlightID) {
            guard let index = watched.index(forKey: id), watched.values[index].flight != flight else { return }
            if watched.values[index].flight != nil { detach(id) }
            watched.values[index].flight = flight
            aboard[flight, default: []].append(id)
        }

        private mutating func detach(_ id: UUID) {
            guard let flight = watched[id]?.flight else { return }
            detach(id, from: flight)
        }

        private mutating func detach(_ id: UUID, from flight: FlightID) {
            if aboard[flight]?.count == 1 { aboard[flight] = nil } else { aboard[flight]?.remove(id) }
        }

        @discardableResult
        mutating func remove(_ id: UUID) -> Watched? {
            guard let removed = watched.removeValue(forKey: id) else { return nil }
            if let flight = removed.flight { detach(id, from: flight) }
            return removed
        }

        mutating func removeAll() -> [UUID: Watched] {
            defer {
                watched = [:]
                aboard = [:]
            }
            return watched
        }
    }

    private let state = Guarded(State())
    /// The readers of chunks, who are told what may be the end of their stream.
    package let chunks = ChunkHub()
    /// Tells whose waits ended for the time being that they may begin anew.
    package let revivals = Broadcast<Revival>()

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
                state.watch(id) { watched in
                    watched.waiters.append(waiter)
                    if !isWritten { watched.unwritten += 1 }
                }
            }
            return state.isShutDown
        }
        if isShutDown { waiter.resolve(.failure(AIServiceError.suspended)) }
        return waiter
    }

    /// The request is on disk now, or will not be.
    package func submissionEnded(of id: UUID) {
        state.withLock { state in
            state.change(id) { $0.unwritten = max(0, $0.unwritten - 1) }
        }
    }

    /// Nobody waits on this waiter any more.
    package func forget(_ waiter: OutcomeWaiter, of id: UUID) {
        state.withLock { state in
            let isEmpty = state.change(id) { watched in
                watched.waiters.removeAll { $0 === waiter }
                return watched.isEmpty
            }
            if isEmpty == true { state.remove(id) }
        }
    }

    /// Begins a stream. Statuses that a slow reader has not read are replaced by newer ones; the outcome never is.
    package func stream(of id: UUID) -> (number: Int, statuses: AsyncThrowingStream<RequestStatus, any Error>) {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: RequestStatus.self, throwing: (any Error).self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.lastStream += 1
            let number = state.lastStream
            if !state.isShutDown { state.watch(id) { $0.streams[number] = continuation } }
            return state.isShutDown ? nil : state.lastStream
        }
        guard let number else {
            continuation.finish(throwing: AIServiceError.suspended)
            return (0, stream)
        }
        continuation.onTermination = { [weak self] _ in self?.endStream(number, of: id) }
        return (number, stream)
    }

    /// Tells a new stream what was true when it began, unless it has been told something newer, and answers with what is
    /// to be read. What is final is told in any case, also when nobody announces anything any more: what came after it
    /// can only be the echo of something older.
    package func begin(
        _ stream: (number: Int, statuses: AsyncThrowingStream<RequestStatus, any Error>), of id: UUID,
        with status: RequestStatus
    ) -> AsyncThrowingStream<RequestStatus, any Error> {
        guard !status.isFinal else {
            endStream(stream.number, of: id)
            return AsyncThrowingStream { continuation in
                continuation.yield(status)
                continuation.finish()
            }
        }
        state.withLock { state in
            _ = state.change(id) { watched in
                if watched.told[stream.number] == nil { watched.tell(status, to: stream.number) }
            }
        }
        return stream.statuses
    }

    private func endStream(_ number: Int, of id: UUID) {
        state.withLock { state in
            state[id]?.streams[number] = nil
            state[id]?.told[number] = nil
            if state[id]?.isEmpty == true { state.remove(id) }
        }
    }

    /// From now on a watched request hears what is announced of its flight.
    package func attach(_ id: UUID, to flight: FlightID) {
        state.withLock { $0.attach(id, to: flight) }
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
        state.withLock { state in state[id].map { $0.waiters.count + $0.streams.count } ?? 0 }
    }

    /// The last progress a provider reported of a request that is watched.
    package func progress(of id: UUID) -> Double? {
        state.withLock { $0[id]?.progress }
    }

    // MARK: Announcing

    /// Announces a status. A final one ends all waiting and all streams of the request; what a stream was told last it
    /// is not told again.
    ///
    /// Streams are told under the lock, so that of two announcements the later one is what a slow reader finds; they
    /// are ended outside it, because the end of a stream comes back here.
    package func announce(_ status: RequestStatus, of id: UUID) {
        if status.phase != .executing { chunks.statusChanged(of: id) }
        let ended = state.withLock { state -> Watched? in
            Self.announce(status, of: id, &state)
        }
        guard let ended else { return }
        for continuation in ended.streams.values { continuation.finish() }
        for waiter in ended.waiters { waiter.resolve(.success(status)) }
    }

    /// Announces what is not final of a flight, to whoever watches one of its members.
    ///
    /// - Parameter leader: A member that hears of it whether it was attached or not.
    package func announce(_ status: RequestStatus, of flight: FlightID, ledBy leader: UUID) {
        state.withLock { state in
            guard state.hasAboard(flight) else { return _ = Self.announce(status, of: leader, &state) }
            for id in state.members(of: flight, ledBy: leader) { _ = Self.announce(status, of: id, &state) }
        }
    }

    private static func announce(_ status: RequestStatus, of id: UUID, _ state: inout State) -> Watched? {
        if status.isFinal {
            guard let watched = state.remove(id) else { return nil }
            for continuation in watched.streams.values { continuation.yield(status) }
            return watched
        }
        state.change(id) { watched in
            if case .executing(let progress) = status { watched.progress = progress }
            for number in watched.streams.keys where watched.told[number] != status { watched.tell(status, to: number) }
        }
        return nil
    }

    /// Ends the waiting for the members of a flight that did not end: its outcome could not be recorded.
    package func fail(_ flight: FlightID, ledBy leader: UUID, with error: any Error) {
        let ended = state.withLock { state in
            state.members(of: flight, ledBy: leader).compactMap { state.remove($0) }
        }
        end(ended, with: error)
    }

    /// Ends the waiting for a request that is gone.
    package func fail(_ id: UUID, with error: any Error) {
        end(state.withLock { $0.remove(id) }.map { [$0] } ?? [], with: error)
        chunks.fail(id, with: error)
    }

    /// Nobody will announce anything any more.
    ///
    /// - Parameter decision: The number of the decision. One that is older than the last is without effect.
    package func shutDown(as decision: Int) {
        let all = state.withLock { state -> [Watched] in
            guard decision > state.lastDecision else { return [] }
            state.lastDecision = decision
            state.isShutDown = true
            return state.removeAll().sorted { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }.map(\.value)
        }
        end(all, with: AIServiceError.suspended)
        chunks.shutDown(as: decision)
    }

    /// Announcements will be made (again).
    ///
    /// - Parameter decision: The number of the decision. One that is older than the last is without effect.
    package func open(as decision: Int) {
        state.withLock { state in
            guard decision > state.lastDecision else { return }
            state.lastDecision = decision
            state.isShutDown = false
        }
        chunks.open(as: decision)
    }

    private func end(_ watched: [Watched], with error: any Error) {
        for watched in watched {
            for continuation in watched.streams.values { continuation.finish(throwing: error) }
            for waiter in watched.waiters { waiter.resolve(.failure(error)) }
        }
    }
}
