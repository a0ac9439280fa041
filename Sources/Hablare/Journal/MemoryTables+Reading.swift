import Foundation
import OrderedCollections

extension MemoryTables {
    func snapshot(of id: UUID, countingAhead: Bool) -> RequestSnapshot? {
        guard let row = requests[id], let flight = flights[row.flight] else { return nil }
        var snapshot = RequestSnapshot(
            id: id, flight: row.flight, job: row.job?.key, position: row.job?.position, providerID: flight.provider,
            model: flight.model, priority: row.priority, phase: RequestPhase(row.lifecycle.state, flight.lifecycle),
            error: row.error,
            attempts: row.cacheAge == nil ? flight.lifecycle.attempt : 0, deadline: row.deadline,
            createdAt: row.createdAt,
            finishedAt: row.finishedAt,
            supersedes: row.supersedes, isPinned: row.isPinned, awaitsMerge: row.awaitsMerge,
            isFromCache: row.cacheAge != nil, metadata: row.metadata,
            tags: row.tags)
        if snapshot.phase == .pending {
            snapshot.waiting = flight.lifecycle.waitReason {
                countingAhead ? flightsAhead(of: row.flight, flight) : nil
            }
            if flight.crew.head != id, snapshot.waitsForItsLane { snapshot.waiting = .following(flight.crew.head) }
        }
        if let owner = flight.lifecycle.owner.flatMap(registration(of:)) {
            snapshot.holder = RequestSnapshot.Holder(host: owner.host, processID: owner.processID)
        }
        return snapshot
    }

    private func flightsAhead(of id: FlightID, _ flight: FlightRow) -> Int {
        let own = Ticket(priority: flight.priority, flight: id)
        let ahead = flights.count { other in
            guard other.value.provider == flight.provider else { return false }
            switch other.value.lifecycle.state {
            case .waiting, .leased: return Ticket(priority: other.value.priority, flight: other.key) < own
            case .backingOff, .held, .executing, .settled: return false
            }
        }
        return min(ahead, RequestSnapshot.WaitReason.maximumAhead)
    }

    func snapshots(_ filter: SnapshotFilter) -> [RequestSnapshot] {
        var ids: [UUID]
        if let wanted = filter.ids {
            ids = wanted
        } else if let job = filter.job {
            let after = filter.afterPosition ?? .min
            ids = (jobs[job] ?? [:]).filter { $0.key > after || filter.afterPosition == nil }
                .sorted { $0.key < $1.key }.map(\.value)
        } else {
            ids = requests.keys.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        }
        if let after = filter.after, !filter.continuesByPosition {
            if filter.ids == nil, filter.job == nil {
                // By order and not by place: the request itself may have been deleted since.
                ids = Array(ids.drop { !after.bytes.lexicographicallyPrecedes($0.bytes) })
            } else {
                ids = Array(ids.drop { $0 != after }.dropFirst())
            }
        }
        var page: [RequestSnapshot] = []
        for id in ids where page.count < filter.limit {
            guard let snapshot = snapshot(of: id, countingAhead: false) else { continue }
            if filter.admits(snapshot) { page.append(snapshot) }
        }
        return page
    }

    func response(of id: UUID) -> AIResponseData? {
        guard let row = requests[id], row.lifecycle.state == .completed else { return nil }
        var response = responses[row.flight]?.addressed(to: id)
        if let age = row.cacheAge { response = response?.fromCache(age: age) }
        return row.isEvicted ? response?.evicted() : response
    }

    func request(of id: UUID) -> StoredRequest? {
        guard let row = requests[id], let flight = flights[row.flight] else { return nil }
        guard var request = flight.request?.named(id) else { return nil }
        request.model = flight.origin.model
        request.priority = row.priority
        request.deadline = row.deadline
        row.label(&request)
        return StoredRequest(request: request, provider: flight.origin.provider, job: row.job)
    }

    func attempts(of id: UUID) -> [AttemptRecord] {
        guard let row = requests[id], row.cacheAge == nil else { return [] }
        return (ledger[row.flight] ?? []).sorted { $0.attempt < $1.attempt }
    }

    var statistics: StoreStatistics {
        var statistics = StoreStatistics()
        for row in requests.values {
            guard let flight = flights[row.flight] else { continue }
            statistics.requests[RequestPhase(row.lifecycle.state, flight.lifecycle), default: 0] += 1
        }
        for record in ledger.values.joined() {
            statistics.attempts += 1
            statistics.usage.add(record.usage)
        }
        statistics.cachedAnswers = cached.count
        statistics.cachedBytes = cached.values.reduce(0) { $0 + $1.bytes }
        return statistics
    }
}
