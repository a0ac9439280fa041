import Foundation
import GRDB
import Hablare
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareSQLite

/// Stores of earlier versions, in which everything happened that their version knew.
extension MigrationTests {
    static let lives = [
        "003-sharing", "004-streams", "005-ledger", "006-retention", "007-cache", "009-shared-notes", "010-failed",
        "013-cached-tokens",
    ]

    private static func version(_ name: String) throws -> Int { try #require(Int(name.prefix(3))) }

    @Test("A store of an earlier version reads, and goes on, as a new one in which the same happened", arguments: lives)
    func livesOn(name: String) throws {
        let folder = try folder(from: name)
        let version = try Self.version(name)
        let fresh = try SQLiteBench()
        let expected = StoreLife(bench: fresh.bench, version: version)
        try expected.begin()
        let old = try SQLiteStore(directory: folder.url)
        let life = StoreLife(bench: StoreWorkbench(store: old), version: version)
        #expect(try old.pool.read(schema) == fresh.store.pool.read(schema))
        try expectSame(old, fresh.store)
        #expect(try old.owners() == fresh.store.owners())
        for step in [{ try $0.goOn() }, { try $0.end() }, { try $0.erase() }] as [(StoreLife) throws -> Void] {
            #expect(try old.diagnose().findings.filter(\.isProblem) == [])
            try step(life)
            try step(expected)
            try expectSame(old, fresh.store)
        }
        #expect(try old.diagnose().findings.filter(\.isProblem) == [])
        #expect(try old.snapshots(SnapshotFilter()) == [])
    }

    /// Expects two stores to say the same, part by part.
    private func expectSame(
        _ old: SQLiteStore, _ fresh: SQLiteStore, location: SourceLocation = #_sourceLocation
    ) throws {
        let (old, fresh) = (try StoreContents(of: old), try StoreContents(of: fresh))
        for (old, fresh) in zip(old.requests, fresh.requests) { #expect(old == fresh, sourceLocation: location) }
        #expect(old.accounts == fresh.accounts, sourceLocation: location)
        #expect(old.budgets == fresh.budgets, sourceLocation: location)
        #expect(old.ledger == fresh.ledger, sourceLocation: location)
        #expect(old.plan == fresh.plan, sourceLocation: location)
        #expect(old.statistics == fresh.statistics, sourceLocation: location)
        #expect(old == fresh, sourceLocation: location)
    }

    @Test("Everything that can be finished is, and nothing that was there before is lost", arguments: lives)
    func finishes(name: String) throws {
        let folder = try folder(from: name)
        let store = try SQLiteStore(directory: folder.url)
        let life = StoreLife(bench: StoreWorkbench(store: store), version: try Self.version(name))
        let before = try store.snapshots(SnapshotFilter(limit: 999))
        #expect(Set(before.map(\.phase)) == Set(RequestPhase.allCases))
        let answers = try before.compactMap { try store.response(of: $0.id) }
        try life.goOn()
        let after = try store.snapshots(SnapshotFilter(limit: 999))
        #expect(after.allSatisfy { $0.phase == .completed })
        #expect(Set(after.map(\.id)).isSuperset(of: before.map(\.id)))
        for answer in answers { #expect(try store.response(of: answer.requestID) == answer) }
    }

    /// Makes the databases of which fixtures are dumped: of the newest version as the code writes it today; of an
    /// earlier one, for a version of which none was kept, the columns it has of what the code writes today.
    ///
    /// A new version's, before another one comes after it: `HABLARE_FIXTURES=folder`, run this test, then
    /// `sqlite3 folder/NAME.sqlite .dump`, with the line `PRAGMA application_id = 1214341740;` before it.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["HABLARE_FIXTURES"] != nil))
    func makesFixtures() throws {
        let folder = URL(fileURLWithPath: try #require(ProcessInfo.processInfo.environment["HABLARE_FIXTURES"]))
        for name in Self.lives {
            let sqlite = try SQLiteBench()
            try StoreLife(bench: sqlite.bench, version: try Self.version(name)).begin()
            try sqlite.store.close()
            let queue = try DatabaseQueue(path: folder.appendingPathComponent("\(name).sqlite").path)
            try Schema.migrator.migrate(queue, upTo: name)
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "ATTACH ? AS today", arguments: [sqlite.databaseFile.path])
                let tables = try String.fetchAll(
                    db, sql: "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT LIKE 'grdb%'")
                for table in tables {
                    let columns =
                        table == "sqlite_sequence"
                        ? "name, seq" : try db.columns(in: table).map(\.name).joined(separator: ", ")
                    try db.execute(sql: "DELETE FROM main.\(table)")  // what the migrations put there
                    try db.execute(sql: "INSERT INTO main.\(table) (\(columns)) SELECT \(columns) FROM today.\(table)")
                }
            }
            try queue.close()
        }
    }
}
