import Foundation
import GRDB
import Hablare

/// Looks over the rows of a database.
struct RowCheck {
    /// A row's claim that a content file is there.
    struct Reference {
        let content: ContentReference
        let request: UUID
        let isPrompt: Bool
    }

    let db: Database

    /// The database's integrity and the rows that do not fit together.
    func diagnosis() throws -> StoreDiagnosis {
        var diagnosis = StoreDiagnosis()
        let complaints = try String.fetchAll(db, sql: "PRAGMA integrity_check(20)").filter { $0 != "ok" }
        for complaint in complaints {
            diagnosis.findings.append(
                StoreDiagnosis.Finding(
                    kind: .integrity, isProblem: true,
                    message:
                        "The database is damaged (\(complaint)). Stop every hablare, copy the folder, and restore a copy or start anew in another one."
                ))
        }
        diagnosis.requests = try Int.fetchOne(db, sql: "SELECT count(*) FROM requests") ?? 0
        try find(
            .requestWithoutFlight,
            "SELECT r.id FROM requests r LEFT JOIN flights f ON f.id = r.flight WHERE f.id IS NULL", &diagnosis
        ) { "Request \($0) has no flight and can never run. Remove it: hablare rm \($0)" }
        try find(.flightInconsistent, Self.inconsistentFlights, &diagnosis) {
            "The work of request \($0) is in no state that fits together: it may never run, or run again. Remove it and run its command again: hablare rm \($0)"
        }
        try find(
            .responseMissing,
            """
            SELECT r.id FROM requests r LEFT JOIN responses s ON s.flight = r.flight
            WHERE r.state = 1 AND s.flight IS NULL
            """, &diagnosis
        ) { "Request \($0) is completed but has no response. Remove it and run its command again: hablare rm \($0)" }
        try find(.responseMiscounted, Self.miscountedResponses, &diagnosis) {
            "What is noted of the size of request \($0)'s response, or of whether it is kept, is wrong: it may be kept too long, never too short. Remove it when it is not needed any more: hablare rm \($0)"
        }
        return diagnosis
    }

    /// The note on a response that pruning goes by, beside what it should be.
    private static let miscountedResponses = """
        SELECT r.id FROM responses s JOIN requests r ON r.flight = s.flight
        WHERE s.spare IS NOT CASE
            WHEN NOT \(Protection.exists(for: "s.flight")) THEN coalesce(s.size, length(s.body))
        END
        """

    /// A flight's holder goes with its state, and the member that leads it is live as long as it is open.
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

    /// Every claim that a content file is there.
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
