import Foundation
import GRDB
import Hablare

extension ReadTransaction {
    /// Returns a plan of which responses to evict. Reads only an index, and not the rows.
    func prunePlan(_ retention: Retention, at date: Date) throws -> PrunePlan {
        var plan = PrunePlan(retention, at: date)
        var select = try BoundStatement(
            db,
            """
            SELECT received_at, flight, spare FROM responses WHERE spare IS NOT NULL
            ORDER BY received_at DESC, flight DESC
            """)
        try select.forEach { row in
            plan.consider(
                PrunePlan.Position(receivedAt: Coding.date(row.int(0)), flight: FlightID(rawValue: row.int(1))),
                bytes: row.int(2))
        }
        return plan
    }

    /// Returns whether a row refers to content.
    func refers(to digest: Data) throws -> Bool {
        var uses: Int64 = 0
        var select = try BoundStatement(
            db,
            """
            SELECT EXISTS (SELECT 1 FROM responses WHERE digest = ?1)
                OR EXISTS (SELECT 1 FROM flights WHERE prompt_digest = ?1)
            """)
        select.bind(1, digest)
        try select.forEach { uses = $0.int(0) }
        return uses != 0
    }
}
