import Foundation
import HeapModule
import OrderedCollections

/// The rows of an ``InMemoryStore`` and what each write does to them.
struct MemoryTables: Sendable {
    struct RequestRow: Sendable {
        var lifecycle = RequestLifecycle()
        var flight: FlightID
        /// Its own class; that of its flight is the most urgent one of the live members.
        var priority: Priority
        var job: Submission.JobPlace?
        var supersedes: UUID?
        var metadata: [String: String]
        var createdAt: Date
        var finishedAt: Date?
        var error: AIServiceError?
        var deadline: Date?
        /// Whether the response was given up for this request; others of its flight may keep it.
        var isEvicted = false
        var tags: [String] = []
        var trace: TraceContext?
        var isPinned = false
        var keepUntilMerged = false
        var awaitsMerge = false
        var caching = CachePolicy.use
        /// How old the answer was that it found in the cache, in seconds; `nil` where none was found.
        var cacheAge: TimeInterval?
    }

    struct FlightRow: Sendable {
        var lifecycle: FlightLifecycle {
            didSet {
                if lifecycle.tries <= 0 { triedSince = nil }
                if !lifecycle.hasHandle { handle = nil }
            }
        }
        var crew: Crew
        var provider: ProviderID
        var fingerprint: Fingerprint
        var unknownOutcome: UnknownOutcomePolicy
        /// That of the member that leads.
        var job: JobKey?
        var priority: Priority
        var model: String?
        /// Whom it was submitted to, and for which model.
        var origin: FallbackHop
        /// `nil` once erased.
        var request: AIRequest?
        var startedAt: Date?
        /// When the first attempt that counts was sent; forgotten with the last one that does.
        var triedSince: Date?
        /// What an attempt left for the next one; forgotten as soon as the machine knows of none.
        var handle: Data?
    }

    /// When something is to happen to a row; stale once the row has moved on.
    struct Alarm<ID: Sendable>: Comparable, Sendable {
        let date: Date
        let number: Int64
        let id: ID

        static func < (lhs: Self, rhs: Self) -> Bool { (lhs.date, lhs.number) < (rhs.date, rhs.number) }
        static func == (lhs: Self, rhs: Self) -> Bool { (lhs.date, lhs.number) == (rhs.date, rhs.number) }
    }

    /// Where waiting flights queue: all of a provider and class, or those of one job of it.
    struct QueueKey: Hashable {
        var provider: ProviderID
        var job: JobKey?
        var priority: Priority
    }

    /// A flight's place among those of its provider.
    struct Ticket: Comparable, Sendable {
        var priority: Priority
        var flight: FlightID

        static func < (lhs: Self, rhs: Self) -> Bool {
            (lhs.priority, lhs.flight) < (rhs.priority, rhs.flight)
        }
    }

    var requests: [UUID: RequestRow] = [:]
    var flights: [FlightID: FlightRow] = [:]
    var jobs: [JobKey: [Int: UUID]] = [:]
    var responses: [FlightID: AIResponseData] = [:]
    var ledger: [FlightID: [AttemptRecord]] = [:]
    /// Flights by the work they do, and stale ones that are settled and not in the cache.
    var flying: [Fingerprint: [FlightID]] = [:]
    /// The flights whose answers are in the cache.
    var cached: [FlightID: CachedFlight] = [:]
    var ledgerTables = LedgerTables()
    var streams: [FlightID: StreamRow] = [:]
    private var owners: OrderedDictionary<OwnerID, OwnerRegistration> = [:]
    /// Tickets of flights that wait, and stale ones of flights that no longer do: each is checked when it is drawn.
    private var queues: [QueueKey: Heap<FlightID>] = [:]
    /// Flights that back off, and stale alarms of flights that no longer do.
    private var backoffs: [ProviderID: Heap<Alarm<FlightID>>] = [:]
    /// Requests that have a deadline, and stale alarms of those that are final.
    var deadlines = Heap<Alarm<UUID>>()
    private var accounts: OrderedDictionary<AccountID, AccountBudget> = [:]
    private var accountsOfProviders: OrderedDictionary<ProviderID, AccountID> = [:]
    var lastFlight: Int64 = 0
    private var lastOwner: Int64 = 0

    var ownerRecords: [OwnerRecord] {
        let registered = owners.map { OwnerRecord(id: $0.key, registration: $0.value) }
        // Also holders that have no row: whoever sees one retires it, and its leases are broken.
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

    func registration(of owner: OwnerID) -> OwnerRegistration? { owners[owner] }
}

// MARK: - Writes

extension MemoryTables {
    mutating func apply(_ write: StoreWrite) -> WriteReceipt {
        switch write {
        case .registerOwner(let registration):
            lastOwner += 1
            owners[OwnerID(rawValue: lastOwner)] = registration
            return .owner(OwnerID(rawValue: lastOwner))
        case .renewOwner(let owner, let until):
            owners[owner]?.expiresAt = until
            return owners[owner] == nil ? .refused(.staleToken) : .done
        case .retireOwner(let owner, let date):
            return retire(owner, at: date)
        case .submit(let submission):
            return submit(submission)
        case .advance(let flight, let transition, let date):
            return advance(flight, transition, at: date)
        case .start(let start):
            return self.start(start)
        case .append(let group):
            return append(group)
        case .remember(let memory):
            return remember(memory)
        case .settle(let end):
            return settle(end)
        case .cancel(let id, let date):
            return cancel(id, at: date)
        case .retry(let id, let date):
            return retry(id, at: date)
        case .expire(let date, let limit):
            return expire(at: date, limit: limit)
        case .reserve(let request, let date):
            return .permits(
                accounts[request.account, default: AccountBudget()].reserve(
                    request.costs, of: request.limit, now: date))
        case .report(let report, let date):
            accounts[report.account, default: AccountBudget()].note(report, now: date)
            return .done
        case .evict(let id):
            return evict(id)
        case .prune(let place, let limit):
            return prune(through: place, limit: limit)
        case .pin(let id, let isPinned):
            return pin(id, isPinned)
        case .merged(let id):
            return merged(id)
        case .trimCache(let limits, let date, let used, let limit):
            return trimCache(limits, usedBefore: date, noting: used, limit: limit)
        case .uncache(let selection):
            return uncache(selection)
        case .delete(let id, let date):
            return delete(id, at: date)
        }
    }

    mutating func claim(_ query: ClaimQuery) -> Claim {
        let nextDue = endBackoffs(of: query.provider, now: query.now)
        var claimed: [Priority: [ClaimedFlight]] = [:]
        var rest = max(0, query.limit)
        for (priority, share) in query.shares {
            claimed[priority] = take(share, of: priority, query)
            rest -= claimed[priority]?.count ?? 0
        }
        for priority in Priority.allCases where rest > 0 {
            let more = take(rest, of: priority, query)
            claimed[priority, default: []] += more
            rest -= more.count
        }
        return Claim(flights: Priority.allCases.flatMap { claimed[$0] ?? [] }, nextDue: nextDue)
    }

    /// Lets the flights wait whose back-off is over, and answers when the next one's is.
    private mutating func endBackoffs(of provider: ProviderID, now: Date) -> Date? {
        var woken = 0
        while let first = backoffs[provider]?.min {
            guard var flight = flights[first.id], flight.lifecycle.state == .backingOff(until: first.date) else {
                backoffs[provider]?.removeMin()
                continue
            }
            guard first.date <= now else { return first.date }
            guard woken < ClaimQuery.maximumWoken else { return now }
            woken += 1
            backoffs[provider]?.removeMin()
            do throws(FlightLifecycle.Refusal) {
                try flight.lifecycle.backoffEnded()
            } catch {
                continue  // unreachable: it backs off
            }
            flights[first.id] = flight
            enqueue(first.id, flight)
        }
        return nil
    }

    private mutating func take(_ count: Int, of priority: Priority, _ query: ClaimQuery) -> [ClaimedFlight] {
        let key: QueueKey
        switch query.scope {
        case .everything: key = QueueKey(provider: query.provider, job: nil, priority: priority)
        case .job(let job): key = QueueKey(provider: query.provider, job: job, priority: priority)
        case .request(let id): return takeFlights(of: ClaimScope.requests(of: id), count, priority, query)
        }
        var claimed: [ClaimedFlight] = []
        // What is out of time is taken by nobody, and waits for the sweep that ends it.
        var outOfTime: [FlightID] = []
        defer { for id in outOfTime { queues[key]?.insert(id) } }
        while claimed.count < count, let id = queues[key]?.popMin() {
            guard var flight = flights[id], let request = request(for: flight), flight.provider == query.provider,
                flight.priority == priority, key.job.map(flight.crew.jobs.contains) ?? true
            else { continue }  // the ticket is of another provider, of a more urgent time, or of a job that left
            if let deadline = request.deadline, deadline <= query.now {
                outOfTime.append(id)
                continue
            }
            do throws(FlightLifecycle.Refusal) {
                try flight.lifecycle.leased(by: query.owner)
            } catch {
                continue  // the ticket is stale: somebody drew its twin from the other queue, or it was cancelled
            }
            flights[id] = flight
            claimed.append(taken(id, flight, for: request))
        }
        return claimed
    }

    /// Puts a flight where its state says that it is to be found.
    mutating func enqueue(_ id: FlightID, _ flight: FlightRow) {
        if case .backingOff(let until) = flight.lifecycle.state {
            backoffs[flight.provider, default: Heap()].insert(Alarm(date: until, number: id.rawValue, id: id))
        }
        guard flight.lifecycle.state == .waiting else { return }
        for job in [nil] + flight.crew.jobs.map(Optional.some) {
            let key = QueueKey(provider: flight.provider, job: job, priority: flight.priority)
            queues[key, default: Heap()].insert(id)
        }
    }

    private mutating func retire(_ owner: OwnerID, at date: Date) -> WriteReceipt {
        owners[owner] = nil
        let held = flights.filter { $0.value.lifecycle.owner == owner }.sorted { $0.key < $1.key }
        for (id, row) in held {
            var flight = row
            let token = flight.lifecycle.token
            let lost = flight.lifecycle.leaseBroken(row.unknownOutcome, mayRestart: mayRestart(id, row))
            if let lost {
                record(
                    AttemptRecord(
                        attempt: lost, token: token, outcome: .lost, billing: .maybeBilled,
                        startedAt: flight.startedAt ?? date, endedAt: date),
                    of: id)
            }
            flights[id] = flight
            enqueue(id, flight)
            if flight.lifecycle.state == .settled(.failed) {
                for member in members(of: flight).settled(as: .failed) {
                    finish(member.id, member.lifecycle, at: date, error: .streamInterrupted)
                }
            }
        }
        return .broken(flights: held.count)
    }

    private mutating func submit(_ submission: Submission) -> WriteReceipt {
        let answer = cachedAnswer(for: submission)
        let present = submission.job.flatMap { jobs[$0.key]?[$0.position] } ?? submission.request.id
        if let row = requests[present] {
            guard flights[row.flight]?.fingerprint == submission.fingerprint else {
                return .rejected(.conflict(id: present, job: submission.job))
            }
            if let place = submission.job, row.job != place {
                guard row.job == nil else { return .rejected(.placedElsewhere(id: present)) }
                adopt(present, into: place)
            }
            return .submitted(SubmissionReceipt(id: present, flight: row.flight, wasPresent: true))
        }
        if let answer { return answered(submission, by: answer) }
        accountsOfProviders[submission.provider] = submission.account
        if let flight = flightToJoin(submission) { return join(submission, flight) }
        lastFlight += 1
        let id = FlightID(rawValue: lastFlight)
        let request = submission.request
        enter(submission, aboard: id)
        let flight = FlightRow(
            lifecycle: submission.flight,
            crew: Crew(head: request.id, priority: request.priority, job: submission.job?.key),
            provider: submission.provider, fingerprint: submission.fingerprint,
            unknownOutcome: request.unknownOutcome, job: submission.job?.key, priority: request.priority,
            model: request.model,
            origin: FallbackHop(submission.provider, model: request.model), request: request,
            startedAt: submission.flight.isExecuting ? submission.createdAt : nil,
            triedSince: submission.flight.isExecuting ? submission.createdAt : nil)
        flights[id] = flight
        flying[submission.fingerprint, default: []].append(id)
        enqueue(id, flight)
        return .submitted(SubmissionReceipt(id: request.id, flight: id, wasPresent: false))
    }

    /// A request that was submitted on its own becomes part of a job.
    private mutating func adopt(_ id: UUID, into place: Submission.JobPlace) {
        requests[id]?.job = place
        jobs[place.key, default: [:]][place.position] = id
        guard let row = requests[id], var flight = flights[row.flight] else { return }
        if row.lifecycle.state == .live { flight.crew.adopted(into: place.key) }
        if flight.crew.head == id { flight.job = place.key }
        let flightID = row.flight
        flights[flightID] = flight
        enqueue(flightID, flight)
    }

    mutating func advance(_ id: FlightID, _ transition: FlightTransition, at date: Date) -> WriteReceipt {
        guard var flight = flights[id] else { return .refused(.staleToken) }
        guard flight.lifecycle == transition.old else {
            return .refused(flight.lifecycle.refusal(of: transition))
        }
        flight.lifecycle = transition.new
        if transition.new.isExecuting {
            flight.startedAt = date
            flight.triedSince = flight.triedSince ?? date
        }
        flights[id] = flight
        enqueue(id, flight)
        return .done
    }

    private mutating func remember(_ memory: AttemptMemory) -> WriteReceipt {
        guard var flight = flights[memory.flight] else { return .refused(.staleToken) }
        do throws(FlightLifecycle.Refusal) {
            if memory.handle != nil {
                try flight.lifecycle.handleRemembered(token: memory.token)
            } else {
                try flight.lifecycle.handleForgotten(token: memory.token)
            }
        } catch {
            return .refused(error)
        }
        flight.handle = memory.handle
        flights[memory.flight] = flight
        return .done
    }

    private mutating func settle(_ end: AttemptEnd) -> WriteReceipt {
        guard var flight = flights[end.flight] else { return .refused(.staleToken) }
        let isRestTaken = end.rest.map { append($0) == .done } ?? true
        let ending = AttemptEnding(end, flight: flight.lifecycle, members: members(of: flight))
        if let line = ending.record, record(line, of: end.flight), end.isReserved {
            settleReservations(of: end.flight, by: line)
        }
        if case .refused = ending.receipt { return ending.receipt }
        flight.lifecycle = ending.flight
        if let next = ending.diversion {
            flight.provider = next.hop.provider
            flight.model = next.hop.model
            flight.request?.model = next.hop.model
            accountsOfProviders[next.hop.provider] = next.account
        }
        flights[end.flight] = flight
        for member in ending.finished { finish(member.id, member.lifecycle, at: end.endedAt, error: ending.error) }
        if !ending.flight.isSettled { muster(end.flight, anew: true) }
        if let response = ending.response {
            responses[end.flight] = response
            if end.entersCache { enterCache(end.flight, response) }
        }
        if end.isStreaming, flight.lifecycle.state == .settled(.completed) {
            if !isRestTaken, let rest = end.rest { add(rest) }
            streamCompleted(end.flight, generation: end.lifecycle.generation)
        }
        return ending.receipt
    }

    private mutating func cancel(_ id: UUID, at date: Date) -> WriteReceipt {
        guard var row = requests[id] else { return .unknownRequest }
        if case .refused(let state) = row.lifecycle.cancelRequested() { return .invalidState(state) }
        finish(id, row.lifecycle, at: date, error: nil)
        return left(row.flight, at: date)
    }

    private mutating func expire(at date: Date, limit: Int) -> WriteReceipt {
        var expired: [ExpiredRequest] = []
        while let first = deadlines.min {
            guard var row = requests[first.id], row.lifecycle.state == .live, row.deadline == first.date,
                row.flight.rawValue == first.number  // else the UUID was deleted and used anew
            else {
                deadlines.removeMin()
                continue
            }
            guard first.date <= date, expired.count < limit else {
                return .expired(expired, next: first.date)
            }
            deadlines.removeMin()
            _ = row.lifecycle.flightSettled(.failed)
            finish(first.id, row.lifecycle, at: date, error: .deadlineExceeded)
            let token = memberLeft(row.flight, as: .failed, at: date)
            expired.append(ExpiredRequest(id: first.id, flight: row.flight, token: token))
        }
        return .expired(expired, next: nil)
    }

    /// Enters an attempt; answers whether its line is the ledger's, or an earlier one stays.
    @discardableResult
    mutating func record(_ attempt: AttemptRecord, of id: FlightID) -> Bool {
        var records = ledger[id] ?? []
        var attempt = attempt
        attempt.provider = flights[id]?.provider
        attempt.model = flights[id]?.model
        if let index = records.firstIndex(where: { $0.attempt == attempt.attempt }) {
            guard attempt.replaces(records[index]) else { return false }
            // Whom it was for does not change, though the flight may have moved on to another one.
            (attempt.provider, attempt.model) = (records[index].provider, records[index].model)
            records.remove(at: index)
        }
        records.append(attempt)
        ledger[id] = records
        return true
    }
}
