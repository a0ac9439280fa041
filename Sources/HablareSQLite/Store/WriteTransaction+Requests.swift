import Foundation
import GRDB
import Hablare

extension WriteTransaction {
    private struct Member {
        let lifecycle: RequestLifecycle
        let flight: FlightID
    }

    // MARK: Wishes

    mutating func cancel(_ id: UUID, at date: Date) throws -> WriteReceipt {
        guard let member = try member(id) else { return .unknownRequest }
        var lifecycle = member.lifecycle
        if case .refused(let state) = lifecycle.cancelRequested() { return .invalidState(state) }
        try finish(id, as: lifecycle.state, at: date, error: nil)
        return try left(member.flight, at: date)
    }

    mutating func retry(_ id: UUID, at date: Date) throws -> WriteReceipt {
        guard let member = try member(id), let row = try flightRow(member.flight) else { return .unknownRequest }
        var lifecycle = member.lifecycle
        if case .refused(let state) = lifecycle.retryRequested(row.lifecycle) { return .invalidState(state) }
        // Whoever retries it wants it after all: a deadline that has passed is dropped.
        var update = try BoundStatement(
            db,
            """
            UPDATE requests SET state = ?2, finished_at = NULL, error = NULL,
                deadline = CASE WHEN deadline > ?3 THEN deadline END
            WHERE id = ?1
            """)
        update.bind(1, id)
        update.bind(2, lifecycle.state.rawValue)
        update.bind(3, Coding.time(date))
        try update.run()
        try embark(id, wasLive: member.lifecycle.state == .live, row)
        return .done
    }

    /// Puts a request that is live again aboard its flight; or aboard a new one that does the same work, where the others
    /// have had their answer: final is final.
    private mutating func embark(_ id: UUID, wasLive: Bool, _ row: FlightRow) throws {
        guard row.lifecycle.state != .settled(.completed) else { return try embarkAnew(id, row) }
        // Under way for others it cannot be opened again: then the request follows them.
        if let opened = row.lifecycle.opened { try write(opened, to: row.id) }
        guard row.isShared, !wasLive else { return }
        try muster(row.id, row)
        if let job = try jobNumber(of: id) { try adopted(id, aboard: row.id, into: job) }
    }

    /// Generations are counted on: readers of the old flight's output tell by the number that the new one is begun anew.
    private mutating func embarkAnew(_ id: UUID, _ row: FlightRow) throws {
        var insert = try BoundStatement(
            db,
            """
            INSERT INTO flights (state, owner, token, attempt, generation, provider, job, priority, member, fingerprint,
                model, tenant, sample, timeout, prompt_kind, prompt, prompt_digest, prompt_size, parameters,
                max_attempts, on_unknown, chain, streaming)
            SELECT 0, 0, 0, 0, f.generation, f.provider, r.job, coalesce(r.priority, f.priority), r.id, f.fingerprint,
                f.model, f.tenant, f.sample, f.timeout, f.prompt_kind, f.prompt, f.prompt_digest, f.prompt_size,
                f.parameters, f.max_attempts, f.on_unknown, f.chain, f.streaming
            FROM flights f JOIN requests r ON r.id = ?2 WHERE f.id = ?1
            """)
        insert.bind(1, row.id.rawValue)
        insert.bind(2, id)
        try insert.run()
        var update = try BoundStatement(
            db, "UPDATE requests SET flight = ?2, follows = 0, evicted = 0 WHERE id = ?1")
        update.bind(1, id)
        let flight = db.lastInsertedRowID
        update.bind(2, flight)
        try update.run()
        var tags = try BoundStatement(
            db,
            """
            INSERT INTO flight_tags (flight, tag)
            SELECT ?2, t.value FROM requests r, json_each(CAST(r.tags AS TEXT)) t WHERE r.id = ?1 ON CONFLICT DO NOTHING
            """)
        tags.bind(1, id)
        tags.bind(2, flight)
        try tags.run()
        // The last one to leave takes the prompt along: whoever deletes it then has the new flight erased, and not this.
        guard try hasMembers(row, besides: id) else { return try erase(row.id) }
        try noteProtection(of: row.id)
    }

    private func jobNumber(of id: UUID) throws -> Int64? {
        var job: Int64?
        var select = try BoundStatement(db, "SELECT job FROM requests WHERE id = ?1")
        select.bind(1, id)
        try select.forEach { job = $0.optionalInt(0) }
        return job
    }

    mutating func evict(_ id: UUID) throws -> WriteReceipt {
        guard let member = try member(id) else { return .unknownRequest }
        guard member.lifecycle.state == .completed else { return .invalidState(member.lifecycle.state) }
        var request = try BoundStatement(db, "UPDATE requests SET evicted = 1 WHERE id = ?1")
        request.bind(1, id)
        try request.run()
        try giveUpResponse(of: member.flight)
        return .done
    }

    /// Gives up a response that no member keeps.
    private mutating func giveUpResponse(of flight: FlightID) throws {
        guard let row = try flightRow(flight), row.lifecycle.state == .settled(.completed),
            try !isResponseKept(by: row)
        else { return try noteProtection(of: flight) }
        try releaseResponse(of: flight)
        var update = try BoundStatement(
            db, "UPDATE responses SET body = NULL, digest = NULL, size = NULL, spare = NULL WHERE flight = ?1")
        update.bind(1, flight.rawValue)
        try update.run()
        try forgetAnswer(of: flight)
        try forgetChunks(of: flight)
    }

    private func isResponseKept(by row: FlightRow) throws -> Bool {
        var isKept = false
        var select = try BoundStatement(
            db,
            """
            SELECT 1 FROM requests WHERE id = ?2 AND flight = ?1 AND state = 1 AND evicted = 0
            UNION ALL SELECT 1 FROM requests INDEXED BY requests_aboard
            WHERE flight = ?1 AND follows = 1 AND state = 1 AND evicted = 0 LIMIT 1
            """)
        select.bind(1, row.id.rawValue)
        select.bind(2, row.head?.bytes)
        try select.forEach { _ in isKept = true }
        return isKept
    }

    mutating func delete(_ id: UUID, at date: Date) throws -> WriteReceipt {
        guard let member = try member(id), let row = try flightRow(member.flight) else { return .unknownRequest }
        let wasLive = member.lifecycle.state == .live
        let isLast = try !hasMembers(row, besides: id)
        if isLast { try erase(member.flight) }
        var delete = try BoundStatement(db, "DELETE FROM requests WHERE id = ?1")
        delete.bind(1, id)
        try delete.run()
        if !isLast { try giveUpResponse(of: member.flight) }
        // Last, because it writes the flight's row anew, which needs room for a prompt: a full store must delete.
        return wasLive ? try left(member.flight, at: date) : .done
    }

    private func hasMembers(_ row: FlightRow, besides id: UUID) throws -> Bool {
        var hasOthers = false
        var select = try BoundStatement(
            db,
            """
            SELECT 1 FROM requests WHERE id = ?2 AND flight = ?1 AND id <> ?3
            UNION ALL SELECT 1 FROM requests INDEXED BY requests_aboard
            WHERE flight = ?1 AND follows = 1 AND id <> ?3 LIMIT 1
            """)
        select.bind(1, row.id.rawValue)
        select.bind(2, row.head?.bytes)
        select.bind(3, id)
        try select.forEach { _ in hasOthers = true }
        return hasOthers
    }

    /// Erases a flight's prompt and response, and the words of what went wrong, which may quote them.
    private mutating func erase(_ flight: FlightID) throws {
        try releaseResponse(of: flight)
        try releasePrompt(of: flight)
        for sql in [
            "DELETE FROM responses WHERE flight = ?1",
            "DELETE FROM joined_jobs WHERE flight = ?1",
            "DELETE FROM chunks WHERE flight = ?1",
            // The ledger goes on telling what it costs and of which kind it was.
            """
            UPDATE attempts SET error = CASE WHEN json_valid(CAST(error AS TEXT)) THEN
                CAST(json_remove(json_set(CAST(error AS TEXT), '$.message', ''), '$.cause') AS BLOB) END
            WHERE flight = ?1 AND error IS NOT NULL
            """,
            // What stays is the flight's number and state, which its ledger lines refer to.
            """
            UPDATE flights SET prompt = NULL, prompt_digest = NULL, prompt_size = NULL, parameters = NULL,
                fingerprint = x'', used_at = NULL, answer_size = NULL, handle = NULL WHERE id = ?1
            """,
        ] {
            var statement = try BoundStatement(db, sql)
            statement.bind(1, flight.rawValue)
            try statement.run()
        }
    }

    // MARK: Rows

    /// Makes a live request final.
    func finish(_ id: UUID, as state: RequestLifecycle.State, at date: Date, error: AIServiceError?) throws {
        var update = try BoundStatement(
            db, "UPDATE requests SET state = ?2, finished_at = ?3, error = ?4 WHERE id = ?1 AND state = 0")
        update.bind(1, id)
        update.bind(2, state.rawValue)
        update.bind(3, Coding.time(date))
        update.bind(4, try error.map { try Coding.json($0) })
        try update.run()
    }

    func memberState(_ id: UUID) throws -> RequestLifecycle.State? {
        try member(id)?.lifecycle.state
    }

    private func member(_ id: UUID) throws -> Member? {
        var found: Member?
        var select = try BoundStatement(db, "SELECT state, flight FROM requests WHERE id = ?1")
        select.bind(1, id)
        try select.forEach { row in
            guard let state = RequestLifecycle.State(rawValue: Int(row.int(0))) else {
                throw AIServiceError(.storageCorrupt, "A request has an unknown state. Run `hablare doctor`.")
            }
            found = Member(lifecycle: RequestLifecycle(state: state), flight: FlightID(rawValue: row.int(1)))
        }
        return found
    }

    private func left(_ flight: FlightID, at date: Date) throws -> WriteReceipt {
        guard let token = try memberLeft(flight, as: .cancelled, at: date) else { return .done }
        return .cancelled(flight: flight, token: token)
    }

    // MARK: Content

    private mutating func releaseResponse(of flight: FlightID) throws {
        try release("SELECT digest, size FROM responses WHERE flight = ?1 AND digest IS NOT NULL", of: flight)
    }

    private mutating func releasePrompt(of flight: FlightID) throws {
        try release(
            "SELECT prompt_digest, prompt_size FROM flights WHERE id = ?1 AND prompt_digest IS NOT NULL", of: flight)
    }

    private mutating func release(_ sql: String, of flight: FlightID) throws {
        var reference: ContentReference?
        var select = try BoundStatement(db, sql)
        select.bind(1, flight.rawValue)
        try select.forEach { row in
            reference = row.data(0).map { ContentReference(digest: $0, byteCount: Int(row.int(1))) }
        }
        release(reference)
    }
}
