import Foundation
import GRDB
import Hablare

/// Takes waiting flights for an owner.
struct ClaimTransaction {
    let db: Database

    struct Taken {
        let id: FlightID
        let lifecycle: FlightLifecycle
        let columns: RequestColumns
    }

    func take(_ query: ClaimQuery) throws -> [Taken] {
        let taken = try waiting(query)
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

    private func waiting(_ query: ClaimQuery) throws -> [Taken] {
        let job: JobKey?
        switch query.scope {
        case .everything: job = nil
        case .job(let key): job = key
        }
        let (index, restriction) =
            job == nil
            ? ("flights_live", "") : ("flights_live_of_job", "AND f.job = (SELECT id FROM jobs WHERE key = ?3)")
        var select = try BoundStatement(
            db,
            """
            \(RequestColumns.selection), f.id, f.state, f.owner, f.token, f.attempt, f.generation
            FROM flights f INDEXED BY \(index)
            JOIN requests r ON r.id = f.member
            JOIN providers p ON p.id = f.provider
            WHERE f.owner = 0 AND f.provider = (SELECT id FROM providers WHERE name = ?1) \(restriction)
            ORDER BY f.priority, f.id LIMIT ?2
            """)
        select.bind(1, query.provider.rawValue)
        select.bind(2, max(0, query.limit))  // SQLite takes a negative limit for none
        if let job { select.bind(3, job.rawValue) }
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
                Taken(id: FlightID(rawValue: row.int(first)), lifecycle: lifecycle, columns: try RequestColumns(row)))
        }
        return taken
    }
}
