import Foundation
import Hablare

/// What the machines need of a flight's row.
struct FlightRow {
    static let selection = "SELECT id, state, owner, token, attempt, generation, started_at, member"

    let id: FlightID
    let lifecycle: FlightLifecycle
    let startedAt: Date?
    let member: UUID?

    /// Reads a row whose first columns are ``selection``.
    init(_ row: borrowing BoundStatement.RowReader) throws {
        id = FlightID(rawValue: row.int(0))
        lifecycle = try FlightLifecycle(
            state: row.int(1), owner: row.optionalInt(2), token: row.int(3), attempt: row.int(4),
            generation: row.int(5))
        startedAt = row.optionalInt(6).map(Coding.date)
        member = row.uuid(7)
    }
}
