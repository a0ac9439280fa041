import Foundation
import GRDB
import Hablare
import HablareStores

/// The rows of an ``SQLiteStore`` within one transaction. `StoreMachine` reads and writes them.
///
/// No statement here can violate a constraint, because the error of one write would undo all other writes of the
/// commit. A damaged value is read as a value that does no harm, and `hablare doctor` reports it.
struct SQLiteRows: StoreRows {
    typealias Failure = any Error

    let db: Database
    /// A closure that returns whether a content file exists. It is called inside the transaction. During the
    /// transaction, no content file can be removed.
    let hasContentFile: (ContentReference) -> Bool
    /// Content to which a reference was removed. It may have no other reference.
    private(set) var releasedContent: Set<ContentReference> = []
    /// The encoded values of the submission that is being written.
    var columns: SubmissionColumns?
    private var providers: [ProviderID: ProviderRow] = [:]
    private var jobs: [JobKey: Int64] = [:]

    init(_ db: Database, hasContent: @escaping (ContentReference) -> Bool) {
        self.db = db
        hasContentFile = hasContent
    }

    /// Returns the encoded values of a submission. They are encoded only once.
    func columns(of submission: Submission) throws -> SubmissionColumns { try columns ?? SubmissionColumns(submission) }

    mutating func release(_ reference: ContentReference?) {
        if let reference { releasedContent.insert(reference) }
    }

    // MARK: Names

    private struct ProviderRow {
        let number: Int64
        var account: AccountID?
    }

    mutating func number(of provider: ProviderID) throws -> Int64 {
        if let known = providers[provider] { return known.number }
        var found: ProviderRow?
        var select = try BoundStatement(db, "SELECT id, account FROM providers WHERE name = ?1")
        select.bind(1, provider.rawValue)
        try select.forEach { row in
            found = ProviderRow(number: row.int(0), account: row.text(1).map(AccountID.init(rawValue:)))
        }
        let row = try found ?? ProviderRow(number: enter(provider.rawValue, in: "providers", column: "name"))
        providers[provider] = row
        return row.number
    }

    mutating func number(of job: JobKey) throws -> Int64 {
        if let known = jobs[job] { return known }
        var found: Int64?
        var select = try BoundStatement(db, "SELECT id FROM jobs WHERE key = ?1")
        select.bind(1, job.rawValue)
        try select.forEach { found = $0.int(0) }
        let number = try found ?? enter(job.rawValue, in: "jobs", column: "key")
        jobs[job] = number
        return number
    }

    /// Inserts a name into a table of names, and returns its number.
    private func enter(_ name: String, in table: String, column: String) throws -> Int64 {
        var insert = try BoundStatement(db, "INSERT INTO \(table) (\(column)) VALUES (?1) ON CONFLICT DO NOTHING")
        insert.bind(1, name)
        try insert.run()
        return db.lastInsertedRowID
    }

    /// Runs a statement about one flight.
    @discardableResult
    func run(_ sql: String, of flight: FlightID) throws -> Int {
        var statement = try BoundStatement(db, sql)
        statement.bind(1, flight.rawValue)
        return try statement.run()
    }

    // MARK: Owners

    func register(_ owner: OwnerRegistration) throws -> OwnerID {
        var insert = try BoundStatement(
            db, "INSERT INTO owners (host, pid, lock_name, expires_at) VALUES (?1, ?2, ?3, ?4)")
        insert.bind(1, owner.host)
        insert.bind(2, Int(owner.processID))
        insert.bind(3, owner.lockName)
        insert.bind(4, Coding.time(owner.expiresAt))
        try insert.run()
        return OwnerID(rawValue: db.lastInsertedRowID)
    }

    func renew(_ owner: OwnerID, until date: Date) throws -> Bool {
        var update = try BoundStatement(db, "UPDATE owners SET expires_at = ?2 WHERE id = ?1")
        update.bind(1, owner.rawValue)
        update.bind(2, Coding.time(date))
        return try update.run() == 1
    }

    func deregister(_ owner: OwnerID) throws {
        var delete = try BoundStatement(db, "DELETE FROM owners WHERE id = ?1")
        delete.bind(1, owner.rawValue)
        try delete.run()
    }

    func flights(leasedTo owner: OwnerID) throws -> [FlightID] {
        var held: [FlightID] = []
        var select = try BoundStatement(db, "SELECT id FROM flights WHERE owner = ?1 ORDER BY id")
        select.bind(1, owner.rawValue)
        try select.forEach { held.append(FlightID(rawValue: $0.int(0))) }
        return held
    }

    // MARK: Accounts

    func budget(of account: AccountID) throws -> AccountBudget? {
        var budget: AccountBudget?
        var select = try BoundStatement(db, "\(AccountBudget.selection) FROM accounts WHERE name = ?1")
        select.bind(1, account.rawValue)
        try select.forEach { budget = AccountBudget($0) }
        return budget
    }

    func write(_ budget: AccountBudget, of account: AccountID) throws {
        var upsert = try BoundStatement(
            db,
            """
            INSERT INTO accounts (name, request_level, request_level_at, unit_level, unit_level_at, reported_requests,
                reported_units, paused_until, next_call, failing_until)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            ON CONFLICT (name) DO UPDATE SET request_level = ?2, request_level_at = ?3, unit_level = ?4,
                unit_level_at = ?5, reported_requests = ?6, reported_units = ?7, paused_until = ?8, next_call = ?9,
                failing_until = ?10
            """)
        upsert.bind(1, account.rawValue)
        upsert.bind(2, budget.requests?.level)
        upsert.bind(3, (budget.requests?.updatedAt).map(Coding.time))
        upsert.bind(4, budget.units?.level)
        upsert.bind(5, (budget.units?.updatedAt).map(Coding.time))
        upsert.bind(6, budget.reportedRequests)
        upsert.bind(7, budget.reportedUnits)
        upsert.bind(8, budget.pausedUntil.map(Coding.time))
        upsert.bind(9, budget.nextCall.map(Coding.time))
        upsert.bind(10, budget.failingUntil.map(Coding.time))
        try upsert.run()
    }

    /// Records the account of a provider, if it has changed.
    mutating func note(_ account: AccountID, of provider: ProviderID) throws {
        let number = try number(of: provider)
        guard providers[provider]?.account != account else { return }
        providers[provider]?.account = account
        var update = try BoundStatement(db, "UPDATE providers SET account = ?2 WHERE id = ?1")
        update.bind(1, number)
        update.bind(2, account.rawValue)
        try update.run()
    }

    // MARK: Requests

    func request(_ id: UUID) throws -> RequestRow? {
        var found: RequestRow?
        var select = try BoundStatement(
            db,
            """
            SELECT r.flight, r.state, coalesce(r.priority, f.priority), j.key, r.position, r.deadline, r.tags, r.cache_age,
                r.evicted, r.pinned, r.merge
            FROM requests r LEFT JOIN flights f ON f.id = r.flight LEFT JOIN jobs j ON j.id = r.job WHERE r.id = ?1
            """)
        select.bind(1, id)
        try select.forEach { row in
            guard let state = RequestLifecycle.State(rawValue: Int(row.int(1))) else {
                throw AIServiceError(.storageCorrupt, "A request has an unknown state. Run `hablare doctor`.")
            }
            let position = row.optionalInt(4)
            found = RequestRow(
                id: id, flight: FlightID(rawValue: row.int(0)), lifecycle: RequestLifecycle(state: state),
                priority: Priority(rawValue: Int(row.int(2))) ?? .normal,
                job: row.text(3).flatMap { key in
                    position.map { Submission.JobPosition(key: JobKey(rawValue: key), position: Int($0)) }
                },
                deadline: row.optionalInt(5).map(Coding.date), tags: Self.tags(row.data(6)),
                cacheAge: row.optionalInt(7).map { TimeInterval($0) / 1e6 }, isEvicted: row.int(8) != 0,
                isPinned: row.int(9) != 0, awaitsMerge: row.optionalInt(10) == 0)
        }
        return found
    }

    /// Returns the tags that a column contains. If the column is damaged, returns no tags, so that operations that do
    /// not need the tags continue.
    private static func tags(_ data: Data?) -> [String] {
        do {
            return try Coding.value([String].self, data) ?? []
        } catch {
            return []
        }
    }

    mutating func request(at position: Submission.JobPosition) throws -> UUID? {
        var found: UUID?
        var select = try BoundStatement(db, "SELECT id FROM requests WHERE job = ?1 AND position = ?2")
        select.bind(1, try number(of: position.key))
        select.bind(2, position.position)
        try select.forEach { found = $0.uuid(0) }
        return found
    }

    mutating func insert(_ request: RequestRow, of submission: Submission) throws {
        try insertNew(request, of: submission)
        if let job = request.job?.key, request.lifecycle.state == .live { try enter(job, for: request) }
    }

    /// Inserts a request if no other request has its UUID or its position in the job. Returns whether the request was
    /// inserted.
    @discardableResult
    mutating func insertNew(_ request: RequestRow, of submission: Submission) throws -> Bool {
        let columns = try columns(of: submission)
        var insert = try BoundStatement(
            db,
            """
            INSERT INTO requests (id, flight, state, job, position, created_at, supersedes, metadata, deadline, tags,
                follows, priority, merge, caching, cache_age, finished_at, trace)
            SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, f.member <> ?1, CASE WHEN f.member <> ?1 THEN ?11 END, ?12,
                ?13, ?14, ?15, ?16 FROM flights f WHERE f.id = ?2
            ON CONFLICT DO NOTHING
            """)
        insert.bind(1, request.id)
        insert.bind(2, request.flight.rawValue)
        insert.bind(3, request.lifecycle.state.rawValue)
        insert.bind(4, try request.job.map { try number(of: $0.key) })
        insert.bind(5, request.job.map { Int64($0.position) })
        insert.bind(6, Coding.time(submission.createdAt))
        insert.bind(7, submission.supersedes?.bytes)
        insert.bind(8, columns.metadata)
        insert.bind(9, request.deadline.map(Coding.time))
        insert.bind(10, columns.tags)
        insert.bind(11, request.priority.rawValue)
        insert.bind(12, request.awaitsMerge ? Int64(0) : nil)
        insert.bind(13, submission.request.caching.code)
        insert.bind(14, request.cacheAge.map { Int64(($0 * 1e6).rounded()) })
        insert.bind(15, request.finishedAt.map(Coding.time))
        insert.bind(16, columns.trace)
        return try insert.run() == 1
    }

    mutating func write(_ request: RequestRow) throws {
        var update = try BoundStatement(
            db,
            """
            UPDATE requests SET flight = ?2, state = ?3, job = ?4, position = ?5, deadline = ?6,
                finished_at = CASE WHEN ?3 <> 0 THEN coalesce(?7, finished_at) END,
                error = CASE WHEN ?3 <> 0 THEN coalesce(?8, error) END, evicted = ?9, pinned = ?10,
                merge = CASE WHEN merge IS NOT NULL THEN ?11 END, follows = CASE WHEN flight = ?2 THEN follows ELSE 0 END
            WHERE id = ?1
            """)
        update.bind(1, request.id)
        update.bind(2, request.flight.rawValue)
        update.bind(3, request.lifecycle.state.rawValue)
        update.bind(4, try request.job.map { try number(of: $0.key) })
        update.bind(5, request.job.map { Int64($0.position) })
        update.bind(6, request.deadline.map(Coding.time))
        update.bind(7, request.finishedAt.map(Coding.time))
        update.bind(8, try request.error.map { try Coding.json($0) })
        update.bind(9, request.isEvicted ? 1 : 0)
        update.bind(10, request.isPinned ? 1 : 0)
        update.bind(11, request.awaitsMerge ? 0 : 1)
        try update.run()
        if let job = request.job?.key, request.lifecycle.state == .live { try enter(job, for: request) }
    }

    /// Allows processes of a live member's job to claim the flight, even if another member is the leader.
    private mutating func enter(_ job: JobKey, for request: RequestRow) throws {
        var insert = try BoundStatement(
            db,
            """
            INSERT INTO joined_jobs (job, flight)
            SELECT ?2, f.id FROM flights f WHERE f.id = ?1 AND f.member <> ?3 AND f.job IS NOT ?2 ON CONFLICT DO NOTHING
            """)
        insert.bind(1, request.flight.rawValue)
        insert.bind(2, try number(of: job))
        insert.bind(3, request.id)
        try insert.run()
    }

    func delete(_ request: RequestRow) throws {
        var delete = try BoundStatement(db, "DELETE FROM requests WHERE id = ?1")
        delete.bind(1, request.id)
        try delete.run()
    }

    /// Returns the requests whose deadline has passed. All are read before any row is written, because a statement must
    /// not read an index that is being changed.
    func requests(dueAt date: Date, limit: Int) throws -> [UUID] {
        var due: [UUID] = []
        var select = try BoundStatement(
            db,
            """
            SELECT id FROM requests INDEXED BY requests_due
            WHERE deadline IS NOT NULL AND state = 0 AND deadline <= ?1 AND length(id) = 16 ORDER BY deadline, flight LIMIT ?2
            """)
        select.bind(1, Coding.time(date))
        select.bind(2, limit)
        try select.forEach { row in
            if let id = row.uuid(0) { due.append(id) }
        }
        return due
    }

    func earliestDeadline() throws -> Date? {
        var earliest: Date?
        var select = try BoundStatement(
            db,
            """
            SELECT deadline FROM requests INDEXED BY requests_due
            WHERE deadline IS NOT NULL AND state = 0 AND length(id) = 16 ORDER BY deadline LIMIT 1
            """)
        try select.forEach { earliest = Coding.date($0.int(0)) }
        return earliest
    }
}
