import Foundation
import GRDB
import Hablare

/// A transaction that claims waiting flights for a process.
struct ClaimTransaction {
    let db: Database

    struct Taken {
        let id: FlightID
        let lifecycle: FlightLifecycle
        let triedSince: Date?
        let priority: Int64
        let member: UUID?
        let isShared: Bool
        /// The earlier work that the next attempt of the flight resumes. `nil` if there is none.
        var resumePoint: ResumePoint?
        /// The request's columns. If the row cannot be read, this is an error. In this case only the attempt of this
        /// request fails, and the other requests of the provider continue.
        var columns: Result<RequestColumns, AIServiceError>
    }

    /// Ends the backoffs whose date has come. Then claims waiting flights, at most as many as the query asks for.
    func take(_ query: ClaimQuery) throws -> (taken: [Taken], nextDue: Date?) {
        let nextDue = try endBackoffs(query)
        return (try takeWaiting(query), nextDue)
    }

    private func takeWaiting(_ query: ClaimQuery) throws -> [Taken] {
        var taken: [Taken] = []
        for (priority, share) in query.shares { taken += try take(share, of: priority, query) }
        for priority in Priority.allCases where taken.count < query.limit {
            taken += try take(query.limit - taken.count, of: priority, query)
        }
        return taken.sorted { ($0.priority, $0.id) < ($1.priority, $1.id) }
    }

    private func take(_ count: Int, of priority: Priority, _ query: ClaimQuery) throws -> [Taken] {
        guard count > 0 else { return [] }
        var taken = try waiting(count, of: priority, query)
        for index in taken.indices where taken[index].isShared {
            let deadline = try lastDeadline(of: taken[index])
            taken[index].columns = taken[index].columns.map { columns in
                var columns = columns
                columns.deadline = deadline
                return columns
            }
        }
        for index in taken.indices where taken[index].resumePoint != nil {
            let kept = try db.endOfStream(taken[index].id, generation: taken[index].lifecycle.generation)
            taken[index].resumePoint?.keptChunks = kept.count
            taken[index].resumePoint?.keptBytes = kept.bytes
        }
        for flight in taken {
            var update = try BoundStatement(db, "UPDATE flights SET state = ?2, owner = ?3, token = ?4 WHERE id = ?1")
            update.bind(1, flight.id.rawValue)
            update.bind(2, flight.lifecycle.stateCode)
            update.bind(3, flight.lifecycle.ownerCode)
            update.bind(4, flight.lifecycle.token)
            try update.run()
        }
        return taken
    }

    /// The parameters that hold the ids of a request and of its repairs.
    private static let requestParameters: [Int32] = [5, 7, 8, 9, 10, 11]
    private static let requests = requestParameters.map { "?\($0)" }.joined(separator: ", ")

    private func waiting(_ count: Int, of priority: Priority, _ query: ClaimQuery) throws -> [Taken] {
        switch query.scope {
        case .nothing: return []
        case .everything:
            return try waiting(count, of: priority, query, from: "flights f INDEXED BY flights_live")
        case .request:
            return try waiting(
                count, of: priority, query, from: "flights f NOT INDEXED",
                where: "AND f.id IN (SELECT flight FROM requests WHERE id IN (\(Self.requests)) AND state = 0)")
        case .job:
            let own = try waiting(
                count, of: priority, query, from: "flights f INDEXED BY flights_live_of_job",
                where: "AND f.job = (SELECT id FROM jobs WHERE key = ?5)")
            // Flights of other requests that members of the job have joined.
            let joined = try waiting(
                count, of: priority, query,
                from: """
                    joined_jobs j CROSS JOIN flights f ON f.id = j.flight
                        AND f.job IS NOT j.job AND EXISTS (
                            SELECT 1 FROM requests m INDEXED BY requests_aboard
                            WHERE m.flight = f.id AND m.follows = 1 AND m.state = 0 AND m.job = j.job)
                    """,
                key: "j.flight", where: "AND j.job = (SELECT id FROM jobs WHERE key = ?5)")
            guard !joined.isEmpty else { return own }
            return Array((own + joined).sorted { $0.id < $1.id }.prefix(count))
        }
    }

    private func waiting(
        _ count: Int, of priority: Priority, _ query: ClaimQuery, from source: String, key: String = "f.id",
        where restriction: String = ""
    ) throws -> [Taken] {
        var taken: [Taken] = []
        var last: Int64 = -1
        while taken.count < count {
            let wanted = count - taken.count
            let page = try page(
                wanted, after: last, of: priority, query, from: source, key: key, where: restriction)
            for row in page where try isWanted(row, at: query.now) { taken.append(row) }
            guard page.count == wanted, let end = page.last else { break }
            last = end.id.rawValue
        }
        return taken
    }

    /// Returns whether a flight with several members has a member whose deadline has not passed. For a flight with one
    /// member, the query has already checked the deadline.
    private func isWanted(_ flight: Taken, at date: Date) throws -> Bool {
        guard flight.isShared else { return true }
        var isWanted = false
        var select = try BoundStatement(
            db,
            """
            SELECT 1 FROM requests WHERE id = ?2 AND flight = ?1 AND state = 0 AND (deadline IS NULL OR deadline > ?3)
            UNION ALL SELECT 1 FROM requests INDEXED BY requests_aboard
            WHERE flight = ?1 AND follows = 1 AND state = 0 AND (deadline IS NULL OR deadline > ?3) LIMIT 1
            """)
        select.bind(1, flight.id.rawValue)
        select.bind(2, flight.member?.bytes)
        select.bind(3, Coding.time(date))
        try select.forEach { _ in isWanted = true }
        return isWanted
    }

    /// Returns waiting flights in order. Skips flights whose deadlines have passed, because a sweep ends them. Also
    /// skips damaged rows whose state contradicts their owner. Otherwise such rows would be the first on every page,
    /// and no other flight could be claimed.
    private func page(
        _ count: Int, after last: Int64, of priority: Priority, _ query: ClaimQuery, from source: String, key: String,
        where restriction: String
    ) throws -> [Taken] {
        var select = try BoundStatement(
            db,
            """
            \(RequestColumns.selection), f.id, f.tried_since, f.shared, f.handle, \(FlightLifecycle.columns)
            FROM \(source)
            JOIN requests r ON r.id = f.member
            JOIN providers p ON p.id = f.provider
            WHERE f.owner = 0 AND f.state = 0
                AND f.provider = (SELECT id FROM providers WHERE name = ?1) AND f.priority = ?2
                AND \(key) > ?6 AND (f.shared = 1 OR r.deadline IS NULL OR r.deadline > ?4) \(restriction)
            ORDER BY \(key) LIMIT ?3
            """)
        select.bind(1, query.provider.rawValue)
        select.bind(2, priority.rawValue)
        select.bind(3, count)
        select.bind(4, Coding.time(query.now))
        switch query.scope {
        case .everything, .nothing: break
        case .job(let job): select.bind(5, job.rawValue)
        case .request(let id):
            for (parameter, id) in zip(Self.requestParameters, ClaimScope.requests(of: id)) {
                select.bind(parameter, id.bytes)
            }
        }
        select.bind(6, last)
        var page: [Taken] = []
        let first = RequestColumns.count
        try select.forEach { row in
            var lifecycle = FlightLifecycle(row, from: first + 4)
            do throws(FlightLifecycle.Refusal) {
                try lifecycle.leased(by: query.owner)
            } catch {
                return  // the index said it waits, so the machine cannot refuse
            }
            page.append(
                Taken(
                    id: FlightID(rawValue: row.int(first)), lifecycle: lifecycle,
                    triedSince: row.optionalInt(first + 1).map(Coding.date), priority: Int64(priority.rawValue),
                    member: row.uuid(0), isShared: row.int(first + 2) == 1,
                    resumePoint: row.data(first + 3).map { ResumePoint(handle: $0) }, columns: Self.columns(row)))
        }
        return page
    }

    /// Returns the latest deadline of a flight's members. Returns `nil` if a member has no deadline.
    private func lastDeadline(of flight: Taken) throws -> Date? {
        var deadline: Date?
        var select = try BoundStatement(
            db,
            """
            SELECT CASE WHEN count(*) = count(deadline) THEN max(deadline) END FROM (
                SELECT id, deadline FROM requests INDEXED BY requests_aboard
                WHERE flight = ?1 AND follows = 1 AND state = 0
                UNION SELECT id, deadline FROM requests WHERE id = ?2 AND flight = ?1 AND state = 0
            )
            """)
        select.bind(1, flight.id.rawValue)
        select.bind(2, flight.member?.bytes)
        try select.forEach { deadline = $0.optionalInt(0).map(Coding.date) }
        return deadline
    }

    private static func columns(_ row: borrowing BoundStatement.RowReader) -> Result<RequestColumns, AIServiceError> {
        do {
            return .success(try RequestColumns(row))
        } catch {
            return .failure(unreadable(error))
        }
    }

    /// Returns the error for a request that cannot be read.
    static func unreadable(_ error: any Error) -> AIServiceError {
        error as? AIServiceError
            ?? AIServiceError(
                .storageCorrupt, "A stored request cannot be read. Run `hablare doctor`.", cause: "\(error)")
    }
}

// MARK: - Back-offs

extension ClaimTransaction {
    /// Makes flights waiting whose backoff has ended, those with the earliest end first. Returns the date at which the
    /// next backoff of the provider ends.
    private func endBackoffs(_ query: ClaimQuery) throws -> Date? {
        // Usually nothing is due, and one index look-up shows that.
        guard let earliest = try earliestBackoff(of: query.provider) else { return nil }
        let now = Coding.time(query.now)
        guard earliest <= now else { return Coding.date(earliest) }
        for (id, lifecycle) in try dueBackoffs(of: query.provider, now: now) {
            var lifecycle = lifecycle
            do throws(FlightLifecycle.Refusal) {
                try lifecycle.backoffEnded()
            } catch {
                continue  // the index said that it backs off, so the machine cannot refuse
            }
            var update = try BoundStatement(
                db, "UPDATE flights SET state = ?2, owner = ?3, not_before = ?4 WHERE id = ?1")
            update.bind(1, id.rawValue)
            update.bind(2, lifecycle.stateCode)
            update.bind(3, lifecycle.ownerCode)
            update.bind(4, lifecycle.notBeforeCode)
            try update.run()
        }
        return try earliestBackoff(of: query.provider).map { $0 <= now ? query.now : Coding.date($0) }
    }

    /// Returns the earliest date at which a backoff ends. Skips damaged rows whose state contradicts their owner.
    /// Otherwise their backoff would be due for ever.
    private func earliestBackoff(of provider: ProviderID) throws -> Int64? {
        var earliest: Int64?
        var select = try BoundStatement(
            db,
            """
            SELECT not_before FROM flights INDEXED BY flights_due
            WHERE owner = -1 AND provider = (SELECT id FROM providers WHERE name = ?1) AND not_before IS NOT NULL
                AND state = 6
            ORDER BY not_before LIMIT 1
            """)
        select.bind(1, provider.rawValue)
        try select.forEach { earliest = $0.int(0) }
        return earliest
    }

    /// Returns the flights whose backoff has ended. All are read before any row is written, because a statement must
    /// not read an index that is being changed.
    private func dueBackoffs(of provider: ProviderID, now: Int64) throws -> [(FlightID, FlightLifecycle)] {
        var due: [(FlightID, FlightLifecycle)] = []
        var select = try BoundStatement(
            db,
            """
            SELECT f.id, \(FlightLifecycle.columns) FROM flights f INDEXED BY flights_due
            WHERE f.owner = -1 AND f.provider = (SELECT id FROM providers WHERE name = ?1) AND f.not_before <= ?2
                AND f.state = 6
            ORDER BY f.not_before, f.id LIMIT ?3
            """)
        select.bind(1, provider.rawValue)
        select.bind(2, now)
        select.bind(3, ClaimQuery.maximumWoken)
        try select.forEach { due.append((FlightID(rawValue: $0.int(0)), FlightLifecycle($0, from: 1))) }
        return due
    }
}
