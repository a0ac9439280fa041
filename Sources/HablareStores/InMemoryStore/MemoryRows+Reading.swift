import Foundation
import Hablare
import OrderedCollections

extension MemoryRows {
    // MARK: Requests

    func snapshot(of id: UUID, countingAhead: Bool) -> RequestSnapshot? {
        guard let row = requests[id], let submission = submissions[id], let flight = flights[row.flight] else {
            return nil
        }
        var snapshot = RequestSnapshot(
            id: id, flight: row.flight, job: row.job?.key, position: row.job?.position, providerID: flight.provider,
            model: flight.model, priority: row.priority, phase: RequestPhase(row.lifecycle.state, flight.lifecycle),
            error: row.error,
            attempts: row.cacheAge == nil ? flight.lifecycle.attempt : 0, deadline: row.deadline,
            createdAt: submission.createdAt,
            finishedAt: row.finishedAt,
            supersedes: submission.supersedes, isPinned: row.isPinned, awaitsMerge: row.awaitsMerge,
            isFromCache: row.cacheAge != nil, metadata: submission.request.metadata,
            tags: row.tags)
        if snapshot.phase == .pending {
            snapshot.waiting = flight.lifecycle.waitReason {
                countingAhead ? flightsAhead(of: row.flight, flight) : nil
            }
            if flight.head != id, snapshot.waitsForItsLane { snapshot.waiting = .following(flight.head) }
        }
        if let owner = flight.lifecycle.owner.flatMap({ owners[$0] }) {
            snapshot.holder = RequestSnapshot.Holder(host: owner.host, processID: owner.processID)
        }
        return snapshot
    }

    private func flightsAhead(of id: FlightID, _ flight: FlightRow) -> Int {
        let ahead = flights.count { other in
            guard other.value.provider == flight.provider else { return false }
            switch other.value.lifecycle.state {
            case .waiting, .leased: return (other.value.priority, other.key) < (flight.priority, id)
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
            ids = requests.keys.sorted { $0.precedes($1) }
        }
        if let after = filter.after, !filter.continuesByPosition {
            if filter.ids == nil, filter.job == nil {
                // Compares UUIDs instead of searching for the request, which may have been deleted since.
                ids = Array(ids.drop { !after.precedes($0) })
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

    func storedRequest(of id: UUID) -> StoredRequest? {
        guard let row = requests[id], let flight = flights[row.flight] else { return nil }
        guard var request = prompts[row.flight]?.named(id) else { return nil }
        request.model = flight.origin.model
        request.priority = row.priority
        request.deadline = row.deadline
        submissions[id]?.label(&request)
        return StoredRequest(request: request, provider: flight.origin.provider, job: row.job)
    }

    // MARK: Answers

    func response(to id: UUID) -> AIResponseData? {
        guard let row = requests[id], row.lifecycle.state == .completed else { return nil }
        var response = responses[row.flight]?.addressed(to: id)
        if let age = row.cacheAge { response = response?.fromCache(age: age) }
        return row.isEvicted ? response?.evicted() : response
    }

    func keptAnswer(to id: UUID) -> AIResponseData? {
        guard let row = requests[id], flights[row.flight]?.lifecycle.state != .settled(.completed) else { return nil }
        return responses[row.flight]?.addressed(to: id)
    }

    func cachedAnswer(_ query: CacheQuery) -> CachedAnswer? {
        let answers = flights(for: query.fingerprint).compactMap { id -> CachedAnswer? in
            guard let flight = flights[id], flight.usedAt != nil, let response = responses[id],
                query.window.contains(response.receivedAt)
            else { return nil }
            return CachedAnswer(flight: id, response: response.addressed(to: flight.head))
        }
        return answers.max { ($0.response.receivedAt, $0.flight) < ($1.response.receivedAt, $1.flight) }
    }

    func stream(of id: UUID, from position: StreamPosition, maximumBytes: Int) -> StreamPage? {
        guard let request = requests[id], let flight = flights[request.flight] else { return nil }
        var page = StreamPage(flight: request.flight, phase: RequestPhase(request.lifecycle.state, flight.lifecycle))
        guard let output = outputs[request.flight], !request.isEvicted else {
            page.isWhole = page.phase == .completed
            if page.isWhole { page.generation = flight.lifecycle.generation }
            return page
        }
        page.generation = output.generation
        guard let first = StreamPage.begin(of: output.generation, for: position), first < output.ends.count else {
            return page
        }
        let bytes = output.bytes ?? inlineBytes(of: request.flight)
        var total = 0
        for sequence in first..<min(output.ends.count, first + StreamPage.maximumChunks) {
            let start = sequence == 0 ? 0 : output.ends[sequence - 1]
            let chunk = bytes.dropFirst(start).prefix(output.ends[sequence] - start)
            page.chunks.append(
                StreamChunk(
                    position: StreamPosition(generation: output.generation, sequence: sequence), bytes: Data(chunk)))
            total += chunk.count
            if total >= maximumBytes { break }
        }
        return page
    }

    private func inlineBytes(of flight: FlightID) -> Data {
        guard case .success(let content) = responses[flight]?.result, case .inline(let data) = content.body?.storage
        else { return Data() }
        return data
    }

    // MARK: Owners, accounts

    var ownerRecords: [OwnerRecord] {
        let registered = owners.map { OwnerRecord(id: $0.key, registration: $0.value) }
        // Includes holders that are not registered, so that another process retires them and breaks their leases.
        let unknown = Set(flights.values.compactMap(\.lifecycle.owner)).filter { owners[$0] == nil }.map { owner in
            OwnerRecord(
                id: owner,
                registration: OwnerRegistration(
                    host: "", processID: 0, lockName: "", expiresAt: Date(timeIntervalSince1970: 0)))
        }
        return (registered + unknown).sorted { $0.id < $1.id }
    }

    var accountRecords: [AccountRecord] {
        accounts.map { id, budget in
            let providers = accountsOfProviders.filter { $0.value == id }.keys.sorted { $0.rawValue < $1.rawValue }
            return AccountRecord(id: id, providers: providers, budget: budget)
        }.sorted { $0.id < $1.id }
    }

    // MARK: The ledger, retention

    func attempts(of id: UUID) -> [AttemptRecord] {
        guard let row = requests[id], row.cacheAge == nil else { return [] }
        return (ledger[row.flight] ?? []).sorted { $0.attempt < $1.attempt }
    }

    func ledger(_ query: LedgerQuery) -> LedgerReport {
        var total = LedgerTally()
        var tallies: [String?: LedgerTally] = [:]
        for (id, records) in ledger {
            let job = flights[id]?.job
            let tags = tags[id] ?? []
            guard query.job == nil || query.job == job, query.tag.map(tags.contains) ?? true else { continue }
            for record in records where query.covers(record) {
                total.add(record)
                for key in query.keys(of: record, job: job, tags: Array(tags)) {
                    tallies[key, default: LedgerTally()].add(record)
                }
            }
        }
        return LedgerReport(unordered: tallies.map { LedgerRow(key: $0.key, sum: $0.value.sum) }, total: total.sum)
    }

    var budgetRecords: [BudgetRecord] {
        budgets.map { key, account in
            BudgetRecord(budget: key.budget, period: key.period, spent: account.spent, unknown: account.unknown)
        }.sorted { ($0.budget, $0.period) < ($1.budget, $1.period) }
    }

    func prunePlan(_ retention: Retention, at date: Date) -> PrunePlan {
        var plan = PrunePlan(retention, at: date)
        for response in unprotected.reversed() { plan.consider(response.position, bytes: response.bytes) }
        return plan
    }

    var statistics: StoreStatistics {
        var statistics = StoreStatistics()
        for row in requests.values {
            guard let flight = flights[row.flight] else { continue }
            statistics.requests[RequestPhase(row.lifecycle.state, flight.lifecycle), default: 0] += 1
        }
        var tally = LedgerTally()
        for record in ledger.values.joined() { tally.add(record) }
        statistics.attempts = tally.sum.attempts
        statistics.usage = tally.sum.usage
        (statistics.cachedAnswers, statistics.cachedBytes) = cacheSize()
        return statistics
    }
}

extension LedgerQuery {
    fileprivate func covers(_ record: AttemptRecord) -> Bool {
        !record.wasRefusedByBudget && (from ?? .distantPast) <= record.startedAt
            && record.startedAt < (to ?? .distantFuture)
            && (provider == nil || provider == record.provider)
    }

    fileprivate func keys(of record: AttemptRecord, job: JobKey?, tags: [String]) -> [String?] {
        switch grouping {
        case nil: []
        case .provider: [record.provider?.rawValue]
        case .model: [record.model]
        case .tag: tags.isEmpty ? [nil] : tags
        case .job: [job?.rawValue]
        case .day: [UTCDay(containing: record.startedAt).name]
        }
    }
}
