import Foundation
import OrderedCollections

extension EngineCore {
    // MARK: Beginning and ending

    /// Begins to wait for an outcome. Returns whether it may: not where nothing is announced.
    mutating func wait(_ waiter: Waiter<RequestStatus>, for id: UUID) -> Bool {
        guard !isSilent else { return false }
        watched.add(waiter, of: id)
        return true
    }

    /// Begins a stream. Returns its number; `nil` where nothing is announced.
    mutating func begin(
        _ stream: AsyncThrowingStream<RequestStatus, any Error>.Continuation, of id: UUID
    ) -> Int? {
        isSilent ? nil : watched.begin(stream, of: id)
    }

    /// A watched request was found on disk, and this flight does its work: from now on it hears of it. What a commit told
    /// of its flight meanwhile is newer.
    mutating func attach(_ id: UUID, to flight: FlightID) {
        if !watched.contains(id) { watched.attach(id, to: flight) }
    }

    // MARK: Announcing

    /// A provider reported progress. That of an attempt which was stopped, or has ended, is no one's any more.
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

    /// Ends the waits for the members of a flight that did not end: its start or its end could not be recorded. Where the
    /// outcome of that commit is unknown they keep waiting, because the process reads the rows again.
    mutating func failWatchers(of flight: FlightID, with error: any Error) {
        if error.isUncertain { return }
        let ended = watched.removeMembers(of: flight)
        if !ended.isEmpty { effects.append(.end(ended, .failure(error))) }
    }

    // MARK: Other processes

    /// A watched request ended elsewhere: its outcome is in the store.
    mutating func look(at id: UUID) {
        if readers > 0 { effects.append(.wakeReaders(of: id)) }
        if let look = watched.look(at: id) { effects.append(.look(look)) }
    }

    /// The outcome of a watched request was read from the store; or it could not be found or read at last. Where something
    /// was heard since the look began, the store is looked at again: what was heard may be older than what is there.
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

    /// Listens to other processes' commits while an engine works or someone watches, and not otherwise.
    mutating func updateListening() {
        guard configuration.isShared else { return }
        let isWanted = !isClosed || !isSilent && (!watched.isEmpty || readers > 0)
        guard isWanted != isListening else { return }
        isListening = isWanted
        effects.append(.listen(isWanted))
    }
}
