import Foundation
import Hablare

/// A store that rings an alarm when it cannot be written. Passes everything on, unchanged.
struct AttendedStore: RequestStore {
    let store: any RequestStore
    let alarm: StoreAlarm

    private func ringing<R>(_ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch {
            alarm.ring(error)
            throw error
        }
    }

    func commit(_ writes: [StoreWrite]) throws -> [WriteReceipt] { try ringing { try store.commit(writes) } }
    func claim(_ query: ClaimQuery) throws -> Claim { try ringing { try store.claim(query) } }
    func hasForeignCommits() throws -> Bool { try store.hasForeignCommits() }

    var content: (any ContentStore)? { store.content.map { AttendedContent(content: $0, alarm: alarm) } }
    var signal: (any StoreSignal)? { store.signal }
    var liveness: (any OwnerLiveness)? { store.liveness }

    func snapshot(of id: UUID) throws -> RequestSnapshot? { try store.snapshot(of: id) }
    func snapshots(_ filter: SnapshotFilter) throws -> [RequestSnapshot] { try store.snapshots(filter) }
    func flights(_ ids: [FlightID]) throws -> [FlightID: FlightLifecycle] { try store.flights(ids) }
    func response(of id: UUID) throws -> AIResponseData? { try store.response(of: id) }
    func request(of id: UUID) throws -> StoredRequest? { try store.request(of: id) }
    func stream(of id: UUID, from position: StreamPosition, maximumBytes: Int) throws -> StreamPage? {
        try store.stream(of: id, from: position, maximumBytes: maximumBytes)
    }
    func cachedAnswer(_ query: CacheQuery) throws -> CachedAnswer? { try store.cachedAnswer(query) }
    func attempts(of id: UUID) throws -> [AttemptRecord] { try store.attempts(of: id) }
    func owners() throws -> [OwnerRecord] { try store.owners() }
    func accounts() throws -> [AccountRecord] { try store.accounts() }
    func ledger(_ query: LedgerQuery) throws -> LedgerReport { try store.ledger(query) }
    func budgets() throws -> [BudgetRecord] { try store.budgets() }
    func prunePlan(_ retention: Retention, at date: Date) throws -> PrunePlan {
        try store.prunePlan(retention, at: date)
    }
    func statistics() throws -> StoreStatistics { try store.statistics() }

    func abandonedContent(before date: Date, removing: Bool) throws -> AbandonedContent {
        try store.abandonedContent(before: date, removing: removing)
    }
}

/// Content files that ring an alarm when they cannot be written.
private struct AttendedContent: ContentStore {
    let content: any ContentStore
    let alarm: StoreAlarm

    func threshold(for type: ContentType) -> Int { content.threshold(for: type) }
    func read(_ reference: ContentReference) throws -> Data { try content.read(reference) }
    func read(_ reference: ContentReference, range: Range<Int>) throws -> Data {
        try content.read(reference, range: range)
    }
    func makeWriter() -> any ContentWriter { AttendedWriter(writer: content.makeWriter(), alarm: alarm) }
    func location(of reference: ContentReference) -> URL? { content.location(of: reference) }

    func put(_ data: Data) async throws -> ContentReference {
        do {
            return try await content.put(data)
        } catch {
            alarm.ring(error)
            throw error
        }
    }
}

/// A content file that rings an alarm when it cannot be written.
private struct AttendedWriter: ContentWriter {
    let writer: any ContentWriter
    let alarm: StoreAlarm

    private func ringing<R>(_ body: () async throws -> R) async throws -> R {
        do {
            return try await body()
        } catch {
            alarm.ring(error)
            throw error
        }
    }

    func write(_ piece: Data) async throws { try await ringing { try await writer.write(piece) } }
    func finish() async throws -> ContentReference { try await ringing { try await writer.finish() } }
    func abandon() async { await writer.abandon() }
}
