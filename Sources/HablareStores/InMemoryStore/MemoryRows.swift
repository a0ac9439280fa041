import Foundation
import Hablare
import HablareSupport
import HeapModule
import OrderedCollections

/// The rows of an ``InMemoryStore``, in dictionaries, with the indices that ``StoreRows`` requires.
///
/// The queues are heaps that may contain outdated entries. Each entry is checked when it leaves its heap. If a query
/// returns a valid entry, the entry is put back, because the caller may leave the row unchanged.
struct MemoryRows: Sendable {
    /// The date at which something happens to a row, such as the end of a backoff. If the row has changed, the entry is
    /// outdated.
    struct Alarm<ID: Sendable>: Comparable, Sendable {
        let date: Date
        let number: Int64
        let id: ID

        static func < (lhs: Self, rhs: Self) -> Bool { (lhs.date, lhs.number) < (rhs.date, rhs.number) }
        static func == (lhs: Self, rhs: Self) -> Bool { (lhs.date, lhs.number) == (rhs.date, rhs.number) }
    }

    /// The key of a queue of waiting flights: all of a provider and priority, or only those of one job.
    struct QueueKey: Hashable {
        var provider: ProviderID
        var job: JobKey?
        var priority: Priority
    }

    /// The chunks of a flight's newest generation.
    struct Output: Sendable {
        let generation: Int
        var ends: [Int] = []
        /// The bytes of the chunks, or `nil` when the response contains the bytes.
        var bytes: Data? = Data()
    }

    struct AttemptID: Hashable {
        let flight: FlightID
        let attempt: Int
    }

    var requests: [UUID: RequestRow] = [:]
    /// The submission of each request. It contains the data that the request's row does not contain.
    var submissions: [UUID: Submission] = [:]
    var flights: [FlightID: FlightRow] = [:]
    /// The prompts and parameters of flights whose content was not erased.
    var prompts: [FlightID: AIRequest] = [:]
    var handles: [FlightID: Data] = [:]
    var members: [FlightID: MemberIndex] = [:]
    var jobs: [JobKey: [Int: UUID]] = [:]
    var responses: [FlightID: AIResponseData] = [:]
    var outputs: [FlightID: Output] = [:]
    var ledger: [FlightID: [AttemptRecord]] = [:]
    /// The tags to which each flight was charged: the tags of all requests that were ever members, without duplicates.
    var tags: [FlightID: OrderedSet<String>] = [:]
    var budgets: [BudgetPeriod: BudgetAccount] = [:]
    /// The reservations are never deleted, because a later record of an attempt may change the amount that counts.
    var reservations: [AttemptID: [Reservation]] = [:]
    var owners: OrderedDictionary<OwnerID, OwnerRegistration> = [:]
    var accounts: OrderedDictionary<AccountID, AccountBudget> = [:]
    var accountsOfProviders: OrderedDictionary<ProviderID, AccountID> = [:]

    private var flightsByWork: [Fingerprint: [FlightID]] = [:]
    /// The flights whose answers are in the cache, ordered by the date of the answer's last use.
    private var answered = KeyedHeap<FlightID, Date>()
    private var answeredBytes: Int64 = 0
    private var queues: [QueueKey: Heap<FlightID>] = [:]
    private var backoffs: [ProviderID: Heap<Alarm<FlightID>>] = [:]
    private var deadlines = Heap<Alarm<UUID>>()
    private var lastFlight: Int64 = 0
    private var lastOwner: Int64 = 0
}

extension MemoryRows: ClaimableRows {
    typealias Failure = Never

    // MARK: Owners

    mutating func register(_ owner: OwnerRegistration) -> OwnerID {
        lastOwner += 1
        owners[OwnerID(rawValue: lastOwner)] = owner
        return OwnerID(rawValue: lastOwner)
    }

    mutating func renew(_ owner: OwnerID, until date: Date) -> Bool {
        owners[owner]?.expiresAt = date
        return owners[owner] != nil
    }

    mutating func deregister(_ owner: OwnerID) { owners[owner] = nil }

    func flights(leasedTo owner: OwnerID) -> [FlightID] {
        flights.filter { $0.value.lifecycle.owner == owner }.keys.sorted()
    }

    // MARK: Accounts

    func budget(of account: AccountID) -> AccountBudget? { accounts[account] }

    mutating func write(_ budget: AccountBudget, of account: AccountID) { accounts[account] = budget }

    mutating func note(_ account: AccountID, of provider: ProviderID) { accountsOfProviders[provider] = account }

    // MARK: Requests

    func request(_ id: UUID) -> RequestRow? { requests[id] }

    func request(at position: Submission.JobPosition) -> UUID? { jobs[position.key]?[position.position] }

    mutating func insert(_ request: RequestRow, of submission: Submission) {
        submissions[request.id] = submission
        write(request)
    }

    mutating func write(_ request: RequestRow) {
        let old = requests.updateValue(request, forKey: request.id)
        if let old, old.flight != request.flight { members[old.flight]?.removed(old) }
        let isNewJob =
            members[request.flight, default: MemberIndex()]
            .wrote(request, after: old?.flight == request.flight ? old : nil)
        if let job = request.job { jobs[job.key, default: [:]][job.position] = request.id }
        if request.lifecycle.state == .live, let deadline = request.deadline,
            old?.deadline != deadline || old?.lifecycle.state != .live || old?.flight != request.flight
        {
            deadlines.insert(Alarm(date: deadline, number: request.flight.rawValue, id: request.id))
        }
        if isNewJob, let job = request.job?.key, let flight = flights[request.flight] {
            enqueue(request.flight, flight, for: [job])
        }
    }

    mutating func delete(_ request: RequestRow) {
        requests[request.id] = nil
        submissions[request.id] = nil
        members[request.flight]?.removed(request)
        guard let job = request.job else { return }
        jobs[job.key]?[job.position] = nil
        if jobs[job.key]?.isEmpty == true { jobs[job.key] = nil }
    }

    mutating func requests(dueAt date: Date, limit: Int) -> [UUID] {
        var due: OrderedDictionary<UUID, Alarm<UUID>> = [:]
        while due.count < limit, let alarm = nextDeadline(), alarm.date <= date {
            deadlines.removeMin()
            due[alarm.id] = alarm
        }
        deadlines.insert(contentsOf: due.values)
        return Array(due.keys)
    }

    mutating func earliestDeadline() -> Date? { nextDeadline()?.date }

    private mutating func nextDeadline() -> Alarm<UUID>? {
        while let alarm = deadlines.min {
            if let row = requests[alarm.id], row.lifecycle.state == .live, row.deadline == alarm.date,
                row.flight.rawValue == alarm.number  // otherwise the UUID was deleted and reused
            {
                return alarm
            }
            deadlines.removeMin()
        }
        return nil
    }

    // MARK: Flights

    mutating func insert(_ flight: FlightRow, of submission: Submission) -> FlightID {
        insert(flight, submission.request)
    }

    mutating func insert(_ flight: FlightRow, copying original: FlightID) -> FlightID {
        insert(flight, prompts[original])
    }

    private mutating func insert(_ flight: FlightRow, _ prompt: AIRequest?) -> FlightID {
        lastFlight += 1
        let id = FlightID(rawValue: lastFlight)
        prompts[id] = prompt
        write(flight, of: id)
        return id
    }

    func flight(_ id: FlightID) -> FlightRow? { flights[id] }

    mutating func write(_ flight: FlightRow, of id: FlightID) {
        let old = flights.updateValue(flight, forKey: id)
        if !flight.lifecycle.hasHandle { handles[id] = nil }
        if old?.usedAt != nil { answeredBytes -= old?.answerBytes ?? 0 }
        if let usedAt = flight.usedAt {
            answered.set(id, to: usedAt)
            answeredBytes += flight.answerBytes
        } else {
            answered.remove(id)
        }
        if old?.foundBy != flight.foundBy {
            if let work = old?.foundBy {
                flightsByWork[work]?.removeAll { $0 == id }
                if flightsByWork[work]?.isEmpty == true { flightsByWork[work] = nil }
            }
            if let work = flight.foundBy {
                flightsByWork[work, default: []].append(id)
                flightsByWork[work]?.sort()
            }
        }
        let isMoved =
            old?.lifecycle.state != flight.lifecycle.state || old?.provider != flight.provider
            || old?.priority != flight.priority
        if isMoved { enqueue(id, flight, for: [nil] + (members[id]?.jobs.map(Optional.some) ?? [])) }
    }

    mutating func write(handle: Data?, of id: FlightID) { handles[id] = handle }

    mutating func erase(_ id: FlightID) {
        responses[id] = nil
        outputs[id] = nil
        prompts[id] = nil
        handles[id] = nil
        guard var flight = flights[id] else { return }
        flight.work = nil
        (flight.usedAt, flight.answerBytes) = (nil, 0)
        write(flight, of: id)
    }

    func flights(for work: Fingerprint) -> [FlightID] { flightsByWork[work] ?? [] }

    private mutating func enqueue(_ id: FlightID, _ flight: FlightRow, for jobs: [JobKey?]) {
        switch flight.lifecycle.state {
        case .waiting:
            for job in jobs {
                let key = QueueKey(provider: flight.provider, job: job, priority: flight.priority)
                queues[key, default: Heap()].insert(id)
            }
        case .backingOff(let until):
            backoffs[flight.provider, default: Heap()].insert(Alarm(date: until, number: id.rawValue, id: id))
        case .held, .leased, .executing, .settled: break
        }
    }

    // MARK: Members

    func members(of flight: FlightID) -> [FlightMember] {
        (members[flight]?.all ?? []).compactMap { id in
            requests[id].map { FlightMember(id: id, lifecycle: $0.lifecycle, deadline: $0.deadline) }
        }.sorted { $0.id.precedes($1.id) }
    }

    func hasMembers(of flight: FlightID, besides id: UUID) -> Bool {
        members[flight]?.all.contains { $0 != id } ?? false
    }

    mutating func liveMembers(of flight: FlightID) -> (first: UUID, priority: Priority)? {
        guard let priority = members[flight]?.priority else { return nil }
        let first = members[flight]?.first { [requests] id in
            requests[id].map { $0.flight == flight && $0.lifecycle.state == .live } ?? false
        }
        return first.map { ($0, priority) }
    }

    func isResponseKept(by flight: FlightID) -> Bool {
        hasMember(of: flight) { $0.lifecycle.state == .completed && !$0.isEvicted }
    }

    func isProtected(_ flight: FlightID) -> Bool { hasMember(of: flight, where: \.protectsResponse) }

    private func hasMember(of flight: FlightID, where isMeant: (RequestRow) -> Bool) -> Bool {
        members[flight]?.all.contains { id in requests[id].map(isMeant) ?? false } ?? false
    }

    func protectionChanged(of flight: FlightID) {}

    // MARK: Claims

    mutating func waiting(
        for provider: ProviderID, _ priority: Priority, in scope: ClaimScope, after: FlightID?, limit: Int
    ) -> [FlightID] {
        let key: QueueKey
        switch scope {
        case .nothing: return []
        case .everything: key = QueueKey(provider: provider, job: nil, priority: priority)
        case .job(let job): key = QueueKey(provider: provider, job: job, priority: priority)
        case .request(let id):
            let live = ClaimScope.requests(of: id).compactMap { requests[$0] }.filter { $0.lifecycle.state == .live }
            let found = Set(live.map(\.flight)).filter { flight in
                waits(flight, in: QueueKey(provider: provider, job: nil, priority: priority))
                    && after.map { $0 < flight } ?? true
            }
            return Array(found.sorted().prefix(limit))
        }
        var drawn: [FlightID] = []
        var found: [FlightID] = []
        while found.count < limit, let id = queues[key]?.popMin() {
            guard drawn.last != id, waits(id, in: key) else { continue }
            drawn.append(id)
            if after.map({ $0 < id }) ?? true { found.append(id) }
        }
        queues[key]?.insert(contentsOf: drawn)
        return found
    }

    private func waits(_ id: FlightID, in key: QueueKey) -> Bool {
        guard let flight = flights[id], flight.lifecycle.state == .waiting, flight.work != nil else { return false }
        return flight.provider == key.provider && flight.priority == key.priority
            && key.job.map { members[id]?.jobs.contains($0) ?? false } ?? true
    }

    mutating func backingOff(for provider: ProviderID, until date: Date, limit: Int) -> [FlightID] {
        var due: OrderedDictionary<FlightID, Alarm<FlightID>> = [:]
        while due.count < limit, let alarm = nextBackoff(for: provider), alarm.date <= date {
            backoffs[provider]?.removeMin()
            due[alarm.id] = alarm
        }
        backoffs[provider]?.insert(contentsOf: due.values)
        return Array(due.keys)
    }

    mutating func earliestBackoff(for provider: ProviderID) -> Date? { nextBackoff(for: provider)?.date }

    private mutating func nextBackoff(for provider: ProviderID) -> Alarm<FlightID>? {
        while let alarm = backoffs[provider]?.min {
            if let flight = flights[alarm.id], flight.provider == provider,
                flight.lifecycle.state == .backingOff(until: alarm.date)
            {
                return alarm
            }
            backoffs[provider]?.removeMin()
        }
        return nil
    }

    func claimed(_ flight: FlightRow, _ id: FlightID, deadline: Date?) -> ClaimedFlight {
        let head = submissions[flight.head]
        var request = prompts[id]?.named(flight.head) ?? AIRequest(id: flight.head, prompt: .text(""))
        request.model = flight.model
        request.priority = flight.priority
        request.deadline = deadline
        head?.label(&request)
        return ClaimedFlight(
            id: id, lifecycle: flight.lifecycle, request: request, origin: flight.origin.provider,
            triedSince: flight.triedSince, trace: head?.trace, submittedAt: head?.createdAt,
            resumePoint: handles[id].map { handle in
                let kept = output(of: id).flatMap { $0.generation == flight.lifecycle.generation ? $0 : nil }
                return ResumePoint(handle: handle, keptChunks: kept?.chunks ?? 0, keptBytes: kept?.bytes ?? 0)
            })
    }

    // MARK: Output

    func output(of flight: FlightID) -> OutputRow? {
        outputs[flight].map { OutputRow(generation: $0.generation, chunks: $0.ends.count, bytes: $0.ends.last ?? 0) }
    }

    mutating func append(_ group: ChunkGroup) {
        var output = outputs.removeValue(forKey: group.flight) ?? Output(generation: group.generation)
        if output.generation != group.generation { output = Output(generation: group.generation) }
        for size in group.sizes { output.ends.append((output.ends.last ?? 0) + size) }
        output.bytes?.append(group.bytes)
        outputs[group.flight] = output
    }

    mutating func outputCompleted(of flight: FlightID, generation: Int) {
        guard outputs[flight]?.generation == generation else { return outputs[flight] = nil }
        guard case .success(let content) = responses[flight]?.result, case .inline = content.body?.storage else {
            return
        }
        outputs[flight]?.bytes = nil
    }

    // MARK: Responses

    func response(of flight: FlightID) -> ResponseRow? {
        guard let response = responses[flight] else { return nil }
        guard case .success(let content) = response.result else {
            return ResponseRow(receivedAt: response.receivedAt, bytes: 0, isEvicted: true)
        }
        return ResponseRow(
            receivedAt: response.receivedAt, bytes: content.keptByteCount, content: content.body?.reference)
    }

    mutating func write(_ response: AIResponseData, of flight: FlightID) { responses[flight] = response }

    mutating func evictResponse(of flight: FlightID) {
        responses[flight] = responses[flight]?.evicted()
        outputs[flight] = nil
    }

    func hasContent(_ reference: ContentReference) -> Bool { true }

    func unprotectedResponses(through position: PrunePlan.Position, limit: Int) -> [FlightID] {
        unprotected.prefix { $0.position <= position }.prefix(limit).map(\.position.flight)
    }

    /// The responses that retention may evict, the oldest first.
    var unprotected: [(position: PrunePlan.Position, bytes: Int64)] {
        let protected = Set(requests.values.lazy.filter(\.protectsResponse).map(\.flight))
        return responses.compactMap { flight, response in
            guard case .success(let content) = response.result, !protected.contains(flight) else { return nil }
            return (PrunePlan.Position(receivedAt: response.receivedAt, flight: flight), content.keptByteCount)
        }.sorted { $0.position < $1.position }
    }

    // MARK: The cache

    func cacheSize() -> (count: Int, bytes: Int64) { (answered.count, answeredBytes) }

    mutating func leastRecentlyUsedAnswer() -> FlightID? { answered.firstKey() }

    func answers(_ selection: CacheSelection) -> [FlightID] {
        answered.keys.filter { id in
            guard let flight = flights[id] else { return false }
            return switch selection {
            case .everything: true
            case .provider(let provider): flight.provider == provider || flight.origin.provider == provider
            case .model(let model, let provider):
                flight.provider == provider && flight.model == model
                    || flight.origin == FallbackTarget(provider, model: model)
            case .tag(let tag): tags[id]?.contains(tag) ?? false
            case .fingerprint(let fingerprint): flight.work == fingerprint
            case .answer(let answer): id == answer
            }
        }
    }

    // MARK: The ledger

    func attempt(_ number: Int, of flight: FlightID) -> AttemptRecord? {
        ledger[flight]?.first { $0.attempt == number }
    }

    mutating func write(_ attempt: AttemptRecord, of flight: FlightID) {
        var entries = ledger[flight] ?? []
        entries.removeAll { $0.attempt == attempt.attempt }
        entries.append(attempt)
        ledger[flight] = entries
    }

    mutating func charge(_ tags: [String], for flight: FlightID) {
        if !tags.isEmpty { self.tags[flight, default: []].formUnion(tags) }
    }

    func account(of budget: BudgetPeriod) -> BudgetAccount? { budgets[budget] }

    mutating func write(_ account: BudgetAccount, of budget: BudgetPeriod) { budgets[budget] = account }

    func reservations(of attempt: Int, of flight: FlightID) -> [Reservation] {
        reservations[AttemptID(flight: flight, attempt: attempt)] ?? []
    }

    mutating func write(_ reservations: [Reservation], of attempt: Int, of flight: FlightID) {
        self.reservations[AttemptID(flight: flight, attempt: attempt)] = reservations
    }
}

extension FlightRow {
    /// The fingerprint under which submissions find the flight. `nil` if the flight has ended and its answer is not in
    /// the cache.
    fileprivate var foundBy: Fingerprint? { !lifecycle.isSettled || usedAt != nil ? work : nil }
}

extension Submission {
    /// Copies this member's own data, except the priority and the deadline, into a request of the same flight.
    func label(_ other: inout AIRequest) {
        other.metadata = request.metadata
        other.tags = request.tags
        other.keepUntilMerged = request.keepUntilMerged
        other.caching = request.caching
    }
}
