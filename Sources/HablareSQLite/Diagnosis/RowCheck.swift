import Foundation
import GRDB
import Hablare

/// Checks the rows of a database.
struct RowCheck {
    /// A reference of a row to a content file.
    struct Reference {
        let content: ContentReference
        let request: UUID
        let isPrompt: Bool
    }

    let db: Database

    /// Checks the integrity of the database, and finds rows that contradict each other.
    func diagnosis() throws -> StoreDiagnosis {
        var diagnosis = StoreDiagnosis()
        let complaints = try String.fetchAll(db, sql: "PRAGMA integrity_check(20)").filter { $0 != "ok" }
        for complaint in complaints {
            diagnosis.findings.append(
                StoreDiagnosis.Finding(
                    kind: .integrity, isProblem: true,
                    message:
                        """
                        The database is damaged (\(complaint)). Stop every hablare process, copy the folder, then \
                        restore a backup or use another folder.
                        """
                ))
        }
        diagnosis.requests = try Int.fetchOne(db, sql: "SELECT count(*) FROM requests") ?? 0
        try find(
            .requestWithoutFlight,
            "SELECT r.id FROM requests r LEFT JOIN flights f ON f.id = r.flight WHERE f.id IS NULL", &diagnosis
        ) { "Request \($0) has no flight and can never run. Remove it: hablare rm \($0)" }
        try find(.flightInconsistent, Self.inconsistentFlights, &diagnosis) {
            """
            The state of request \($0) is inconsistent: it may never run, or run again. Remove it and run its command \
            again: hablare rm \($0)
            """
        }
        try find(
            .responseMissing,
            """
            SELECT r.id FROM requests r LEFT JOIN responses s ON s.flight = r.flight
            WHERE r.state = 1 AND s.flight IS NULL
            """, &diagnosis
        ) { "Request \($0) is completed but has no response. Remove it and run its command again: hablare rm \($0)" }
        try find(.responseMiscounted, Self.miscountedResponses, &diagnosis) {
            """
            The recorded size or retention of request \($0)'s response is wrong: it may be kept too long, but never \
            too short. Remove it when you no longer need it: hablare rm \($0)
            """
        }
        try find(.streamBroken, Self.brokenStreams, &diagnosis) {
            """
            The streamed chunks of request \($0) have a gap or the wrong size, so readers stop there. If it failed, \
            retry it: hablare retry \($0). Otherwise remove it: hablare rm \($0)
            """
        }
        try findUnownedChunks(&diagnosis)
        try find(.cacheInconsistent, Self.inconsistentAnswers, &diagnosis) {
            """
            The cache entry of request \($0) has no answer or the wrong size. No request gets a wrong answer, but the \
            size of the cache is wrong. Remove the request when you no longer need it: hablare rm \($0)
            """
        }
        try BudgetCheck(db: db).run(into: &diagnosis)
        return diagnosis
    }

    /// A query for the requests whose response has a wrong value in the column `spare`. Pruning uses this column.
    private static let miscountedResponses = """
        SELECT r.id FROM responses s JOIN requests r ON r.flight = s.flight
        WHERE s.spare IS NOT CASE
            WHEN NOT \(Protection.exists(for: "s.flight")) THEN coalesce(s.size, length(s.body))
        END
        """

    /// A query for the requests whose flight is inconsistent. Its owner contradicts its state, or its state contradicts
    /// the request's state. A flight must be open as long as its first member is live.
    private static let inconsistentFlights = """
        SELECT r.id FROM requests r JOIN flights f ON f.id = r.flight
        WHERE CASE
            WHEN f.state = 0 THEN f.owner = 0
            WHEN f.state IN (1, 2) THEN f.owner > 0
            WHEN f.state IN (3, 4, 5) THEN f.owner IS NULL
            WHEN f.state = 6 THEN f.owner = -1 AND f.not_before IS NOT NULL
            WHEN f.state = 7 THEN f.owner = -2
        END IS NOT 1 OR r.state = 0 AND f.state IN (3, 4, 5)
            OR r.state <> 0 AND r.id = f.member AND f.state NOT IN (3, 4, 5)
        """

    /// Returns all references to content files.
    func references() throws -> [Reference] {
        let sql = """
            SELECT s.digest, s.size, r.id, 0 FROM responses s JOIN requests r ON r.flight = s.flight
            WHERE s.digest IS NOT NULL
            UNION ALL
            SELECT f.prompt_digest, f.prompt_size, f.member, 1 FROM flights f WHERE f.prompt_digest IS NOT NULL
            """
        return try Row.fetchAll(db, sql: sql).compactMap { row in
            guard let digest = row[0] as Data?, let id = (row[2] as Data?).flatMap({ UUID(bytes: $0) }) else {
                return nil
            }
            return Reference(
                content: ContentReference(digest: digest, byteCount: row[1] ?? 0), request: id, isPrompt: row[3] == 1)
        }
    }

    private func findUnownedChunks(_ diagnosis: inout StoreDiagnosis) throws {
        let sql = "SELECT count(*) FROM chunks WHERE flight NOT IN (SELECT id FROM flights)"
        guard let count = try Int.fetchOne(db, sql: sql), count > 0 else { return }
        diagnosis.findings.append(
            StoreDiagnosis.Finding(
                kind: .chunksUnowned, isProblem: true,
                message:
                    """
                    \(count) groups of streamed chunks belong to no request, and deleted content may be among them. \
                    Another program has written to the database: copy the folder, and use another one.
                    """
            ))
    }

    /// A query for the requests whose output has a wrong group of chunks. A group is wrong if it does not begin where
    /// the previous group ends, or if its size is wrong. When the answer is complete, a group has no bytes of its own,
    /// and its size cannot be compared with them.
    private static let brokenStreams = """
        SELECT DISTINCT r.id FROM (
            SELECT flight, first, start, size, length(bytes) AS held,
                lag(first + count, 1, 0) OVER w AS expected, lag(start + size, 1, 0) OVER w AS place
            FROM chunks WINDOW w AS (PARTITION BY flight, generation ORDER BY first)
        ) c JOIN requests r ON r.flight = c.flight
        WHERE c.first IS NOT c.expected OR c.start IS NOT c.place OR c.held <> c.size
        """

    /// A query for the requests whose flight violates a rule of the cache. These are the rules. A flight with an answer
    /// in the cache is completed, and its response exists with the recorded size. The column `findable` is set exactly
    /// if the flight is open or its answer is in the cache.
    private static let inconsistentAnswers = """
        SELECT coalesce(r.id, f.member) FROM flights f LEFT JOIN requests r ON r.id = f.member
            LEFT JOIN responses s ON s.flight = f.id
        WHERE (f.used_at IS NOT NULL OR f.answer_size IS NOT NULL) AND (
            f.used_at IS NULL OR f.state <> 3 OR f.owner IS NOT NULL
            OR f.answer_size IS NOT coalesce(s.size, length(s.body)) OR s.body IS NULL AND s.digest IS NULL
        ) OR (f.findable IS 1) <> (f.owner IS NOT NULL OR f.used_at IS NOT NULL)
            AND (f.owner IS NULL) = (f.state IN (3, 4, 5))
        """

    private func find(
        _ kind: StoreDiagnosis.Finding.Kind, _ sql: String, _ diagnosis: inout StoreDiagnosis,
        _ message: (_ id: String) -> String
    ) throws {
        for id in try Data.fetchAll(db, sql: sql).compactMap({ UUID(bytes: $0) }) {
            diagnosis.findings.append(
                StoreDiagnosis.Finding(kind: kind, isProblem: true, message: message(id.uuidString.lowercased())))
        }
    }
}
