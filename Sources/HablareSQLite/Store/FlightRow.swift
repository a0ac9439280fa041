import Foundation
import Hablare

/// What the machines need of a flight's row.
struct FlightRow {
    /// Selects from flights `f`, for ``init(_:)``.
    static let selection = """
        SELECT f.id, \(FlightLifecycle.columns), f.started_at, f.on_unknown, f.shared, f.member, f.priority, f.job,
            f.streaming
        """

    let id: FlightID
    let lifecycle: FlightLifecycle
    let startedAt: Date?
    let unknownOutcome: UnknownOutcomePolicy
    /// Whether others than its first member ever joined it.
    let isShared: Bool
    /// The member that leads.
    let head: UUID?
    let priority: Int64
    let job: Int64?
    let streaming: StreamingPolicy?

    /// Reads a row whose first columns are ``selection``.
    init(_ row: borrowing BoundStatement.RowReader) {
        id = FlightID(rawValue: row.int(0))
        lifecycle = FlightLifecycle(row, from: 1)
        startedAt = row.optionalInt(1 + FlightLifecycle.columnCount).map(Coding.date)
        // Of a damaged word the one that costs nothing: whoever retries the request decides.
        unknownOutcome =
            UnknownOutcomePolicy(rawValue: Int(row.int(2 + FlightLifecycle.columnCount))) ?? .hold
        isShared = row.int(3 + FlightLifecycle.columnCount) == 1
        head = row.uuid(4 + FlightLifecycle.columnCount)
        priority = row.int(5 + FlightLifecycle.columnCount)
        job = row.optionalInt(6 + FlightLifecycle.columnCount)
        streaming = row.optionalInt(7 + FlightLifecycle.columnCount).map(StreamingPolicy.init(code:))
    }
}
