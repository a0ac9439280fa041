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
    var owners: OrderedDictionary<OwnerID, OwnerRegistration> = [:]
    /// Tickets of flights that wait, and stale ones of flights that no longer do: each is checked when it is drawn.
    var queues: [QueueKey: Heap<FlightID>] = [:]
    /// Flights that back off, and stale alarms of flights that no longer do.
    var backoffs: [ProviderID: Heap<Alarm<FlightID>>] = [:]
    /// Requests that have a deadline, and stale alarms of those that are final.
    var deadlines = Heap<Alarm<UUID>>()
    var accounts: OrderedDictionary<AccountID, AccountBudget> = [:]
    var accountsOfProviders: OrderedDictionary<ProviderID, AccountID> = [:]
    var lastFlight: Int64 = 0
    var lastOwner: Int64 = 0

    var accountRecords: [AccountRecord] {
        accounts.map { id, budget in
            let providers = accountsOfProviders.filter { $0.value == id }.keys.sorted { $0.rawValue < $1.rawValue }
            return AccountRecord(id: id, providers: providers, budget: budget)
        }.sorted { $0.id < $1.id }
    }
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
}
