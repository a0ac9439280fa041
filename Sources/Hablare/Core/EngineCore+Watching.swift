import Foundation
import OrderedCollections

extension EngineCore {
    // MARK: Beginning and ending

    /// Adds a waiter for an outcome. Returns `false` if the engine no longer sends outcomes to callers. The caller must
    /// then not wait.
    mutating func wait(_ waiter: Waiter<RequestStatus>, for id: UUID) -> Bool {
        guard !isSilent else { return false }
        watched.add(waiter, of: id)
        return true
    }

    /// Adds a stream of statuses and returns its number. Returns `nil` if the engine no longer sends statuses to
    /// callers.
    mutating func begin(
        _ stream: AsyncThrowingStream<RequestStatus, any Error>.Continuation, of id: UUID
    ) -> Int? {
        isSilent ? nil : watched.begin(stream, of: id)
    }

    /// Attaches a watched request to its flight, so that watchers of the request receive the flight's changes. If a
    /// commit has already attached the request to a flight, this newer attachment stays.
    mutating func attach(_ id: UUID, to flight: FlightID) {
        if !watched.contains(id) { watched.attach(id, to: flight) }
    }

    // MARK: Announcing

    /// Announces a provider's progress to the watchers of its requests. If the attempt was stopped or has ended, the
    /// progress is ignored.
    mutating func progressed(_ key: AttemptKey, to fraction: Double) {
        guard case .running? = attempts[key]?.lifecycle else { return }
        watched.announce(.executing(progress: fraction), of: key.flight)
    }

    mutating func announce(_ status: RequestStatus, of id: UUID) {
        if readers > 0, status.phase != .executing { effects.append(.wakeReaders(of: id)) }
        if let ended = watched.announce(status, of: id) { effects.append(.end([ended], .success(status))) }
    }

    mutating func fail(_ id: UUID, with error: any Error) {
        if readers > 0 { effects.append(.failReaders(of: id, error)) }
        if let ended = watched.remove(id) { effects.append(.end([ended], .failure(error))) }
    }

    /// Ends the waits for a flight whose start or end could not be recorded. If the outcome of the commit is unknown,
    /// the waits continue, because the process will read the rows again.
    mutating func failWatchers(of flight: FlightID, with error: any Error) {
        if error.isUncertain { return }
        let ended = watched.removeMembers(of: flight)
        if !ended.isEmpty { effects.append(.end(ended, .failure(error))) }
    }

    // MARK: Other processes

    /// Starts to read the outcome of a watched request that ended in another process.
    mutating func look(at id: UUID) {
        if readers > 0 { effects.append(.wakeReaders(of: id)) }
        if let look = watched.look(at: id) { effects.append(.look(look)) }
    }

    /// Announces the outcome of a watched request, which was read from the store. If the request was not found or could
    /// not be read, announces this failure.
    ///
    /// If a change of the request arrived after the beginning of the read, the outcome may be out of date, and the
    /// store is read again.
    mutating func found(_ found: Result<RequestStatus, any Error>, by look: WatchedRequests.Look) {
        guard watched.isCurrent(look) else {
            if let again = watched.look(at: look.id) { effects.append(.look(again)) }
            return
        }
        switch found {
        case .success(let status): announce(status, of: look.id)
        case .failure(let error): fail(look.id, with: error)
        }
    }

    /// Starts or stops listening to the commits of other processes. Listening is needed while an engine works or a
    /// request is watched.
    mutating func updateListening() {
        guard configuration.isShared else { return }
        let isWanted = !isClosed || !isSilent && (!watched.isEmpty || readers > 0)
        guard isWanted != isListening else { return }
        isListening = isWanted
        effects.append(.listen(isWanted))
    }
}
