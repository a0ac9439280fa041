import Foundation
import Hablare

extension AccountBudget {
    /// The columns that ``init(_:)`` reads.
    static let selection = """
        SELECT request_level, request_level_at, unit_level, unit_level_at, reported_requests, reported_units,
            paused_until, next_call, failing_until
        """

    /// The number of columns in ``selection``.
    static let count: Int32 = 9

    /// Creates a budget from a row whose first columns are ``selection``.
    init(_ row: borrowing BoundStatement.RowReader) {
        self.init(
            requests: Self.bucket(row, 0), units: Self.bucket(row, 2), reportedRequests: row.optionalDouble(4),
            reportedUnits: row.optionalDouble(5), pausedUntil: row.optionalInt(6).map(Coding.date),
            nextCall: row.optionalInt(7).map(Coding.date), failingUntil: row.optionalInt(8).map(Coding.date))
    }

    private static func bucket(_ row: borrowing BoundStatement.RowReader, _ column: Int32) -> TokenBucket? {
        guard let level = row.optionalDouble(column), let time = row.optionalInt(column + 1) else { return nil }
        return TokenBucket(level: level, updatedAt: Coding.date(time))
    }
}
