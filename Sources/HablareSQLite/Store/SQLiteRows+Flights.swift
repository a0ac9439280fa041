import Foundation
import GRDB
import Hablare
import HablareStores

/// The rows of flights and their members.
extension SQLiteRows {
    // MARK: Inserting

    mutating func insert(_ flight: FlightRow, of submission: Submission) throws -> FlightID {
        let request = submission.request
        let columns = try columns(of: submission)
        var insert = try BoundStatement(
            db,
            """
            INSERT INTO flights (state, owner, token, attempt, generation, started_at, provider, job, priority, member,
                fingerprint, model, tenant, sample, timeout, prompt_kind, prompt, prompt_digest, prompt_size, parameters,
                max_attempts, on_unknown, tried_since, chain, streaming, findable)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21,
                ?22, ?6, ?23, ?24, 1)
            """)
        insert.bind(1, flight.lifecycle.stateCode)
        insert.bind(2, flight.lifecycle.ownerCode)
        insert.bind(3, flight.lifecycle.token)
        insert.bind(4, flight.lifecycle.attempt)
        insert.bind(5, flight.lifecycle.generation)
        insert.bind(6, flight.startedAt.map(Coding.time))
        insert.bind(7, try number(of: flight.provider))
        insert.bind(8, try flight.job.map { try number(of: $0) })
        insert.bind(9, flight.priority.rawValue)
        insert.bind(10, flight.head)
        insert.bind(11, submission.fingerprint)
        insert.bind(12, flight.model)
        insert.bind(13, request.tenant.isEmpty ? nil : request.tenant)
        insert.bind(14, request.sample)
        insert.bind(15, request.attemptTimeout.map(Coding.milliseconds))
        insert.bind(16, columns.prompt.kind)
        insert.bind(17, columns.prompt.inline)
        insert.bind(18, submission.promptContent?.digest)
        insert.bind(19, submission.promptContent.map { Int64($0.byteCount) })
        insert.bind(20, columns.parameters)
        insert.bind(21, request.maximumAttempts.map(Int64.init))
        insert.bind(22, flight.unknownOutcome.rawValue)
        insert.bind(23, columns.chain)
        insert.bind(24, flight.streaming?.code)
        try insert.run()
        return FlightID(rawValue: db.lastInsertedRowID)
    }

    mutating func insert(_ flight: FlightRow, copying original: FlightID) throws -> FlightID {
        var insert = try BoundStatement(
            db,
            """
            INSERT INTO flights (state, owner, token, attempt, generation, provider, job, priority, member, fingerprint,
                model, tenant, sample, timeout, prompt_kind, prompt, prompt_digest, prompt_size, parameters,
                max_attempts, on_unknown, chain, streaming, findable)
            SELECT ?2, ?3, ?4, ?5, ?6, f.provider, ?7, ?8, ?9, f.fingerprint, f.model, f.tenant, f.sample, f.timeout,
                f.prompt_kind, f.prompt, f.prompt_digest, f.prompt_size, f.parameters, f.max_attempts, f.on_unknown,
                f.chain, f.streaming, 1
            FROM flights f WHERE f.id = ?1
            """)
        insert.bind(1, original.rawValue)
        insert.bind(2, flight.lifecycle.stateCode)
        insert.bind(3, flight.lifecycle.ownerCode)
        insert.bind(4, flight.lifecycle.token)
        insert.bind(5, flight.lifecycle.attempt)
        insert.bind(6, flight.lifecycle.generation)
        insert.bind(7, try flight.job.map { try number(of: $0) })
        insert.bind(8, flight.priority.rawValue)
        insert.bind(9, flight.head)
        try insert.run()
        return FlightID(rawValue: db.lastInsertedRowID)
    }

    // MARK: Reading and writing

    private static let selectFlight = """
        SELECT \(FlightLifecycle.columns), f.member, f.shared, j.key, f.priority, p.name, f.model, f.chain, f.fingerprint,
            f.on_unknown, f.streaming, f.started_at, f.tried_since, f.used_at, f.answer_size
        FROM flights f LEFT JOIN providers p ON p.id = f.provider LEFT JOIN jobs j ON j.id = f.job WHERE f.id = ?1
        """

    func flight(_ id: FlightID) throws -> FlightRow? {
        var found: FlightRow?
        var select = try BoundStatement(db, Self.selectFlight)
        select.bind(1, id.rawValue)
        try select.forEach { row in
            let first = FlightLifecycle.columnCount
            let provider = ProviderID(rawValue: row.text(first + 4) ?? "")
            let model = row.text(first + 5)
            found = FlightRow(
                lifecycle: FlightLifecycle(row), head: row.uuid(first) ?? Self.nobody,
                isShared: row.int(first + 1) == 1,
                job: row.text(first + 2).map(JobKey.init(rawValue:)),
                priority: Priority(rawValue: Int(row.int(first + 3))) ?? .normal, provider: provider, model: model,
                origin: Self.origin(row.data(first + 6)) ?? FallbackTarget(provider, model: model),
                work: row.data(first + 7).flatMap(Fingerprint.init(digest:)),
                // For a damaged code, the policy that costs nothing: hold the flight until the user decides.
                unknownOutcome: UnknownOutcomePolicy(rawValue: Int(row.int(first + 8))) ?? .hold,
                streaming: row.optionalInt(first + 9).map(StreamingPolicy.init(code:)),
                startedAt: row.optionalInt(first + 10).map(Coding.date),
                triedSince: row.optionalInt(first + 11).map(Coding.date),
                usedAt: row.optionalInt(first + 12).map(Coding.date), answerBytes: row.int(first + 13))
        }
        return found
    }

    /// The UUID that stands for the leader if the row of a flight names no leader.
    private static let nobody = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    /// Returns the provider and the model for which a flight was submitted, if the flight has fallback providers.
    /// Returns `nil` if the stored list is damaged.
    private static func origin(_ chain: Data?) -> FallbackTarget? {
        do {
            return try Coding.value([FallbackTarget].self, chain)?.first
        } catch {
            return nil
        }
    }

    mutating func write(_ flight: FlightRow, of id: FlightID) throws {
        if flight.isShared { try noteLeader(flight, of: id) }
        let isFindable = !flight.lifecycle.isSettled || flight.usedAt != nil
        var update = try BoundStatement(
            db,
            """
            UPDATE flights SET state = ?2, owner = ?3, token = ?4, attempt = ?5, generation = ?6, uncounted = ?7,
                losses = ?8, not_before = ?9, handle = CASE WHEN ?10 THEN handle END, started_at = ?11,
                tried_since = ?12, member = ?13, shared = ?14, job = ?15, priority = ?16, provider = coalesce(?17, provider), model = ?18,
                used_at = ?19, answer_size = ?20, findable = ?21
            WHERE id = ?1
            """)
        update.bind(1, id.rawValue)
        update.bind(2, flight.lifecycle.stateCode)
        update.bind(3, flight.lifecycle.ownerCode)
        update.bind(4, flight.lifecycle.token)
        update.bind(5, flight.lifecycle.attempt)
        update.bind(6, flight.lifecycle.generation)
        update.bind(7, flight.lifecycle.uncounted)
        update.bind(8, flight.lifecycle.losses)
        update.bind(9, flight.lifecycle.notBeforeCode)
        update.bind(10, flight.lifecycle.hasHandle ? 1 : 0)
        update.bind(11, flight.startedAt.map(Coding.time))
        update.bind(12, flight.triedSince.map(Coding.time))
        update.bind(13, flight.head)
        update.bind(14, flight.isShared ? 1 : 0)
        update.bind(15, try flight.job.map { try number(of: $0) })
        update.bind(16, flight.priority.rawValue)
        // NULL if the row's number names no provider: a damaged number stays as it is.
        update.bind(17, flight.provider.rawValue.isEmpty ? nil : try number(of: flight.provider))
        update.bind(18, flight.model)
        update.bind(19, flight.usedAt.map(Coding.time))
        update.bind(20, flight.usedAt == nil ? nil : flight.answerBytes)
        update.bind(21, isFindable ? Int64(1) : nil)
        try update.run()
    }

    /// Updates the rows of members when the flight becomes shared or gets another leader. The row of the first leader
    /// then gets its own priority. A former leader becomes an ordinary member. Processes of its job may still claim the
    /// flight.
    private func noteLeader(_ flight: FlightRow, of id: FlightID) throws {
        try run(
            """
            UPDATE requests SET priority = (SELECT priority FROM flights WHERE id = ?1)
            WHERE id = (SELECT member FROM flights WHERE id = ?1 AND shared = 0) AND flight = ?1
            """, of: id)
        for sql in [
            """
            UPDATE requests SET follows = 1
            WHERE id = (SELECT member FROM flights WHERE id = ?1 AND member <> ?2) AND flight = ?1 AND follows = 0
            """,
            """
            INSERT INTO joined_jobs (job, flight)
            SELECT job, id FROM flights WHERE id = ?1 AND member <> ?2 AND job IS NOT NULL ON CONFLICT DO NOTHING
            """,
        ] {
            var statement = try BoundStatement(db, sql)
            statement.bind(1, id.rawValue)
            statement.bind(2, flight.head)
            try statement.run()
        }
    }

    func write(handle: Data?, of id: FlightID) throws {
        var update = try BoundStatement(db, "UPDATE flights SET handle = ?2 WHERE id = ?1")
        update.bind(1, id.rawValue)
        update.bind(2, handle)
        try update.run()
    }

    mutating func erase(_ id: FlightID) throws {
        try releaseContent("SELECT digest, size FROM responses WHERE flight = ?1 AND digest IS NOT NULL", of: id)
        try releaseContent(
            "SELECT prompt_digest, prompt_size FROM flights WHERE id = ?1 AND prompt_digest IS NOT NULL", of: id)
        try run("DELETE FROM responses WHERE flight = ?1", of: id)
        try run("DELETE FROM joined_jobs WHERE flight = ?1", of: id)
        try run("DELETE FROM chunks WHERE flight = ?1", of: id)
        // The ledger keeps the cost of each attempt and the kind of its error.
        try run(
            """
            UPDATE attempts SET error = CASE WHEN json_valid(CAST(error AS TEXT)) THEN
                CAST(json_remove(json_set(CAST(error AS TEXT), '$.message', ''), '$.cause') AS BLOB) END
            WHERE flight = ?1 AND error IS NOT NULL
            """, of: id)
        // Keeps the flight's number and state, which its ledger lines refer to.
        try run(
            """
            UPDATE flights SET prompt = NULL, prompt_digest = NULL, prompt_size = NULL, parameters = NULL,
                fingerprint = x'', used_at = NULL, answer_size = NULL, handle = NULL,
                findable = CASE WHEN owner IS NOT NULL THEN 1 END
            WHERE id = ?1
            """, of: id)
    }

    private mutating func releaseContent(_ sql: String, of flight: FlightID) throws {
        var reference: ContentReference?
        var select = try BoundStatement(db, sql)
        select.bind(1, flight.rawValue)
        try select.forEach { row in
            reference = row.data(0).map { ContentReference(digest: $0, byteCount: Int(row.int(1))) }
        }
        release(reference)
    }

    func flights(for work: Fingerprint) throws -> [FlightID] {
        var flights: [FlightID] = []
        var select = try BoundStatement(
            db,
            """
            SELECT id FROM flights INDEXED BY flights_by_work WHERE \(CacheColumns.isSameWork) AND length(member) = 16
            ORDER BY id
            """)
        select.bind(1, beginningOf: work, length: CacheColumns.keyLength)
        select.bind(2, work)
        try select.forEach { flights.append(FlightID(rawValue: $0.int(0))) }
        return flights
    }

    // MARK: Members

    private static let leader = "(SELECT member FROM flights WHERE id = ?1)"

    func members(of flight: FlightID) throws -> [FlightMember] {
        var members: [FlightMember] = []
        var select = try BoundStatement(
            db,
            """
            SELECT id, state, deadline FROM requests INDEXED BY requests_aboard WHERE flight = ?1 AND follows = 1
            UNION SELECT id, state, deadline FROM requests WHERE id = \(Self.leader) AND flight = ?1 ORDER BY id
            """)
        select.bind(1, flight.rawValue)
        try select.forEach { row in
            guard let id = row.uuid(0), let state = RequestLifecycle.State(rawValue: Int(row.int(1))) else { return }
            members.append(
                FlightMember(
                    id: id, lifecycle: RequestLifecycle(state: state),
                    deadline: row.optionalInt(2).map(Coding.date)))
        }
        return members
    }

    func hasMembers(of flight: FlightID, besides id: UUID) throws -> Bool {
        var hasOthers = false
        var select = try BoundStatement(
            db,
            """
            SELECT 1 FROM requests WHERE id = \(Self.leader) AND flight = ?1 AND id <> ?2
            UNION ALL SELECT 1 FROM requests INDEXED BY requests_aboard
            WHERE flight = ?1 AND follows = 1 AND id <> ?2 LIMIT 1
            """)
        select.bind(1, flight.rawValue)
        select.bind(2, id)
        try select.forEach { _ in hasOthers = true }
        return hasOthers
    }

    func liveMembers(of flight: FlightID) throws -> (first: UUID, priority: Priority)? {
        var found: (first: UUID, priority: Priority)?
        func consider(_ sql: String, _ priority: Priority? = nil) throws {
            var select = try BoundStatement(db, sql)
            select.bind(1, flight.rawValue)
            if let priority { select.bind(2, priority.rawValue) }
            try select.forEach { row in
                guard let id = row.uuid(0) else { return }
                let priority = priority ?? Priority(rawValue: Int(row.int(1))) ?? .normal
                let first = found.map { id.precedes($0.first) ? id : $0.first } ?? id
                found = (first, found.map { min(priority, $0.priority) } ?? priority)
            }
        }
        try consider(
            """
            SELECT r.id, coalesce(r.priority, f.priority) FROM flights f JOIN requests r ON r.id = f.member AND r.flight = f.id
            WHERE f.id = ?1 AND r.state = 0
            """)
        for priority in Priority.allCases {
            try consider(
                """
                SELECT id FROM requests INDEXED BY requests_aboard
                WHERE flight = ?1 AND follows = 1 AND state = 0 AND priority = ?2 ORDER BY id LIMIT 1
                """, priority)
        }
        return found
    }

    func isResponseKept(by flight: FlightID) throws -> Bool {
        var isKept = false
        var select = try BoundStatement(
            db,
            """
            SELECT 1 FROM requests WHERE id = \(Self.leader) AND flight = ?1 AND state = 1 AND evicted = 0
            UNION ALL SELECT 1 FROM requests INDEXED BY requests_aboard
            WHERE flight = ?1 AND follows = 1 AND state = 1 AND evicted = 0 LIMIT 1
            """)
        select.bind(1, flight.rawValue)
        try select.forEach { _ in isKept = true }
        return isKept
    }

    func isProtected(_ flight: FlightID) throws -> Bool {
        var isProtected = false
        var select = try BoundStatement(db, "SELECT \(Protection.exists(for: "?1"))")
        select.bind(1, flight.rawValue)
        try select.forEach { isProtected = $0.int(0) == 1 }
        return isProtected
    }

    /// Records whether a flight's response may be evicted.
    func protectionChanged(of flight: FlightID) throws {
        try run(
            """
            UPDATE responses
            SET spare = CASE WHEN NOT \(Protection.exists(for: "?1")) THEN coalesce(size, length(body)) END
            WHERE flight = ?1
            """, of: flight)
    }
}

/// The rule of `RequestRow.protectsResponse` as SQL. A protected response is kept regardless of its age and the store's
/// limits. The rule is stated in no other SQL. The index of responses depends on it.
enum Protection {
    /// Returns the condition that a flight has a request that protects its response.
    static func exists(for flight: String) -> String {
        """
        EXISTS (
            SELECT 1 FROM flights pf JOIN requests pr ON pr.id = pf.member AND pr.flight = pf.id
            WHERE pf.id = \(flight) AND pr.evicted = 0
                AND (pr.job IS NOT NULL OR pr.pinned <> 0 OR pr.merge IS 0)
            UNION ALL SELECT 1 FROM requests pm INDEXED BY requests_aboard
            WHERE pm.flight = \(flight) AND pm.follows = 1 AND pm.evicted = 0
                AND (pm.job IS NOT NULL OR pm.pinned <> 0 OR pm.merge IS 0)
        )
        """
    }
}
