import Foundation
import GRDB
import Hablare

extension WriteTransaction {
    func register(_ registration: OwnerRegistration) throws -> WriteReceipt {
        var insert = try BoundStatement(
            db, "INSERT INTO owners (host, pid, lock_name, expires_at) VALUES (?1, ?2, ?3, ?4)")
        insert.bind(1, registration.host)
        insert.bind(2, Int(registration.processID))
        insert.bind(3, registration.lockName)
        insert.bind(4, Coding.time(registration.expiresAt))
        try insert.run()
        return .owner(OwnerID(rawValue: db.lastInsertedRowID))
    }

    func renew(_ owner: OwnerID, until: Date) throws -> WriteReceipt {
        var update = try BoundStatement(db, "UPDATE owners SET expires_at = ?2 WHERE id = ?1")
        update.bind(1, owner.rawValue)
        update.bind(2, Coding.time(until))
        return try update.run() == 0 ? .refused(.staleToken) : .done
    }

    /// Breaks the leases of a process that is gone, as its own last word or as another process's finding.
    func retire(_ owner: OwnerID, at date: Date) throws -> WriteReceipt {
        var delete = try BoundStatement(db, "DELETE FROM owners WHERE id = ?1")
        delete.bind(1, owner.rawValue)
        try delete.run()
        var held: [FlightRow] = []
        var select = try BoundStatement(db, "\(FlightRow.selection) FROM flights f WHERE f.owner = ?1 ORDER BY f.id")
        select.bind(1, owner.rawValue)
        try select.forEach { held.append(FlightRow($0)) }
        for row in held {
            var lifecycle = row.lifecycle
            if let lost = lifecycle.leaseBroken(row.unknownOutcome, mayRestart: try mayRestart(row)) {
                try record(
                    AttemptRecord(
                        attempt: lost, token: row.lifecycle.token, outcome: .lost, billing: .maybeBilled,
                        startedAt: row.startedAt ?? date, endedAt: date),
                    of: row.id)
            }
            try write(lifecycle, to: row.id)
            if lifecycle.state == .settled(.failed) {
                try failMembers(of: row, at: date, error: .streamInterrupted)
            }
        }
        return .broken(flights: held.count)
    }
}
