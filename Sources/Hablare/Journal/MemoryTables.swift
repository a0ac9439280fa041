import Foundation
import HeapModule
import OrderedCollections

/// The rows of an ``InMemoryStore`` and what each write does to them.
struct MemoryTables: Sendable {
    struct RequestRow: Sendable {
        var lifecycle = RequestLifecycle()
        var flight: FlightID
        var job: Submission.JobPlace?
        var supersedes: UUID?
        var metadata: [String: String]
        var createdAt: Date
        var finishedAt: Date?
        var error: AIServiceError?
    }

    struct FlightRow: Sendable {
        var lifecycle: FlightLifecycle
        var member: UUID
        var provider: ProviderID
        var fingerprint: Fingerprint
        var job: JobKey?
        var priority: Priority
        var model: String?
        /// `nil` once erased.
        var request: AIRequest?
        var startedAt: Date?
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
    private var owners: OrderedDictionary<OwnerID, OwnerRegistration> = [:]
    /// Tickets of flights that wait, and stale ones of flights that no longer do: each is checked when it is drawn.
    private var queues: [QueueKey: Heap<FlightID>] = [:]
    private var lastFlight: Int64 = 0
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
        case .settle(let end):
            return settle(end)
        case .cancel(let id, let date):
            return cancel(id, at: date)
        case .retry(let id, _):
            return retry(id)
        case .evict(let id):
            return evict(id)
        case .delete(let id, let date):
            return delete(id, at: date)
        }
    }

    mutating func claim(_ query: ClaimQuery) -> [ClaimedFlight] {
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
        return Priority.allCases.flatMap { claimed[$0] ?? [] }
    }

    private mutating func take(_ count: Int, of priority: Priority, _ query: ClaimQuery) -> [ClaimedFlight] {
        let key =
            switch query.scope {
            case .everything: QueueKey(provider: query.provider, job: nil, priority: priority)
            case .job(let job): QueueKey(provider: query.provider, job: job, priority: priority)
            }
        var claimed: [ClaimedFlight] = []
        while claimed.count < count, let id = queues[key]?.popMin() {
            guard var flight = flights[id], let request = flight.request else { continue }
            do throws(FlightLifecycle.Refusal) {
                try flight.lifecycle.leased(by: query.owner)
            } catch {
                continue  // the ticket is stale: somebody drew its twin from the other queue, or it was cancelled
            }
            flights[id] = flight
            claimed.append(ClaimedFlight(id: id, lifecycle: flight.lifecycle, request: request))
        }
        return claimed
    }

    private mutating func enqueue(_ id: FlightID, _ flight: FlightRow) {
        for job in Set([nil, flight.job]) {
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
            if let lost = flight.lifecycle.leaseBroken() {
                record(
                    AttemptRecord(
                        attempt: lost, token: token, outcome: .lost, billing: .maybeBilled,
                        startedAt: flight.startedAt ?? date, endedAt: date),
                    of: id)
            }
            flights[id] = flight
            enqueue(id, flight)
        }
        return .broken(flights: held.count)
    }

    private mutating func submit(_ submission: Submission) -> WriteReceipt {
        let present = submission.job.flatMap { jobs[$0.key]?[$0.position] } ?? submission.request.id
        if let row = requests[present] {
            guard flights[row.flight]?.fingerprint == submission.fingerprint else {
                return .rejected(.conflict(id: present, job: submission.job))
            }
            return .submitted(SubmissionReceipt(id: present, flight: row.flight, wasPresent: true))
        }
        lastFlight += 1
        let id = FlightID(rawValue: lastFlight)
        let request = submission.request
        requests[request.id] = RequestRow(
            flight: id, job: submission.job, supersedes: submission.supersedes, metadata: request.metadata,
            createdAt: submission.createdAt)
        if let job = submission.job { jobs[job.key, default: [:]][job.position] = request.id }
        let flight = FlightRow(
            lifecycle: submission.flight, member: request.id, provider: submission.provider,
            fingerprint: submission.fingerprint, job: submission.job?.key, priority: request.priority,
            model: request.model, request: request,
            startedAt: submission.flight.isExecuting ? submission.createdAt : nil)
        flights[id] = flight
        if flight.lifecycle.state == .waiting { enqueue(id, flight) }
        return .submitted(SubmissionReceipt(id: request.id, flight: id, wasPresent: false))
    }

    private mutating func advance(_ id: FlightID, _ transition: FlightTransition, at date: Date) -> WriteReceipt {
        guard var flight = flights[id] else { return .refused(.staleToken) }
        guard flight.lifecycle == transition.old else {
            return .refused(flight.lifecycle.refusal(of: transition))
        }
        flight.lifecycle = transition.new
        if transition.new.isExecuting { flight.startedAt = date }
        flights[id] = flight
        if flight.lifecycle.state == .waiting { enqueue(id, flight) }
        return .done
    }

    private mutating func settle(_ end: AttemptEnd) -> WriteReceipt {
        guard var flight = flights[end.flight] else { return .refused(.staleToken) }
        let member = requests[end.request]
        let ending = AttemptEnding(
            end, flight: flight.lifecycle, member: member?.lifecycle ?? RequestLifecycle(state: .cancelled))
        if let line = ending.record { record(line, of: end.flight) }
        guard ending.receipt == .done else { return ending.receipt }
        flight.lifecycle = ending.flight
        flights[end.flight] = flight
        if flight.lifecycle.state == .waiting { enqueue(end.flight, flight) }
        if ending.member.state != .live { finish(end.request, ending.member, at: end.endedAt, error: ending.error) }
        if let response = ending.response { responses[end.flight] = response }
        return .done
    }

    private mutating func cancel(_ id: UUID, at date: Date) -> WriteReceipt {
        guard var row = requests[id] else { return .unknownRequest }
        if case .refused(let state) = row.lifecycle.cancelRequested() { return .invalidState(state) }
        finish(id, row.lifecycle, at: date, error: nil)
        return memberLeft(row.flight, at: date)
    }

    private mutating func memberLeft(_ id: FlightID, at date: Date) -> WriteReceipt {
        guard var flight = flights[id] else { return .done }
        if let stopped = flight.lifecycle.lastMemberLeft() {
            record(
                AttemptRecord(
                    attempt: stopped, token: flight.lifecycle.token, outcome: .cancelled, billing: .maybeBilled,
                    startedAt: flight.startedAt ?? date, endedAt: date),
                of: id)
        }
        flights[id] = flight
        return .cancelled(flight: id, token: flight.lifecycle.token)
    }

    private mutating func retry(_ id: UUID) -> WriteReceipt {
        guard var row = requests[id], var flight = flights[row.flight] else { return .unknownRequest }
        if case .refused(let state) = row.lifecycle.retryRequested() { return .invalidState(state) }
        do throws(FlightLifecycle.Refusal) {
            try flight.lifecycle.reopened()
        } catch {
            return .refused(error)
        }
        row.finishedAt = nil
        row.error = nil
        requests[id] = row
        flights[row.flight] = flight
        enqueue(row.flight, flight)
        return .done
    }

    private mutating func evict(_ id: UUID) -> WriteReceipt {
        guard let row = requests[id] else { return .unknownRequest }
        guard row.lifecycle.state == .completed else { return .invalidState(row.lifecycle.state) }
        responses[row.flight] = responses[row.flight]?.evicted()
        return .done
    }

    private mutating func delete(_ id: UUID, at date: Date) -> WriteReceipt {
        guard let row = requests[id] else { return .unknownRequest }
        let receipt = row.lifecycle.state == .live ? memberLeft(row.flight, at: date) : .done
        requests[id] = nil
        if let job = row.job {
            jobs[job.key]?[job.position] = nil
            if jobs[job.key]?.isEmpty == true { jobs[job.key] = nil }
        }
        responses[row.flight] = nil
        flights[row.flight]?.request = nil
        return receipt
    }

    private mutating func finish(_ id: UUID, _ lifecycle: RequestLifecycle, at date: Date, error: AIServiceError?) {
        requests[id]?.lifecycle = lifecycle
        requests[id]?.finishedAt = date
        requests[id]?.error = error
    }

    private mutating func record(_ attempt: AttemptRecord, of id: FlightID) {
        var records = ledger[id] ?? []
        records.removeAll { $0.attempt == attempt.attempt }
        records.append(attempt)
        ledger[id] = records
    }
}
