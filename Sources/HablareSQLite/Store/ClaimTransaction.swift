import Foundation
import GRDB
import Hablare

/// Takes waiting flights for an owner.
struct ClaimTransaction {
    let db: Database

    struct Taken {
        let id: FlightID
        let lifecycle: FlightLifecycle
        let priority: Int64
        let member: UUID?
        /// A row that cannot be read fails alone: its attempt does, with this error, and the lane goes on.
        let columns: Result<RequestColumns, AIServiceError>
    }

    func take(_ query: ClaimQuery) throws -> [Taken] {
        var taken: [Taken] = []
        for (priority, share) in query.shares { taken += try take(share, of: priority, query) }
        for priority in Priority.allCases where taken.count < query.limit {
            taken += try take(query.limit - taken.count, of: priority, query)
        }
        return taken.sorted { ($0.priority, $0.id) < ($1.priority, $1.id) }
    }

    private func take(_ count: Int, of priority: Priority, _ query: ClaimQuery) throws -> [Taken] {
        guard count > 0 else { return [] }
        let taken = try waiting(count, of: priority, query)
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

    private func waiting(_ count: Int, of priority: Priority, _ query: ClaimQuery) throws -> [Taken] {
        let job: JobKey?
        switch query.scope {
        case .everything: job = nil
        case .job(let key): job = key
        }
        let (index, restriction) =
            job == nil
            ? ("flights_live", "") : ("flights_live_of_job", "AND f.job = (SELECT id FROM jobs WHERE key = ?4)")
        var select = try BoundStatement(
            db,
            """
            \(RequestColumns.selection), f.id, f.state, f.owner, f.token, f.attempt, f.generation
            FROM flights f INDEXED BY \(index)
            JOIN requests r ON r.id = f.member
            JOIN providers p ON p.id = f.provider
            WHERE f.owner = 0 AND f.provider = (SELECT id FROM providers WHERE name = ?1) AND f.priority = ?2
                \(restriction)
            ORDER BY f.id LIMIT ?3
            """)
        select.bind(1, query.provider.rawValue)
        select.bind(2, priority.rawValue)
        select.bind(3, count)
        if let job { select.bind(4, job.rawValue) }
        var taken: [Taken] = []
        let first = RequestColumns.count
        try select.forEach { row in
            var lifecycle = try FlightLifecycle(
                state: row.int(first + 1), owner: row.optionalInt(first + 2), token: row.int(first + 3),
                attempt: row.int(first + 4), generation: row.int(first + 5))
            do throws(FlightLifecycle.Refusal) {
                try lifecycle.leased(by: query.owner)
            } catch {
                return  // the index said it waits, so the machine cannot refuse
            }
            taken.append(
                Taken(
                    id: FlightID(rawValue: row.int(first)), lifecycle: lifecycle, priority: Int64(priority.rawValue),
                    member: row.uuid(0), columns: Self.columns(row)))
        }
        return taken
    }

    private static func columns(_ row: borrowing BoundStatement.RowReader) -> Result<RequestColumns, AIServiceError> {
        do {
            return .success(try RequestColumns(row))
        } catch {
            return .failure(unreadable(error))
        }
    }

    /// What is said of a request that cannot be read.
    static func unreadable(_ error: any Error) -> AIServiceError {
        error as? AIServiceError
            ?? AIServiceError(
                .storageCorrupt, "A stored request cannot be read. Run `hablare doctor`.", cause: "\(error)")
    }
}
