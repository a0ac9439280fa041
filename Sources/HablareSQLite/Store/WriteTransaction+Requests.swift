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
        return try memberLeft(member.flight, at: date)
    }

    func retry(_ id: UUID, at date: Date) throws -> WriteReceipt {
        guard let member = try member(id), let row = try flightRow(member.flight) else { return .unknownRequest }
        var lifecycle = member.lifecycle
        if case .refused(let state) = lifecycle.retryRequested(row.lifecycle) { return .invalidState(state) }
        var flight = row.lifecycle
        do throws(FlightLifecycle.Refusal) {
            try flight.reopened()
        } catch {
            return .refused(error)
        }
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
        try write(flight, to: member.flight)
        return .done
    }

    mutating func evict(_ id: UUID) throws -> WriteReceipt {
        guard let member = try member(id) else { return .unknownRequest }
        guard member.lifecycle.state == .completed else { return .invalidState(member.lifecycle.state) }
        try releaseResponse(of: member.flight)
        var update = try BoundStatement(
            db, "UPDATE responses SET body = NULL, digest = NULL, size = NULL, spare = NULL WHERE flight = ?1")
        update.bind(1, member.flight.rawValue)
        try update.run()
        return .done
    }

    mutating func delete(_ id: UUID, at date: Date) throws -> WriteReceipt {
        guard let member = try member(id) else { return .unknownRequest }
        let wasLive = member.lifecycle.state == .live
        try releaseResponse(of: member.flight)
        try releasePrompt(of: member.flight)
        for sql in [
            "DELETE FROM responses WHERE flight = ?1",
            // What stays is the flight's number and state, which its ledger lines refer to.
            """
            UPDATE flights SET prompt = NULL, prompt_digest = NULL, prompt_size = NULL, parameters = NULL,
                fingerprint = x'' WHERE id = ?1
            """,
        ] {
            var statement = try BoundStatement(db, sql)
            statement.bind(1, member.flight.rawValue)
            try statement.run()
        }
        var delete = try BoundStatement(db, "DELETE FROM requests WHERE id = ?1")
        delete.bind(1, id)
        try delete.run()
        // Last, because it writes the flight's row anew, which needs room for a prompt: a full store must delete.
        return wasLive ? try memberLeft(member.flight, at: date) : .done
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

    private func memberLeft(_ flight: FlightID, at date: Date) throws -> WriteReceipt {
        guard let token = try flightLeft(flight, as: .cancelled, at: date) else { return .done }
        return .cancelled(flight: flight, token: token)
    }

    /// Ends a flight whose last member left, and the attempt under way. Answers with its token.
    func flightLeft(
        _ flight: FlightID, as settlement: FlightLifecycle.Settlement, at date: Date
    ) throws -> Int64? {
        guard let row = try flightRow(flight) else { return nil }
        var lifecycle = row.lifecycle
        if let stopped = lifecycle.lastMemberLeft(as: settlement) {
            try record(
                AttemptRecord(
                    stopped: stopped, token: lifecycle.token, as: settlement, startedAt: row.startedAt ?? date,
                    endedAt: date),
                of: flight)
        }
        try write(lifecycle, to: flight)
        return lifecycle.token
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
