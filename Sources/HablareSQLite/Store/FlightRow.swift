import Foundation
import Hablare

/// What the machines need of a flight's row.
struct FlightRow {
    /// Selects from flights `f`, for ``init(_:)``.
    static let selection = "SELECT f.id, \(FlightLifecycle.columns), f.started_at, f.on_unknown, f.streaming"

    let id: FlightID
    let lifecycle: FlightLifecycle
    let startedAt: Date?
    let unknownOutcome: UnknownOutcomePolicy
    let streaming: StreamingPolicy?

    /// Reads a row whose first columns are ``selection``.
    init(_ row: borrowing BoundStatement.RowReader) throws {
        id = FlightID(rawValue: row.int(0))
        lifecycle = try FlightLifecycle(row, from: 1)
        startedAt = row.optionalInt(1 + FlightLifecycle.columnCount).map(Coding.date)
        // Of a damaged word the one that costs nothing: whoever retries the request decides.
        unknownOutcome =
            UnknownOutcomePolicy(rawValue: Int(row.int(2 + FlightLifecycle.columnCount))) ?? .hold
        streaming = row.optionalInt(3 + FlightLifecycle.columnCount).map(StreamingPolicy.init(code:))
    }
}
