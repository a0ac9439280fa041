import Foundation
import GRDB
import Hablare

/// Flights with several members. Whatever is asked of them here is answered from an index, so that a flight of ten
/// thousand members is left by one of them in no more time than by the first of two.
extension WriteTransaction {
    // MARK: Joining

    /// A request came aboard a flight: the flight is as urgent as its most urgent member, and each job's to claim.
    mutating func joined(_ flight: FlightID, by submission: Submission) throws {
        guard let row = try flightRow(flight) else { return }
        if !row.isShared { try share(row) }
        let priority = min(row.priority, Int64(submission.request.priority.rawValue))
        if priority != row.priority {
            var update = try BoundStatement(db, "UPDATE flights SET priority = ?2 WHERE id = ?1")
            update.bind(1, flight.rawValue)
            update.bind(2, priority)
            try update.run()
        }
        if let place = submission.job { try enter(try job(place.key), for: flight, besides: row.job) }
    }

    /// A flight has several members from now on: its first one's class is written down as its own.
    func share(_ row: FlightRow) throws {
        if let head = row.head {
            var own = try BoundStatement(db, "UPDATE requests SET priority = ?2 WHERE id = ?1")
            own.bind(1, head)
            own.bind(2, row.priority)
            try own.run()
        }
        var update = try BoundStatement(db, "UPDATE flights SET shared = 1 WHERE id = ?1")
        update.bind(1, row.id.rawValue)
        try update.run()
    }

    /// A request that is there became part of a job.
    func adopted(_ id: UUID, aboard flight: FlightID, into job: Int64) throws {
        guard let row = try flightRow(flight) else { return }
        guard row.head != id else {
            var update = try BoundStatement(db, "UPDATE flights SET job = ?2 WHERE id = ?1")
            update.bind(1, flight.rawValue)
            update.bind(2, job)
            try update.run()
            return
        }
        if try memberState(id) == .live { try enter(job, for: flight, besides: row.job) }
    }

    private func enter(_ job: Int64, for flight: FlightID, besides own: Int64?) throws {
        guard job != own else { return }
        var insert = try BoundStatement(
            db, "INSERT INTO joined_jobs (job, flight) VALUES (?1, ?2) ON CONFLICT DO NOTHING")
        insert.bind(1, job)
        insert.bind(2, flight.rawValue)
        try insert.run()
    }

    // MARK: Members

    /// The members of a flight, in the order of their UUIDs.
    func members(of flight: FlightID, _ row: FlightRow) throws -> [FlightMember] {
        var members: [FlightMember] = []
        var select = try BoundStatement(
            db,
            row.isShared
                ? """
                SELECT id, state, deadline FROM requests INDEXED BY requests_aboard WHERE flight = ?1 AND follows = 1
                UNION SELECT id, state, deadline FROM requests WHERE id = ?2 AND flight = ?1 ORDER BY id
                """
                : "SELECT id, state, deadline FROM requests WHERE id = ?2 AND flight = ?1")
        select.bind(1, flight.rawValue)
        select.bind(2, row.head?.bytes)
        try select.forEach { row in
            guard let id = row.uuid(0), let state = RequestLifecycle.State(rawValue: Int(row.int(1))) else { return }
            members.append(
                FlightMember(
                    id: id, lifecycle: RequestLifecycle(state: state),
                    deadline: row.optionalInt(2).map(Coding.date)))
        }
        return members
    }

    /// The first live member beside the leader, and the class of the most urgent one.
    private func others(of flight: FlightID, besides head: UUID?) throws -> (id: UUID, priority: Int64)? {
        var found: (UUID, Int64)?
        var select = try BoundStatement(
            db,
            """
            SELECT id, priority FROM requests INDEXED BY requests_aboard
            WHERE flight = ?1 AND follows = 1 AND state = 0 AND id IS NOT ?2 ORDER BY priority, id LIMIT 1
            """)
        select.bind(1, flight.rawValue)
        select.bind(2, head?.bytes)
        try select.forEach { row in
            if let id = row.uuid(0) { found = (id, row.int(1)) }
        }
        return found
    }

    // MARK: Leaving

    /// A live member is final or gone. With the last one the flight ends, and the attempt under way: answers with its
    /// token then.
    func memberLeft(
        _ flight: FlightID, as settlement: FlightLifecycle.Settlement, at date: Date
    ) throws -> Int64? {
        guard let row = try flightRow(flight) else { return nil }
        guard row.isShared, try muster(flight, row) else { return try end(flight, row, as: settlement, at: date) }
        return nil
    }

    /// Ends a flight that nobody wants, and the attempt under way. Answers with its token.
    private func end(
        _ flight: FlightID, _ row: FlightRow, as settlement: FlightLifecycle.Settlement, at date: Date
    ) throws -> Int64 {
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

    /// Writes who leads a shared flight, how urgent it is, and whose jobs may claim it, after its members changed.
    /// Answers whether any is live.
    @discardableResult
    func muster(_ flight: FlightID, _ row: FlightRow) throws -> Bool {
        let other = try others(of: flight, besides: row.head)
        if let own = try leadersPriority(flight, row) {
            let priority = min(own, other?.priority ?? own)
            guard priority != row.priority else { return true }
            var update = try BoundStatement(db, "UPDATE flights SET priority = ?2 WHERE id = ?1")
            update.bind(1, flight.rawValue)
            update.bind(2, priority)
            try update.run()
            return true
        }
        guard let other, let heir = try heir(of: flight) else { return false }
        try relieve(flight, row, by: heir, other.priority)
        return true
    }

    /// The class of the member that leads; `nil` where it is not live, or its UUID is another flight's now.
    private func leadersPriority(_ flight: FlightID, _ row: FlightRow) throws -> Int64? {
        var priority: Int64?
        var select = try BoundStatement(
            db, "SELECT priority FROM requests WHERE id = ?1 AND flight = ?2 AND state = 0")
        select.bind(1, row.head?.bytes)
        select.bind(2, flight.rawValue)
        try select.forEach { priority = $0.optionalInt(0) ?? row.priority }
        return priority
    }

    /// The live member of the first UUID.
    private func heir(of flight: FlightID) throws -> UUID? {
        var heirs: [UUID] = []
        for priority in Priority.allCases {
            var select = try BoundStatement(
                db,
                """
                SELECT id FROM requests INDEXED BY requests_aboard
                WHERE flight = ?1 AND follows = 1 AND state = 0 AND priority = ?2 ORDER BY id LIMIT 1
                """)
            select.bind(1, flight.rawValue)
            select.bind(2, priority.rawValue)
            try select.forEach { row in
                if let id = row.uuid(0) { heirs.append(id) }
            }
        }
        return heirs.min { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }

    private func relieve(_ flight: FlightID, _ row: FlightRow, by heir: UUID, _ priority: Int64) throws {
        var old = try BoundStatement(
            db, "UPDATE requests SET follows = 1 WHERE id = ?1 AND flight = ?2 AND follows = 0")
        old.bind(1, row.head?.bytes)
        old.bind(2, flight.rawValue)
        try old.run()
        var job: Int64?
        var select = try BoundStatement(db, "SELECT job FROM requests WHERE id = ?1")
        select.bind(1, heir)
        try select.forEach { job = $0.optionalInt(0) }
        var update = try BoundStatement(db, "UPDATE flights SET member = ?2, priority = ?3, job = ?4 WHERE id = ?1")
        update.bind(1, flight.rawValue)
        update.bind(2, heir)
        update.bind(3, priority)
        update.bind(4, job)
        try update.run()
        if let previous = row.job, previous != job { try enter(previous, for: flight, besides: job) }
    }
}
