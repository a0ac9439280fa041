import Foundation
import GRDB
import Hablare

/// What keeps a response whatever its age and the store's limits: the one place that says it in SQL.
enum Protection {
    /// Whether a request protects the response of a flight.
    static func exists(for flight: String) -> String {
        """
        EXISTS (
            SELECT 1 FROM flights pf JOIN requests pr ON pr.id = pf.member AND pr.flight = pf.id
            WHERE pf.id = \(flight) AND pr.evicted = 0
                AND (pr.job IS NOT NULL OR pr.pinned <> 0 OR pr.merge IS 0)
            UNION ALL SELECT 1 FROM requests pm INDEXED BY requests_aboard
            WHERE pm.flight = \(flight) AND pm.follows = 1 AND pm.evicted = 0
                AND (pm.job IS NOT NULL OR pm.pinned <> 0 OR pm.merge IS 0)
        )
        """
    }
}

extension WriteTransaction {
    /// Gives up responses by their index, and looks at each one's requests once more: what the index believes costs
    /// nobody a response.
    mutating func prune(through last: PrunePlan.Place, limit: Int) throws -> WriteReceipt {
        var candidates: [(flight: FlightID, bytes: Int64, content: ContentReference?)] = []
        var select = try BoundStatement(
            db,
            """
            SELECT flight, spare, digest, size FROM responses
            WHERE spare IS NOT NULL AND (received_at, flight) <= (?1, ?2)
            ORDER BY received_at, flight LIMIT ?3
            """)
        select.bind(1, Coding.time(last.receivedAt))
        select.bind(2, last.flight.rawValue)
        select.bind(3, max(0, limit))
        try select.forEach { row in
            let content = row.data(2).map { ContentReference(digest: $0, byteCount: Int(row.int(3))) }
            candidates.append((FlightID(rawValue: row.int(0)), row.int(1), content))
        }
        var pruned = Pruned(isComplete: candidates.count < limit)
        for candidate in candidates {
            var update = try BoundStatement(
                db,
                """
                UPDATE responses SET body = NULL, digest = NULL, size = NULL, spare = NULL
                WHERE flight = ?1 AND NOT \(Protection.exists(for: "?1"))
                """)
            update.bind(1, candidate.flight.rawValue)
            guard try update.run() == 1 else {
                try noteProtection(of: candidate.flight)
                continue
            }
            try forgetChunks(of: candidate.flight)
            try forgetAnswer(of: candidate.flight)
            release(candidate.content)
            pruned.count += 1
            pruned.bytes += candidate.bytes
        }
        return .pruned(pruned)
    }

    func pin(_ id: UUID, _ isPinned: Bool) throws -> WriteReceipt {
        var update = try BoundStatement(db, "UPDATE requests SET pinned = ?2 WHERE id = ?1")
        update.bind(1, id)
        update.bind(2, isPinned ? 1 : 0)
        guard try update.run() == 1 else { return .unknownRequest }
        return try protectionChanged(of: id)
    }

    func merged(_ id: UUID) throws -> WriteReceipt {
        var update = try BoundStatement(
            db, "UPDATE requests SET merge = CASE WHEN merge IS NOT NULL THEN 1 END WHERE id = ?1")
        update.bind(1, id)
        guard try update.run() == 1 else { return .unknownRequest }
        return try protectionChanged(of: id)
    }

    private func protectionChanged(of id: UUID) throws -> WriteReceipt {
        var flight: FlightID?
        var select = try BoundStatement(db, "SELECT flight FROM requests WHERE id = ?1")
        select.bind(1, id)
        try select.forEach { flight = FlightID(rawValue: $0.int(0)) }
        if let flight { try noteProtection(of: flight) }
        return .done
    }

    /// Notes anew whether a flight's response may be given up. To be called whenever a request that shares it came to
    /// protect it, or ceased to.
    func noteProtection(of flight: FlightID) throws {
        var update = try BoundStatement(
            db,
            """
            UPDATE responses
            SET spare = CASE WHEN NOT \(Protection.exists(for: "?1")) THEN coalesce(size, length(body)) END
            WHERE flight = ?1
            """)
        update.bind(1, flight.rawValue)
        try update.run()
    }
}
