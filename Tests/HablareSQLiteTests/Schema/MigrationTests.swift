import Foundation
import GRDB
import Hablare
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareSQLite

/// Stores of each schema version with everything that a row can hold.
@Suite struct MigrationTests {
    /// The versions, each with a fixture: its database as `sqlite3 .dump` printed it.
    static let versions = ["001-store", "002-token-kinds"]

    private func schema(_ db: Database) throws -> [String] {
        try String.fetchAll(
            db, sql: "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY name")
    }

    /// Creates a store folder whose database is made from a fixture.
    private func folder(from name: String) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Fixtures/\(name).sql")
        let dump = try String(contentsOf: file, encoding: .utf8)
        let queue = try DatabaseQueue(path: folder.url.appendingPathComponent("hablare.sqlite").path)
        try queue.writeWithoutTransaction { try $0.execute(sql: dump) }
        try queue.close()
        return folder
    }

    @Test("Every schema version has a fixture")
    func complete() {
        #expect(Schema.migrator.migrations == Self.versions)
    }

    @Test("Step-by-step migrations give the schema of a new store")
    func stepwise() throws {
        let sqlite = try SQLiteBench()
        let queue = try DatabaseQueue()
        for name in Schema.migrator.migrations { try Schema.migrator.migrate(queue, upTo: name) }
        #expect(try queue.read(schema) == sqlite.store.pool.read(schema))
    }

    @Test("A migration still gives the schema of its fixture", arguments: versions)
    func unchanged(name: String) throws {
        let folder = try folder(from: name)
        let queue = try DatabaseQueue(path: folder.url.appendingPathComponent("hablare.sqlite").path)
        let fresh = try DatabaseQueue()
        try Schema.migrator.migrate(fresh, upTo: name)
        #expect(try queue.read(schema) == fresh.read(schema))
    }

    @Test("Migrating twice changes nothing")
    func idempotent() throws {
        let sqlite = try SQLiteBench()
        let before = try sqlite.store.pool.read(schema)
        try Schema.migrator.migrate(sqlite.store.pool)
        #expect(try sqlite.store.pool.read(schema) == before)
    }

    @Test("A new store has no pending erasure")
    func nothingToErase() throws {
        let fresh = try DatabaseQueue()
        try Schema.migrator.migrate(fresh)
        #expect(try fresh.read(ErasureMark.wanted) == nil)
    }

    @Test(
        "A migrated store reads and continues like a new one with the same history",
        arguments: versions)
    func livesOn(name: String) throws {
        let folder = try folder(from: name)
        let fresh = try SQLiteBench()
        let expected = StoreLife(bench: fresh.bench)
        try expected.begin()
        let old = try SQLiteStore(directory: folder.url)
        let life = StoreLife(bench: StoreWorkbench(store: old))
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

    /// Checks that two stores hold the same, part by part.
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

    @Test("All work of an earlier version can be finished without losing answers", arguments: versions)
    func finishes(name: String) throws {
        let folder = try folder(from: name)
        let store = try SQLiteStore(directory: folder.url)
        let before = try store.snapshots(SnapshotFilter(limit: 999))
        #expect(Set(before.map(\.phase)) == Set(RequestPhase.allCases))
        let answers = try before.compactMap { try store.response(of: $0.id) }
        try StoreLife(bench: StoreWorkbench(store: store)).goOn()
        let after = try store.snapshots(SnapshotFilter(limit: 999))
        #expect(after.allSatisfy { $0.phase == .completed })
        #expect(Set(after.map(\.id)).isSuperset(of: before.map(\.id)))
        for answer in answers { #expect(try store.response(of: answer.requestID) == answer) }
    }

    @Test("A damaged trace context is ignored, and its request runs")
    func damagedTrace() throws {
        let sqlite = try SQLiteBench()
        let owner = try sqlite.bench.register()
        var submission = try StoreWorkbench.submission(1)
        submission.trace = TraceContext(["traceparent": "00-1-1-01"])
        try sqlite.bench.submit(submission)
        try sqlite.store.pool.write { try $0.execute(sql: "UPDATE requests SET trace = x'ff00'") }
        let claimed = try sqlite.bench.claimOne(owner)
        #expect(claimed.trace == nil && claimed.failure == nil && claimed.request.prompt == "prompt 1")
    }

    /// Creates the database from which a fixture is dumped, of the newest version as the code writes it today.
    ///
    /// Before a new version is begun: `HABLARE_FIXTURES=folder swift test --filter makesFixture`, then
    /// `sqlite3 folder/hablare.sqlite .dump`, with the line `PRAGMA application_id = 1214341740;` before it.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["HABLARE_FIXTURES"] != nil))
    func makesFixture() throws {
        let folder = URL(fileURLWithPath: try #require(ProcessInfo.processInfo.environment["HABLARE_FIXTURES"]))
        let store = try SQLiteStore(directory: folder)
        try StoreLife(bench: StoreWorkbench(store: store)).begin()
        try store.close()
    }
}
