import Foundation
import HeapModule

/// What runs out of time.
extension MemoryTables {
    mutating func expire(at date: Date, limit: Int) -> WriteReceipt {
        var expired: [ExpiredRequest] = []
        while let first = deadlines.min {
            guard var row = requests[first.id], row.lifecycle.state == .live, row.deadline == first.date,
                row.flight.rawValue == first.number  // else the UUID was deleted and used anew
            else {
                deadlines.removeMin()
                continue
            }
            guard first.date <= date, expired.count < limit else {
                return .expired(expired, next: first.date)
            }
            deadlines.removeMin()
            _ = row.lifecycle.flightSettled(.failed)
            finish(first.id, row.lifecycle, at: date, error: .deadlineExceeded)
            let token = memberLeft(row.flight, as: .failed, at: date)
            expired.append(ExpiredRequest(id: first.id, flight: row.flight, token: token))
        }
        return .expired(expired, next: nil)
    }
}
