import Foundation
import GRDB
import Hablare

/// Reads from one consistent state of the tables.
struct ReadTransaction {
    let db: Database
    let content: (any ContentReading)?
    /// The maximum number of live flights that counts as a small number. Reading so many flights takes as long as
    /// reading a few pages of the database.
    var fewFlights = 5_000
    /// The maximum number of earlier flights that are counted.
    var maximumAhead = RequestSnapshot.WaitReason.maximumAhead

    private static let snapshotColumns = """
        SELECT r.id, j.key, r.position, p.name, f.model, coalesce(r.priority, f.priority), r.state, r.error,
            r.created_at, r.finished_at, r.supersedes, r.metadata, r.deadline, o.host, o.pid, r.flight, r.tags,
            r.pinned, r.merge IS 0, \(FlightLifecycle.columns), f.member, r.cache_age IS NOT NULL
        """
    private static let requests = "FROM requests r JOIN flights f ON f.id = r.flight"
    /// Returns the SQL source of the requests that are members of certain live flights. It uses the index of members,
    /// so that not every request is read.
    private static func requests(ofFlights condition: String) -> String {
        """
        FROM (
            SELECT f.id AS flight, f.member AS member FROM flights f INDEXED BY flights_live WHERE \(condition)
            UNION SELECT f.id, m.id FROM flights f INDEXED BY flights_live
                CROSS JOIN requests m INDEXED BY requests_aboard ON m.flight = f.id AND m.follows = 1
                WHERE \(condition) AND f.shared = 1
        ) h CROSS JOIN requests r ON r.id = h.member AND r.flight = h.flight CROSS JOIN flights f ON f.id = h.flight
        """
    }
    private static let heldRequests = requests(ofFlights: "f.owner = -2")
    private static let executingRequests = requests(ofFlights: "f.owner > 0 AND f.state = 2")
    /// The SQL source of the requests whose flight has not ended. The condition uses `>=`, because SQLite does not
    /// search an index for `IS NOT NULL`.
    private static let liveRequests = requests(ofFlights: "f.owner >= -2")
    /// The SQL source of the failed requests. It uses their index.
    private static let failedRequests = """
        FROM requests r INDEXED BY requests_failed CROSS JOIN flights f ON f.id = r.flight
        """
    /// The SQL source of the live requests that have a deadline. It uses their index.
    private static let dueRequests = """
        FROM requests r INDEXED BY requests_due CROSS JOIN flights f ON f.id = r.flight
        """
    private static let names = """
        JOIN providers p ON p.id = f.provider
        LEFT JOIN jobs j ON j.id = r.job
        LEFT JOIN owners o ON o.id = f.owner
        """

    // MARK: Snapshots

    func snapshot(of id: UUID, countingAhead: Bool) throws -> RequestSnapshot? {
        var found: (RequestSnapshot, FlightID)?
        var select = try BoundStatement(db, "\(Self.snapshotColumns) \(Self.requests) \(Self.names) WHERE r.id = ?1")
        select.bind(1, id)
        try select.forEach { found = try Self.snapshot($0) }
        guard let (present, flight) = found else { return nil }
        var snapshot = present
        switch snapshot.waiting {
        case .queued where countingAhead: snapshot.waiting = .queued(ahead: try flightsAhead(of: flight))
        case .unclaimed where countingAhead: snapshot.waiting = .unclaimed(ahead: try flightsAhead(of: flight))
        default: break
        }
        return snapshot
    }

    func snapshots(_ filter: SnapshotFilter) throws -> [RequestSnapshot] {
        if let ids = filter.ids { return try snapshots(of: ids, filter) }
        if filter.phases?.isEmpty == true { return [] }
        var conditions: [String] = []
        if filter.job != nil {
            conditions.append("r.job = (SELECT id FROM jobs WHERE key = ?1)")
            if filter.continuesByPosition {
                conditions.append("r.position > ?5")
            } else if filter.after != nil {
                // Finds the job by its key, so SQLite runs this subquery once. With `r.job` it would run for every row.
                conditions.append(
                    """
                    r.position > (SELECT position FROM requests
                        WHERE id = ?2 AND job = (SELECT id FROM jobs WHERE key = ?1))
                    """)
            }
        } else if filter.after != nil {
            conditions.append("r.id > ?2")
        }
        if let phases = filter.phases {
            conditions.append("(\(phases.map(Self.condition).sorted().joined(separator: " OR ")))")
        }
        if let isHeld = filter.isHeld {
            conditions.append(isHeld ? "f.owner = -2 AND r.state = 0" : "NOT (r.state = 0 AND f.state = 7)")
        }
        if filter.dueBy != nil { conditions.append("r.state = 0 AND r.deadline IS NOT NULL AND r.deadline <= ?4") }
        let source = try source(of: filter)
        let order = filter.job == nil ? "r.id" : "r.position"
        let restriction = conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))"
        var select = try BoundStatement(
            db, "\(Self.snapshotColumns) \(source) \(Self.names) \(restriction) ORDER BY \(order) LIMIT ?3")
        if let job = filter.job { select.bind(1, job.rawValue) }
        if filter.continuesByPosition {
            select.bind(5, filter.afterPosition.map(Int64.init))
        } else if let after = filter.after {
            select.bind(2, after)
        }
        select.bind(3, max(0, filter.limit))  // SQLite takes a negative limit to mean no limit
        if let dueBy = filter.dueBy { select.bind(4, Coding.time(dueBy)) }
        var page: [RequestSnapshot] = []
        try select.forEach { page.append(try Self.snapshot($0).0) }
        return page
    }

    /// Returns the SQL source of the requests that may match a filter.
    private func source(of filter: SnapshotFilter) throws -> String {
        if filter.isHeld == true { return Self.heldRequests }
        if filter.dueBy != nil { return Self.dueRequests }
        guard let phases = filter.phases else { return Self.requests }
        if phases == [.executing] { return Self.executingRequests }
        if phases == [.failed], filter.job == nil { return Self.failedRequests }
        return try phases.isSubset(of: [.pending, .executing]) && areFewLive() ? Self.liveRequests : Self.requests
    }

    /// Returns whether only a small number of flights is live. Reading and sorting all of them for each page is then
    /// faster than reading the requests in their order.
    private func areFewLive() throws -> Bool {
        var count = 0
        var select = try BoundStatement(
            db,
            """
            SELECT count(*) FROM (SELECT 1 FROM flights INDEXED BY flights_live WHERE owner >= -2 LIMIT ?1)
            """)
        select.bind(1, fewFlights + 1)
        try select.forEach { count = Int($0.int(0)) }
        return count <= fewFlights
    }

    private func snapshots(of ids: [UUID], _ filter: SnapshotFilter) throws -> [RequestSnapshot] {
        var page: [RequestSnapshot] = []
        let remainder = filter.after.map { after in Array(ids.drop { $0 != after }.dropFirst()) } ?? ids
        for id in remainder where page.count < filter.limit {
            guard let snapshot = try snapshot(of: id, countingAhead: false) else { continue }
            if filter.admits(snapshot) { page.append(snapshot) }
        }
        return page
    }

    private static func condition(_ phase: RequestPhase) -> String {
        switch phase {
        case .pending: "(r.state = 0 AND f.state <> 2)"
        case .executing: "(r.state = 0 AND f.state = 2)"
        case .completed: "r.state = 1"
        case .failed: "r.state = 2"
        case .cancelled: "r.state = 3"
        }
    }

    private static func snapshot(_ row: borrowing BoundStatement.RowReader) throws -> (RequestSnapshot, FlightID) {
        let lifecycle = FlightLifecycle(row, from: 19)
        guard let id = row.uuid(0), let member = RequestLifecycle.State(rawValue: Int(row.int(6))),
            let priority = Priority(rawValue: Int(row.int(5)))
        else { throw AIServiceError(.storageCorrupt, "A request's row cannot be read. Run `hablare doctor`.") }
        let isFromCache = row.int(20 + FlightLifecycle.columnCount) != 0
        var snapshot = RequestSnapshot(
            id: id, flight: FlightID(rawValue: row.int(15)), job: row.text(1).map(JobKey.init(rawValue:)),
            position: row.optionalInt(2).map { Int($0) },
            providerID: ProviderID(rawValue: row.text(3) ?? ""), model: row.text(4), priority: priority,
            phase: RequestPhase(member, lifecycle), error: try Coding.value(AIServiceError.self, row.data(7)),
            attempts: isFromCache ? 0 : lifecycle.attempt, deadline: row.optionalInt(12).map(Coding.date),
            createdAt: Coding.date(row.int(8)), finishedAt: row.optionalInt(9).map(Coding.date),
            supersedes: row.uuid(10), isPinned: row.int(17) != 0, awaitsMerge: row.int(18) != 0,
            isFromCache: isFromCache, metadata: try Coding.value([String: String].self, row.data(11)) ?? [:],
            tags: try Coding.value([String].self, row.data(16)) ?? [])
        if snapshot.phase == .pending { snapshot.waiting = lifecycle.waitReason { nil } }
        if snapshot.waitsForItsLane, let head = row.uuid(19 + FlightLifecycle.columnCount), head != id {
            snapshot.waiting = .following(head)
        }
        if lifecycle.owner != nil, let host = row.text(13) {
            snapshot.holder = RequestSnapshot.Holder(host: host, processID: Int32(truncatingIfNeeded: row.int(14)))
        }
        return (snapshot, FlightID(rawValue: row.int(15)))
    }

    func flightsAhead(of flight: FlightID) throws -> Int {
        var count = 0
        var select = try BoundStatement(
            db,
            """
            SELECT 1 FROM flights own CROSS JOIN flights f
            WHERE own.id = ?1 AND f.owner = 0 AND f.provider = own.provider
                AND (f.priority, f.id) < (own.priority, own.id)
            UNION ALL SELECT 1 FROM flights own CROSS JOIN flights f
            WHERE own.id = ?1 AND f.owner > 0 AND f.provider = own.provider AND f.state = 1
                AND (f.priority, f.id) < (own.priority, own.id)
            LIMIT ?2
            """)
        select.bind(2, maximumAhead)
        select.bind(1, flight.rawValue)
        try select.forEach { _ in count += 1 }
        return count
    }

    func flights(_ ids: [FlightID]) throws -> [FlightID: FlightLifecycle] {
        var found: [FlightID: FlightLifecycle] = [:]
        for id in ids {
            var select = try BoundStatement(db, "SELECT \(FlightLifecycle.columns) FROM flights f WHERE f.id = ?1")
            select.bind(1, id.rawValue)
            try select.forEach { found[id] = FlightLifecycle($0, from: 0) }
        }
        return found
    }

    // MARK: Content

    func response(of id: UUID) throws -> AIResponseData? {
        var found: AIResponseData?
        var select = try BoundStatement(
            db,
            """
            \(Self.responseColumns), r.evicted, r.cache_age
            FROM requests r JOIN responses s ON s.flight = r.flight \(Self.answerers) WHERE r.id = ?1 AND r.state = 1
            """)
        select.bind(1, id)
        try select.forEach { row in
            found = try response(row, for: id)
            if let age = row.optionalInt(21) { found = found?.fromCache(age: TimeInterval(age) / 1e6) }
            if row.int(20) == 1 { found = found?.evicted() }
        }
        return found
    }

    /// Returns the unusable answer of a request. It is stored in the place of the response, because the flight has no
    /// response.
    func keptAnswer(of id: UUID) throws -> AIResponseData? {
        var found: AIResponseData?
        var select = try BoundStatement(
            db,
            """
            \(Self.responseColumns)
            FROM requests r JOIN responses s ON s.flight = r.flight \(Self.answerers) WHERE r.id = ?1 AND f.state <> 3
            """)
        select.bind(1, id)
        try select.forEach { found = try response($0, for: id) }
        return found
    }

    /// Returns the response of a flight as the response of one of its members.
    func response(of flight: FlightID, for member: UUID) throws -> AIResponseData? {
        var found: AIResponseData?
        var select = try BoundStatement(
            db, "\(Self.responseColumns) FROM responses s \(Self.answerers) WHERE s.flight = ?1")
        select.bind(1, flight.rawValue)
        try select.forEach { found = try response($0, for: member) }
        return found
    }

    private static let responseColumns = """
        SELECT p.name, s.kind, s.format, s.body, s.digest, s.size, s.metadata, s.received_at,
            a.input_tokens, a.output_tokens, a.characters, a.bytes, a.cost, a.audio, s.cache_use,
            a.cached_tokens, a.cache_write_tokens, a.image_tokens, a.audio_tokens, a.spoken_tokens
        """
    /// The SQL that finds the provider that answered. This provider may differ from `f.provider`: the flight may have
    /// moved to another provider before a late answer arrived.
    private static let answerers = """
        JOIN flights f ON f.id = s.flight
        LEFT JOIN attempts a ON a.flight = s.flight AND a.outcome = 0
        JOIN providers p ON p.id = coalesce(a.provider, f.provider)
        """

    private func response(_ row: borrowing BoundStatement.RowReader, for id: UUID) throws -> AIResponseData {
        let reference = row.data(4).map { ContentReference(digest: $0, byteCount: Int(row.int(5))) }
        return AIResponseData(
            requestID: id, providerID: ProviderID(rawValue: row.text(0) ?? ""),
            result: try ContentColumns.content(
                kind: try ContentType(code: row.int(1)), format: row.text(2), inline: row.data(3),
                reference: reference, reader: content),
            metadata: ResponseLabels.metadata(
                cacheUse: row.optionalInt(14), others: try Coding.value([String: String].self, row.data(6))),
            receivedAt: Coding.date(row.int(7)),
            usage: Usage(
                inputTokens: row.int(8), outputTokens: row.int(9), characters: row.int(10), bytes: row.int(11),
                audioMilliseconds: row.int(13), costMicroDollars: row.optionalInt(12), cachedInputTokens: row.int(15),
                cacheWriteTokens: row.int(16), imageInputTokens: row.int(17), audioInputTokens: row.int(18),
                audioOutputTokens: row.int(19)))
    }

    func request(of id: UUID) throws -> StoredRequest? {
        var found: (RequestColumns, JobKey?, Int?)?
        var select = try BoundStatement(
            db,
            """
            \(RequestColumns.ofMember), j.key, r.position
            FROM requests r JOIN flights f ON f.id = r.flight JOIN providers p ON p.id = f.provider
            LEFT JOIN jobs j ON j.id = r.job WHERE r.id = ?1
            """)
        select.bind(1, id)
        try select.forEach { row in
            found = (
                try RequestColumns(row), row.text(RequestColumns.count).map(JobKey.init(rawValue:)),
                row.optionalInt(RequestColumns.count + 1).map { Int($0) }
            )
        }
        guard let (columns, job, position) = found else { return nil }
        var request = try columns.request(reading: content)
        request.model = columns.origin.model
        return StoredRequest(
            request: request, provider: columns.origin.provider,
            job: job.flatMap { key in position.map { Submission.JobPosition(key: key, position: $0) } })
    }

    // MARK: Records

    func attempts(of id: UUID) throws -> [AttemptRecord] {
        var records: [AttemptRecord] = []
        var select = try BoundStatement(
            db,
            """
            SELECT a.attempt, a.token, a.outcome, a.billing, a.started_at, a.ended_at, a.input_tokens,
                a.output_tokens, a.characters, a.bytes, a.cost, a.error, a.audio, p.name, a.model,
                a.cached_tokens, a.cache_write_tokens, a.image_tokens, a.audio_tokens, a.spoken_tokens
            FROM requests r JOIN attempts a ON a.flight = r.flight LEFT JOIN providers p ON p.id = a.provider
            WHERE r.id = ?1 AND r.cache_age IS NULL ORDER BY a.attempt
            """)
        select.bind(1, id)
        try select.forEach { row in
            guard let outcome = AttemptRecord.Outcome(rawValue: Int(row.int(2))),
                let billing = BillingState(rawValue: Int(row.int(3)))
            else { throw AIServiceError(.storageCorrupt, "An attempt's row cannot be read. Run `hablare doctor`.") }
            records.append(
                AttemptRecord(
                    attempt: Int(row.int(0)), token: row.int(1), outcome: outcome,
                    error: try Coding.value(AIServiceError.self, row.data(11)), billing: billing,
                    usage: Usage(
                        inputTokens: row.int(6), outputTokens: row.int(7), characters: row.int(8), bytes: row.int(9),
                        audioMilliseconds: row.int(12), costMicroDollars: row.optionalInt(10),
                        cachedInputTokens: row.int(15), cacheWriteTokens: row.int(16),
                        imageInputTokens: row.int(17), audioInputTokens: row.int(18), audioOutputTokens: row.int(19)),
                    provider: row.text(13).map(ProviderID.init(rawValue:)), model: row.text(14),
                    startedAt: Coding.date(row.int(4)), endedAt: Coding.date(row.int(5))))
        }
        return records
    }

    func owners() throws -> [OwnerRecord] {
        var records: [OwnerRecord] = []
        // Includes holders that have no row. A process that sees one retires it, which breaks its leases.
        var select = try BoundStatement(
            db,
            """
            SELECT id, host, pid, lock_name, expires_at FROM owners
            UNION ALL
            SELECT DISTINCT f.owner, '', 0, '', 0 FROM flights f
            WHERE f.owner > 0 AND NOT EXISTS (SELECT 1 FROM owners o WHERE o.id = f.owner)
            ORDER BY 1
            """)
        try select.forEach { row in
            records.append(
                OwnerRecord(
                    id: OwnerID(rawValue: row.int(0)),
                    registration: OwnerRegistration(
                        host: row.text(1) ?? "", processID: Int32(truncatingIfNeeded: row.int(2)),
                        lockName: row.text(3) ?? "", expiresAt: Coding.date(row.int(4)))))
        }
        return records
    }

    func providers() throws -> [ProviderID] {
        var found: [ProviderID] = []
        // Searches `flights_live` for each provider and state, and adds the few flights that are leased. It never scans
        // all waiting flights.
        var select = try BoundStatement(
            db,
            """
            SELECT p.name FROM providers p
            WHERE EXISTS (SELECT 1 FROM flights f WHERE f.owner = 0 AND f.provider = p.id)
                OR EXISTS (SELECT 1 FROM flights f WHERE f.owner = -1 AND f.provider = p.id)
                OR EXISTS (SELECT 1 FROM flights f WHERE f.owner = -2 AND f.provider = p.id)
                OR p.id IN (SELECT f.provider FROM flights f WHERE f.owner > 0)
            ORDER BY p.name
            """)
        try select.forEach { row in
            if let name = row.text(0) { found.append(ProviderID(rawValue: name)) }
        }
        return found
    }

    func accounts() throws -> [AccountRecord] {
        var providers: [AccountID: [ProviderID]] = [:]
        var names = try BoundStatement(db, "SELECT account, name FROM providers WHERE account IS NOT NULL")
        try names.forEach { row in
            guard let account = row.text(0), let name = row.text(1) else { return }
            providers[AccountID(rawValue: account), default: []].append(ProviderID(rawValue: name))
        }
        var records: [AccountRecord] = []
        var select = try BoundStatement(db, "\(AccountBudget.selection), name FROM accounts")
        try select.forEach { row in
            let id = AccountID(rawValue: row.text(AccountBudget.count) ?? "")
            let users = (providers[id] ?? []).sorted { $0.rawValue < $1.rawValue }
            records.append(AccountRecord(id: id, providers: users, budget: AccountBudget(row)))
        }
        return records.sorted { $0.id < $1.id }
    }

    func statistics() throws -> StoreStatistics {
        var statistics = StoreStatistics()
        var requests = try BoundStatement(
            db, "SELECT r.state, f.state = 2, count(*) FROM requests r JOIN flights f ON f.id = r.flight GROUP BY 1, 2")
        try requests.forEach { row in
            guard let state = RequestLifecycle.State(rawValue: Int(row.int(0))) else { return }
            let flight = FlightLifecycle(
                state: row.int(1) == 1 ? .executing(OwnerID(rawValue: 0)) : .waiting, token: 0, attempt: 0,
                generation: 0)
            statistics.requests[RequestPhase(state, flight), default: 0] += Int(row.int(2))
        }
        let attempts = try tally().sum
        statistics.attempts = attempts.attempts
        statistics.usage = attempts.usage
        (statistics.cachedAnswers, statistics.cachedBytes) = try cacheSize()
        return statistics
    }
}
