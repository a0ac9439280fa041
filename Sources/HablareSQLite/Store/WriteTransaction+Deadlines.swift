import Foundation
import GRDB
import Hablare

extension WriteTransaction {
    /// Ends live requests whose deadline has come, the earliest first; of one deadline, in order of arrival.
    func expire(at date: Date, limit: Int) throws -> WriteReceipt {
        var expired: [ExpiredRequest] = []
        for due in try due(at: date, limit: limit) {
            var member = RequestLifecycle()
            guard member.flightSettled(.failed) == .done else { continue }
            try finish(due.id, as: member.state, at: date, error: .deadlineExceeded)
            let token = try memberLeft(due.flight, as: .failed, at: date)
            expired.append(ExpiredRequest(id: due.id, flight: due.flight, token: token))
        }
        return .expired(expired, next: try earliestDeadline())
    }

    /// Read whole before anything is written: a statement must not walk an index that changes below it.
    private func due(at date: Date, limit: Int) throws -> [(id: UUID, flight: FlightID)] {
        var due: [(id: UUID, flight: FlightID)] = []
        var select = try BoundStatement(
            db,
            """
            SELECT id, flight FROM requests INDEXED BY requests_due
            WHERE deadline IS NOT NULL AND state = 0 AND deadline <= ?1 AND length(id) = 16 ORDER BY deadline, flight LIMIT ?2
            """)
        select.bind(1, Coding.time(date))
        select.bind(2, max(0, limit))  // SQLite takes a negative limit for none
        try select.forEach { row in
            if let id = row.uuid(0) { due.append((id, FlightID(rawValue: row.int(1)))) }
        }
        return due
    }

    private func earliestDeadline() throws -> Date? {
        var earliest: Date?
        var select = try BoundStatement(
            db,
            """
            SELECT deadline FROM requests INDEXED BY requests_due
            WHERE deadline IS NOT NULL AND state = 0 AND length(id) = 16 ORDER BY deadline LIMIT 1
            """)
        try select.forEach { earliest = Coding.date($0.int(0)) }
        return earliest
    }
}
