import Foundation

@testable import Hablare
@testable import HablareStores

/// The rows of a ``LineStore`` within one commit: the rows in memory and the edits made to them.
struct LineRows {
    var memory: MemoryRows
    private(set) var edits: [RowEdit] = []

    init(_ memory: MemoryRows) { self.memory = memory }
}

// Every change of a row is recorded.
extension LineRows: ClaimableRows {
    typealias Failure = Never

    mutating func register(_ owner: OwnerRegistration) -> OwnerID {
        edits.append(.register(owner))
        return memory.register(owner)
    }

    mutating func renew(_ owner: OwnerID, until date: Date) -> Bool {
        edits.append(.renew(owner, date))
        return memory.renew(owner, until: date)
    }

    mutating func deregister(_ owner: OwnerID) { make(.deregister(owner)) }
    mutating func write(_ budget: AccountBudget, of account: AccountID) { make(.account(account, budget)) }
    mutating func note(_ account: AccountID, of provider: ProviderID) { make(.provider(provider, account)) }

    mutating func insert(_ request: RequestRow, of submission: Submission) {
        make(.newRequest(request, SubmissionLabels(submission)))
    }

    mutating func write(_ request: RequestRow) { make(.request(request)) }
    mutating func delete(_ request: RequestRow) { make(.deletion(request)) }

    mutating func insert(_ flight: FlightRow, of submission: Submission) -> FlightID {
        edits.append(.newFlight(flight, SubmissionLabels(submission)))
        return memory.insert(flight, of: submission)
    }

    mutating func insert(_ flight: FlightRow, copying original: FlightID) -> FlightID {
        edits.append(.copiedFlight(flight, original))
        return memory.insert(flight, copying: original)
    }

    mutating func write(_ flight: FlightRow, of id: FlightID) { make(.flight(id, flight)) }
    mutating func write(handle: Data?, of id: FlightID) { make(.handle(id, handle)) }
    mutating func erase(_ id: FlightID) { make(.erasure(id)) }
    mutating func append(_ group: ChunkGroup) {
        make(
            .chunks(
                group.flight, token: group.token, generation: group.generation, first: group.first, group.chunks))
    }

    mutating func outputCompleted(of flight: FlightID, generation: Int) {
        make(.completedOutput(flight, generation: generation))
    }

    mutating func write(_ response: AIResponseData, of flight: FlightID) { make(.response(flight, response)) }
    mutating func evictResponse(of flight: FlightID) { make(.eviction(flight)) }
    mutating func write(_ attempt: AttemptRecord, of flight: FlightID) { make(.attempt(flight, attempt)) }
    mutating func charge(_ tags: [String], for flight: FlightID) { make(.tags(flight, tags)) }
    mutating func write(_ account: BudgetAccount, of budget: BudgetPeriod) { make(.budget(budget, account)) }

    mutating func write(_ reservations: [Reservation], of attempt: Int, of flight: FlightID) {
        make(.reservations(flight, attempt: attempt, reservations))
    }

    private mutating func make(_ edit: RowEdit) {
        edit.make(in: &memory)
        edits.append(edit)
    }

    // Every query is answered from memory.

    func flights(leasedTo owner: OwnerID) -> [FlightID] { memory.flights(leasedTo: owner) }
    func budget(of account: AccountID) -> AccountBudget? { memory.budget(of: account) }
    func request(_ id: UUID) -> RequestRow? { memory.request(id) }
    func request(at position: Submission.JobPosition) -> UUID? { memory.request(at: position) }

    mutating func requests(dueAt date: Date, limit: Int) -> [UUID] { memory.requests(dueAt: date, limit: limit) }
    mutating func earliestDeadline() -> Date? { memory.earliestDeadline() }
    func flight(_ id: FlightID) -> FlightRow? { memory.flight(id) }
    func flights(for work: Fingerprint) -> [FlightID] { memory.flights(for: work) }
    func members(of flight: FlightID) -> [FlightMember] { memory.members(of: flight) }
    func hasMembers(of flight: FlightID, besides id: UUID) -> Bool { memory.hasMembers(of: flight, besides: id) }

    mutating func liveMembers(of flight: FlightID) -> (first: UUID, priority: Priority)? {
        memory.liveMembers(of: flight)
    }

    func isResponseKept(by flight: FlightID) -> Bool { memory.isResponseKept(by: flight) }
    func isProtected(_ flight: FlightID) -> Bool { memory.isProtected(flight) }
    func protectionChanged(of flight: FlightID) {}
    func output(of flight: FlightID) -> OutputRow? { memory.output(of: flight) }
    func response(of flight: FlightID) -> ResponseRow? { memory.response(of: flight) }
    func hasContent(_ reference: ContentReference) -> Bool { memory.hasContent(reference) }

    func unprotectedResponses(through position: PrunePlan.Position, limit: Int) -> [FlightID] {
        memory.unprotectedResponses(through: position, limit: limit)
    }

    func cacheSize() -> (count: Int, bytes: Int64) { memory.cacheSize() }
    mutating func leastRecentlyUsedAnswer() -> FlightID? { memory.leastRecentlyUsedAnswer() }
    func answers(_ selection: CacheSelection) -> [FlightID] { memory.answers(selection) }
    func attempt(_ number: Int, of flight: FlightID) -> AttemptRecord? { memory.attempt(number, of: flight) }
    func account(of budget: BudgetPeriod) -> BudgetAccount? { memory.account(of: budget) }

    func reservations(of attempt: Int, of flight: FlightID) -> [Reservation] {
        memory.reservations(of: attempt, of: flight)
    }

    mutating func waiting(
        for provider: ProviderID, _ priority: Priority, in scope: ClaimScope, after: FlightID?, limit: Int
    ) -> [FlightID] {
        memory.waiting(for: provider, priority, in: scope, after: after, limit: limit)
    }

    mutating func backingOff(for provider: ProviderID, until date: Date, limit: Int) -> [FlightID] {
        memory.backingOff(for: provider, until: date, limit: limit)
    }

    mutating func earliestBackoff(for provider: ProviderID) -> Date? { memory.earliestBackoff(for: provider) }

    func claimed(_ flight: FlightRow, _ id: FlightID, deadline: Date?) -> ClaimedFlight {
        memory.claimed(flight, id, deadline: deadline)
    }
}
