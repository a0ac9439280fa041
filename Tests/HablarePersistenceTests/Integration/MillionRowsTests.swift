import Foundation
import GRDB
import HablarePersistence
import HablareTestFiles
import HablareTestKit
import Testing

/// Takes half a minute, so it runs only if `HABLARE_INTEGRATION` is set. The printed numbers are measurements, without
/// expectations.
@Suite(
    "Integration: a million rows", .enabled(if: ProcessInfo.processInfo.environment["HABLARE_INTEGRATION"] != nil),
    .timeLimit(.minutes(10)))
struct MillionRowsTests {
    private static let count = 1_000_000

    private static let migrator: DatabaseMigrator = {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("001") { db in
            try db.execute(
                sql: """
                    CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT NOT NULL, rank INTEGER);
                    CREATE INDEX note_rank ON note (rank, id);
                    WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < \(count))
                    INSERT INTO note SELECT n, 'Note number ' || n, nullif(n * 7919 % 1000, 0) FROM number;
                    """)
        }
        return migrator
    }()

    @MainActor
    @Test("A million rows are paged from any position, and a window over them holds one page")
    func pages() async throws {
        let folder = try TemporaryFolder()
        let database = try await AppDatabase.open(
            at: folder.url.appendingPathComponent("million.sqlite"), migrator: Self.migrator)
        let order = PageOrder(.ascending("rank"), unique: .ascending("id"))
        let query = try PagedQuery(order: order, size: 100) { Note.all() }
        let loaded = try await database.read { db in
            let first = try query.page(in: db)
            #expect(first.rows.first?.rank == nil && first.rows.count == 100)
            let last = try query.page(.last, in: db)
            #expect(last.rows.last?.rank == 999)
            return first.rows.count + last.rows.count
        }
        #expect(loaded == 200)

        var random = SeededGenerator(seed: 1)
        var times: [Duration] = []
        for _ in 0..<200 {
            let id = Int64.random(in: 1...Int64(Self.count), using: &random)
            let one = try PagedQuery(order: order, size: 1) { Note.filter(Column("id") == id) }
            let cursor = try #require(try await database.page(of: one).cursors.first)
            let clock = ContinuousClock()
            let start = clock.now
            let page = try await database.page(.after(cursor), of: query)
            times.append(start.duration(to: clock.now))
            let expected = try await database.read { db in
                try Note.fetchAll(
                    db,
                    sql: """
                        SELECT * FROM note WHERE rank = (SELECT rank FROM note WHERE id = :id) AND id > :id
                        ORDER BY id LIMIT 100
                        """, arguments: ["id": id])
            }
            #expect(page.rows.count <= 100 && page.rows.starts(with: expected))
        }
        times.sort()
        print("a page after a random row: median \(times[100]), 99 of 100 within \(times[198])")

        let window = PageWindow(query, in: database)
        try await window.move(to: .last)
        let clock = ContinuousClock()
        let start = clock.now
        var most = 0
        for step in 0..<1_000 {
            if step < 600 { try await window.moveBack() } else { try await window.moveForward() }
            most = max(most, window.rows.count)
            let keys = window.rows.map { [Int64($0.rank ?? -1), $0.id ?? 0] }
            #expect(zip(keys, keys.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) })
        }
        print("a window's move: \(start.duration(to: clock.now) / 1_000) on average")
        #expect(most == 100)
        try await window.move(to: .first)
        #expect(window.rows.map(\.id) == (1...100).map { Int64($0 * 1_000) })
    }
}
