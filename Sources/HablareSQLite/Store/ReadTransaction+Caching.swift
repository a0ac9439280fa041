import Foundation
import GRDB
import Hablare

extension ReadTransaction {
    func cachedAnswer(_ query: CacheQuery) throws -> CachedAnswer? {
        var found: (flight: FlightID, member: UUID)?
        var select = try BoundStatement(
            db,
            """
            SELECT f.id, f.member FROM flights f INDEXED BY flights_by_work JOIN responses s ON s.flight = f.id
            WHERE \(CacheColumns.isSameWork) AND used_at IS NOT NULL AND s.received_at BETWEEN ?3 AND ?4
                AND (s.body IS NOT NULL OR s.digest IS NOT NULL)
            ORDER BY s.received_at DESC, f.id DESC LIMIT 1
            """)
        select.bind(1, beginningOf: query.fingerprint, length: CacheColumns.keyLength)
        select.bind(2, query.fingerprint)
        select.bind(3, Coding.time(query.window.lowerBound))
        select.bind(4, Coding.time(query.window.upperBound))
        try select.forEach { row in
            found = row.uuid(1).map { (FlightID(rawValue: row.int(0)), $0) }
        }
        guard let (flight, member) = found, let response = try response(of: flight, for: member) else { return nil }
        return CachedAnswer(flight: flight, response: response)
    }

    /// Returns the number of answers in the cache and their total size in bytes.
    func cacheSize() throws -> (count: Int, bytes: Int64) {
        var size: (Int, Int64) = (0, 0)
        var select = try BoundStatement(
            db,
            "SELECT count(*), total(answer_size) FROM flights INDEXED BY flights_answered WHERE used_at IS NOT NULL")
        try select.forEach { size = (Int($0.int(0)), $0.int(1)) }
        return size
    }
}
