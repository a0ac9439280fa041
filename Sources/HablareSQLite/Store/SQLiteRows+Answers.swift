import Foundation
import GRDB
import Hablare
import HablareStores

/// The rows of output, responses, the cache and the ledger.
extension SQLiteRows {
    // MARK: Output

    func output(of flight: FlightID) throws -> OutputRow? {
        var output: OutputRow?
        var select = try BoundStatement(
            db,
            """
            SELECT generation, first + count, start + size FROM chunks WHERE flight = ?1
            ORDER BY generation DESC, first DESC LIMIT 1
            """)
        select.bind(1, flight.rawValue)
        try select.forEach {
            output = OutputRow(generation: Int($0.int(0)), chunks: Int($0.int(1)), bytes: Int($0.int(2)))
        }
        return output
    }

    func append(_ group: ChunkGroup) throws {
        let end = try db.endOfStream(group.flight, generation: group.generation)
        if group.first == 0 { try run("DELETE FROM chunks WHERE flight = ?1", of: group.flight) }
        var insert = try BoundStatement(
            db,
            """
            INSERT INTO chunks (flight, generation, first, count, start, size, sizes, bytes)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT DO NOTHING
            """)
        insert.bind(1, group.flight.rawValue)
        insert.bind(2, group.generation)
        insert.bind(3, group.first)
        insert.bind(4, group.sizes.count)
        insert.bind(5, end.bytes)
        insert.bind(6, group.bytes.count)
        insert.bind(7, PackedSizes.pack(group.sizes))
        insert.bind(8, group.bytes)
        try insert.run()
    }

    func outputCompleted(of flight: FlightID, generation: Int) throws {
        for sql in [
            "UPDATE chunks SET bytes = NULL WHERE flight = ?1 AND generation = ?2 AND bytes IS NOT NULL",
            "DELETE FROM chunks WHERE flight = ?1 AND generation <> ?2",
        ] {
            var statement = try BoundStatement(db, sql)
            statement.bind(1, flight.rawValue)
            statement.bind(2, generation)
            try statement.run()
        }
    }

    // MARK: Responses

    func response(of flight: FlightID) throws -> ResponseRow? {
        var response: ResponseRow?
        var select = try BoundStatement(
            db,
            """
            SELECT received_at, coalesce(size, length(body), 0), digest, size, body IS NULL AND digest IS NULL
            FROM responses WHERE flight = ?1
            """)
        select.bind(1, flight.rawValue)
        try select.forEach { row in
            response = ResponseRow(
                receivedAt: Coding.date(row.int(0)), bytes: row.int(1),
                content: row.data(2).map { ContentReference(digest: $0, byteCount: Int(row.int(3))) },
                isEvicted: row.int(4) == 1)
        }
        return response
    }

    mutating func write(_ response: AIResponseData, of flight: FlightID) throws {
        guard case .success(let content) = response.result else { return }
        let columns = try ContentColumns(content)
        if let old = try self.response(of: flight) {
            if old.content != columns.reference { release(old.content) }
            try run("DELETE FROM responses WHERE flight = ?1", of: flight)
        }
        try insert(response, content, columns, of: flight)
    }

    // Built once, not for every answer.
    private static let insertResponse = """
        INSERT INTO responses (flight, kind, format, body, digest, size, metadata, received_at, spare, cache_use)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, CASE WHEN \(Protection.exists(for: "?1")) THEN NULL ELSE ?9 END,
            ?10)
        ON CONFLICT DO NOTHING
        """

    func insert(
        _ response: AIResponseData, _ content: ResponseContent, _ columns: ContentColumns, of flight: FlightID
    ) throws {
        var insert = try BoundStatement(db, Self.insertResponse)
        insert.bind(1, flight.rawValue)
        insert.bind(2, content.type.code)
        insert.bind(3, content.format)
        insert.bind(4, columns.inline)
        insert.bind(5, columns.reference?.digest)
        insert.bind(6, columns.reference.map { Int64($0.byteCount) })
        let labels = ResponseLabels(response.metadata)
        insert.bind(7, try Coding.labels(labels.others))
        insert.bind(8, Coding.time(response.receivedAt))
        insert.bind(9, columns.byteCount)
        insert.bind(10, labels.cacheUse)
        try insert.run()
    }

    mutating func evictResponse(of flight: FlightID) throws {
        release(try response(of: flight)?.content)
        try run(
            """
            UPDATE responses SET body = NULL, digest = NULL, size = NULL, spare = NULL
            WHERE flight = ?1 AND (body IS NOT NULL OR digest IS NOT NULL)
            """, of: flight)
        try run("DELETE FROM chunks WHERE flight = ?1", of: flight)
    }

    func hasContent(_ reference: ContentReference) -> Bool { hasContentFile(reference) }

    func unprotectedResponses(through position: PrunePlan.Position, limit: Int) throws -> [FlightID] {
        var found: [FlightID] = []
        var select = try BoundStatement(
            db,
            """
            SELECT flight FROM responses WHERE spare IS NOT NULL AND (received_at, flight) <= (?1, ?2)
            ORDER BY received_at, flight LIMIT ?3
            """)
        select.bind(1, Coding.time(position.receivedAt))
        select.bind(2, position.flight.rawValue)
        select.bind(3, limit)
        try select.forEach { found.append(FlightID(rawValue: $0.int(0))) }
        return found
    }

    // MARK: The cache

    func cacheSize() throws -> (count: Int, bytes: Int64) { try ReadTransaction(db: db, content: nil).cacheSize() }

    func leastRecentlyUsedAnswer() throws -> FlightID? { try answers("ORDER BY f.used_at, f.id LIMIT 1").first }

    func answers(_ selection: CacheSelection) throws -> [FlightID] {
        switch selection {
        case .answer(let flight): return [flight]
        case .fingerprint(let work): return try flights(for: work)
        case .everything: return try answers("")
        case .tag(let tag):
            return try answers(
                "AND EXISTS (SELECT 1 FROM flight_tags t WHERE t.flight = f.id AND t.tag = ?1)"
            ) { $0.bind(1, tag) }
        case .provider(let provider): return try answers { $0.contains { $0.provider == provider } }
        case .model(let model, let provider):
            return try answers { $0.contains(FallbackTarget(provider, model: model)) }
        }
    }

    private func answers(
        _ restriction: String, _ bind: (inout BoundStatement) -> Void = { _ in }
    ) throws -> [FlightID] {
        var flights: [FlightID] = []
        var select = try BoundStatement(
            db, "SELECT f.id FROM flights f INDEXED BY flights_answered WHERE f.used_at IS NOT NULL \(restriction)")
        bind(&select)
        try select.forEach { flights.append(FlightID(rawValue: $0.int(0))) }
        return flights
    }

    /// Returns the flights of the cached answers whose providers and models satisfy a condition. The condition receives
    /// two providers with their models: those that the flight has now, and those of the submission.
    private func answers(where isChosen: ([FallbackTarget]) -> Bool) throws -> [FlightID] {
        var flights: [FlightID] = []
        var select = try BoundStatement(
            db,
            """
            SELECT f.id, p.name, f.model, f.chain FROM flights f INDEXED BY flights_answered
            JOIN providers p ON p.id = f.provider WHERE f.used_at IS NOT NULL
            """)
        try select.forEach { row in
            let present = FallbackTarget(ProviderID(rawValue: row.text(1) ?? ""), model: row.text(2))
            let isMeant: Bool
            do {
                let origin = try Coding.value([FallbackTarget].self, row.data(3))?.first
                isMeant = isChosen([present, origin ?? present])
            } catch {
                isMeant = true  // unreadable, so it may match: repeating the work is the safer mistake
            }
            if isMeant { flights.append(FlightID(rawValue: row.int(0))) }
        }
        return flights
    }

    // MARK: The ledger

    /// Returns an attempt without its usage and error, because the machine does not need them.
    func attempt(_ number: Int, of flight: FlightID) throws -> AttemptRecord? {
        var found: AttemptRecord?
        var select = try BoundStatement(
            db,
            """
            SELECT a.token, a.outcome, a.billing, a.started_at, a.ended_at, p.name, a.model
            FROM attempts a LEFT JOIN providers p ON p.id = a.provider WHERE a.flight = ?1 AND a.attempt = ?2
            """)
        select.bind(1, flight.rawValue)
        select.bind(2, number)
        try select.forEach { row in
            found = AttemptRecord(
                attempt: number, token: row.int(0),
                outcome: AttemptRecord.Outcome(rawValue: Int(row.int(1))) ?? .lost,
                billing: BillingState(rawValue: Int(row.int(2))) ?? .maybeBilled,
                provider: row.text(5).map(ProviderID.init(rawValue:)), model: row.text(6),
                startedAt: Coding.date(row.int(3)), endedAt: Coding.date(row.int(4)))
        }
        return found
    }

    mutating func write(_ attempt: AttemptRecord, of flight: FlightID) throws {
        var insert = try BoundStatement(
            db,
            """
            INSERT OR REPLACE INTO attempts (flight, attempt, token, outcome, billing, started_at, ended_at,
                input_tokens, output_tokens, characters, bytes, cost, error, audio, cached_tokens,
                cache_write_tokens, image_tokens, audio_tokens, spoken_tokens, provider, model)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21)
            """)
        try insert.bind(attempt, of: flight)
        insert.bind(20, try attempt.provider.map { try number(of: $0) })
        insert.bind(21, attempt.model)
        try insert.run()
    }

    func charge(_ tags: [String], for flight: FlightID) throws {
        for tag in tags {
            var insert = try BoundStatement(
                db, "INSERT INTO flight_tags (flight, tag) VALUES (?1, ?2) ON CONFLICT DO NOTHING")
            insert.bind(1, flight.rawValue)
            insert.bind(2, tag)
            try insert.run()
        }
    }

    func account(of budget: BudgetPeriod) throws -> BudgetAccount? {
        var account: BudgetAccount?
        var select = try BoundStatement(db, "SELECT spent, unknown FROM budgets WHERE name = ?1 AND period = ?2")
        select.bind(1, budget.budget)
        select.bind(2, Coding.time(budget.period))
        try select.forEach { row in
            account = BudgetAccount(spent: row.int(0), unknown: Int(clamping: row.int(1)))
        }
        return account
    }

    func write(_ account: BudgetAccount, of budget: BudgetPeriod) throws {
        var upsert = try BoundStatement(
            db,
            """
            INSERT INTO budgets (name, period, spent, unknown) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (name, period) DO UPDATE SET spent = ?3, unknown = ?4
            """)
        upsert.bind(1, budget.budget)
        upsert.bind(2, Coding.time(budget.period))
        upsert.bind(3, account.spent)
        upsert.bind(4, account.unknown)
        try upsert.run()
    }

    func reservations(of attempt: Int, of flight: FlightID) throws -> [Reservation] {
        var reservations: [Reservation] = []
        var select = try BoundStatement(
            db,
            "SELECT budget, period, bound, amount, unknown FROM reservations WHERE flight = ?1 AND attempt = ?2")
        select.bind(1, flight.rawValue)
        select.bind(2, attempt)
        try select.forEach { row in
            reservations.append(
                Reservation(
                    budget: BudgetPeriod(budget: row.text(0) ?? "", period: Coding.date(row.int(1))),
                    bound: row.optionalInt(2),
                    share: BudgetAccount.Share(amount: row.int(3), isUnknown: row.int(4) != 0)))
        }
        return reservations
    }

    func write(_ reservations: [Reservation], of attempt: Int, of flight: FlightID) throws {
        for reservation in reservations {
            var upsert = try BoundStatement(
                db,
                """
                INSERT INTO reservations (flight, attempt, budget, period, bound, amount, unknown)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                ON CONFLICT (flight, attempt, budget) DO UPDATE SET amount = ?6, unknown = ?7
                """)
            upsert.bind(1, flight.rawValue)
            upsert.bind(2, attempt)
            upsert.bind(3, reservation.budget.budget)
            upsert.bind(4, Coding.time(reservation.budget.period))
            upsert.bind(5, reservation.bound)
            upsert.bind(6, reservation.share.amount)
            upsert.bind(7, reservation.share.isUnknown ? 1 : 0)
            try upsert.run()
        }
    }
}

extension Database {
    /// Returns the number and the total size of the chunks of a generation that the store has.
    func endOfStream(_ flight: FlightID, generation: Int) throws -> (count: Int, bytes: Int) {
        var end = (count: 0, bytes: 0)
        var select = try BoundStatement(
            self,
            """
            SELECT first + count, start + size FROM chunks WHERE flight = ?1 AND generation = ?2
            ORDER BY first DESC LIMIT 1
            """)
        select.bind(1, flight.rawValue)
        select.bind(2, generation)
        try select.forEach { end = (Int($0.int(0)), Int($0.int(1))) }
        return end
    }
}

/// The SQL that finds a flight by its work.
enum CacheColumns {
    /// The condition that a flight does the work ?2, and is live or has its answer in the cache. The parameter ?1 is
    /// the first ``keyLength`` bytes of the work. The index contains only the beginning of each fingerprint. This
    /// halves the size of the index. The size matters because fingerprints are random, so each write changes a
    /// different page. If the column `findable` is damaged, the other parts of the condition still exclude flights that
    /// do not belong to the result.
    static let isSameWork = """
        substr(fingerprint, 1, 8) = ?1 AND findable IS NOT NULL AND fingerprint = ?2
            AND (owner IS NOT NULL OR used_at IS NOT NULL)
        """

    /// The number of bytes of a fingerprint in the index.
    static let keyLength = 8
}

extension BoundStatement {
    /// Binds parameters 1 to 19: the columns of an attempt's line except its provider and model.
    mutating func bind(_ attempt: AttemptRecord, of flight: FlightID) throws {
        bind(1, flight.rawValue)
        bind(2, attempt.attempt)
        bind(3, attempt.token)
        bind(4, attempt.outcome.rawValue)
        bind(5, attempt.billing.rawValue)
        bind(6, Coding.time(attempt.startedAt))
        bind(7, Coding.time(attempt.endedAt))
        bind(8, attempt.usage.inputTokens)
        bind(9, attempt.usage.outputTokens)
        bind(10, attempt.usage.characters)
        bind(11, attempt.usage.bytes)
        bind(12, attempt.usage.costMicroDollars)
        bind(13, try attempt.error.map { try Coding.json($0) })
        bind(14, attempt.usage.audioMilliseconds)
        bind(15, attempt.usage.cachedInputTokens)
        bind(16, attempt.usage.cacheWriteTokens)
        bind(17, attempt.usage.imageInputTokens)
        bind(18, attempt.usage.audioInputTokens)
        bind(19, attempt.usage.audioOutputTokens)
    }
}
