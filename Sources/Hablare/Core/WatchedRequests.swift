package import Foundation
package import OrderedCollections

/// The requests that this process waits for or watches.
///
/// It keeps nothing about a request that has no watcher or is final, because the store has the answer. It yields
/// statuses to streams directly, so that a slow reader receives the newest status. It does not end the streams itself,
/// because the end of a stream calls this type again. The caller ends them.
package struct WatchedRequests: Sendable {
    /// The waiters and the status streams of one request.
    package struct Watched: Sendable {
        package fileprivate(set) var waiters: [Waiter<RequestStatus>] = []
        /// The streams, in the order in which they were created. The fixed order makes simulations reproducible.
        package fileprivate(set) var streams:
            OrderedDictionary<Int, AsyncThrowingStream<RequestStatus, any Error>.Continuation> = [:]
        /// The last status that each stream received. The same status is not yielded twice.
        fileprivate var published: [Int: RequestStatus] = [:]
        fileprivate var progress: Double?
        /// The flight that does the request's work. `nil` until the request is known to be on disk.
        fileprivate var flight: FlightID?
        /// The version of the last change of the request.
        fileprivate var version: Int

        fileprivate init(version: Int) { self.version = version }

        var isEmpty: Bool { waiters.isEmpty && streams.isEmpty }

        fileprivate mutating func publish(_ status: RequestStatus, to number: Int) {
            published[number] = status
            streams[number]?.yield(status)
        }

        package func end(with result: Result<RequestStatus, any Error>) {
            for stream in streams.values {
                switch result {
                case .success: stream.finish()
                case .failure(let error): stream.finish(throwing: error)
                }
            }
            for waiter in waiters { waiter.resume(with: result) }
        }
    }

    package struct Look: Sendable, Hashable {
        package let id: UUID
        fileprivate let version: Int
    }

    /// The watched requests of a flight, in the order in which they were attached to it. Usually there is only one.
    private enum Members: Sendable {
        case one(UUID)
        case several(OrderedSet<UUID>)

        var ids: [UUID] {
            switch self {
            case .one(let id): [id]
            case .several(let ids): Array(ids)
            }
        }
    }

    private var watched: [UUID: Watched] = [:]
    private var members: [FlightID: Members] = [:]
    private var lastStream = 0
    /// A counter that grows with each change of a watched request. With it, the result of a read for earlier watchers
    /// is not used for later watchers.
    private var lastVersion = 0

    package init() {}

    // MARK: Looking

    package var isEmpty: Bool { watched.isEmpty }

    /// Returns whether a request is watched and known to be on disk.
    package func contains(_ id: UUID) -> Bool { watched[id]?.flight != nil }

    package func hasMembers(of flight: FlightID) -> Bool { members[flight] != nil }

    /// The watched requests that are known to be on disk, in order of their UUIDs.
    package var known: [UUID] { sorted(watched.filter { $0.value.flight != nil }.map(\.key)) }

    package var ids: [UUID] { sorted(Array(watched.keys)) }

    package func watcherCount(of id: UUID) -> Int { watched[id].map { $0.waiters.count + $0.streams.count } ?? 0 }

    package func progress(of id: UUID) -> Double? { watched[id]?.progress }

    private func sorted(_ ids: [UUID]) -> [UUID] { ids.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) } }

    // MARK: Watching

    package mutating func add(_ waiter: Waiter<RequestStatus>, of id: UUID) {
        let version = nextVersion()
        watched[id, default: Watched(version: version)].waiters.append(waiter)
    }

    private mutating func nextVersion() -> Int {
        lastVersion += 1
        return lastVersion
    }

    package mutating func forget(_ waiter: Waiter<RequestStatus>, of id: UUID) {
        guard let index = watched.index(forKey: id) else { return }
        watched.values[index].waiters.removeAll { $0 === waiter }
        if watched.values[index].isEmpty { remove(id) }
    }

    package mutating func begin(
        _ stream: AsyncThrowingStream<RequestStatus, any Error>.Continuation, of id: UUID
    ) -> Int {
        lastStream += 1
        let version = nextVersion()
        watched[id, default: Watched(version: version)].streams[lastStream] = stream
        return lastStream
    }

    package mutating func endStream(_ number: Int, of id: UUID) {
        guard let index = watched.index(forKey: id) else { return }
        watched.values[index].streams[number] = nil
        watched.values[index].published[number] = nil
        if watched.values[index].isEmpty { remove(id) }
    }

    package mutating func tellFirst(_ status: RequestStatus, to number: Int, of id: UUID) {
        guard let index = watched.index(forKey: id), watched.values[index].published[number] == nil else { return }
        watched.values[index].publish(status, to: number)
    }

    package mutating func attach(_ id: UUID, to flight: FlightID) {
        guard let index = watched.index(forKey: id), watched.values[index].flight != flight else { return }
        if let old = watched.values[index].flight { detach(id, from: old) }
        watched.values[index].flight = flight
        switch members[flight] {
        case nil: members[flight] = .one(id)
        case .one(let other): members[flight] = .several([other, id])
        case .several(var ids):
            members[flight] = nil  // lets the set change in place
            ids.append(id)
            members[flight] = .several(ids)
        }
    }

    private mutating func detach(_ id: UUID, from flight: FlightID) {
        switch members[flight] {
        case nil: break
        case .one: members[flight] = nil
        case .several(var ids):
            members[flight] = nil
            ids.remove(id)
            if !ids.isEmpty { members[flight] = .several(ids) }
        }
    }

    @discardableResult
    package mutating func remove(_ id: UUID) -> Watched? {
        guard let removed = watched.removeValue(forKey: id) else { return nil }
        if let flight = removed.flight { detach(id, from: flight) }
        return removed
    }

    package mutating func removeMembers(of flight: FlightID) -> [Watched] {
        ids(of: flight).compactMap { remove($0) }
    }

    package mutating func removeAll() -> [Watched] {
        let all = ids.compactMap { watched[$0] }
        watched = [:]
        members = [:]
        return all
    }

    // MARK: Announcing

    /// Yields a status to the streams of a request. If the status is final, returns the request's watchers. The caller
    /// must end them.
    package mutating func announce(_ status: RequestStatus, of id: UUID) -> Watched? {
        guard let index = watched.index(forKey: id) else { return nil }
        if status.isFinal {
            let ended = remove(id)
            for stream in ended?.streams.values.elements ?? [] { stream.yield(status) }
            return ended
        }
        let version = nextVersion()
        watched.values[index].version = version
        if case .executing(let progress) = status { watched.values[index].progress = progress }
        for number in watched.values[index].streams.keys where watched.values[index].published[number] != status {
            watched.values[index].publish(status, to: number)
        }
        return nil
    }

    package mutating func announce(_ status: RequestStatus, of flight: FlightID) {
        for id in ids(of: flight) { _ = announce(status, of: id) }
    }

    private func ids(of flight: FlightID) -> [UUID] { members[flight]?.ids ?? [] }

    // MARK: Looking into the store

    package func look(at id: UUID) -> Look? { watched[id].map { Look(id: id, version: $0.version) } }

    package func isCurrent(_ look: Look) -> Bool { watched[look.id]?.version == look.version }
}
