import Foundation
import GRDB
import Hablare
import HablareTestKit
import Testing

@testable import HablareSQLite

@Suite struct MigrationTests {
    /// The database of version 1 with one request in each state, as `sqlite3 .dump` printed it when it was released.
    private static func fixture(_ name: String) throws -> String {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Fixtures/\(name).sql")
        return try String(contentsOf: file, encoding: .utf8)
    }

    private func schema(_ db: Database) throws -> [String] {
        try String.fetchAll(
            db, sql: "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY name")
    }

    /// A store folder whose database was made from a dump.
    private func folder(from name: String) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let queue = try DatabaseQueue(path: folder.url.appendingPathComponent("hablare.sqlite").path)
        try queue.writeWithoutTransaction { try $0.execute(sql: Self.fixture(name)) }
        try queue.close()
        return folder
    }

    @Test("Migrations run one after another give the schema that a new store has")
    func stepwise() throws {
        let sqlite = try SQLiteBench()
        let queue = try DatabaseQueue()
        for name in Schema.migrator.migrations { try Schema.migrator.migrate(queue, upTo: name) }
        #expect(try queue.read(schema) == sqlite.store.pool.read(schema))
    }

    @Test("The first migration makes the schema that was released")
    func released() throws {
        let folder = try folder(from: "001-requests")
        let queue = try DatabaseQueue(path: folder.url.appendingPathComponent("hablare.sqlite").path)
        let fresh = try DatabaseQueue()
        try Schema.migrator.migrate(fresh, upTo: "001-requests")
        #expect(try queue.read(schema) == fresh.read(schema))
    }

    @Test("Migrating twice changes nothing")
    func idempotent() throws {
        let sqlite = try SQLiteBench()
        let before = try sqlite.store.pool.read(schema)
        try Schema.migrator.migrate(sqlite.store.pool)
        #expect(try sqlite.store.pool.read(schema) == before)
    }

    @Test("A store of version 1 opens with everything that was in it, and work goes on")
    func version1() throws {
        let folder = try folder(from: "001-requests")
        let store = try SQLiteStore(directory: folder.url)
        let bench = StoreWorkbench(store: store)
        let snapshots = try store.snapshots(SnapshotFilter())
        #expect(snapshots.map(\.phase) == [.completed, .failed, .cancelled, .executing, .pending])
        #expect(snapshots.map(\.attempts) == [1, 1, 0, 1, 0])
        #expect(snapshots[1].error == StoreWorkbench.failure)
        #expect(snapshots[3].holder == RequestSnapshot.Holder(host: "host-1", processID: 1))
        #expect(snapshots[4].job == JobKey(rawValue: "job") && snapshots[4].position == 7)
        #expect(snapshots[4].waiting == .unclaimed(ahead: nil))
        let response = try #require(try store.response(of: StoreWorkbench.id(0)))
        #expect(try response.content == .text("answer"))
        #expect(response.metadata == ["voice": "en"])
        #expect(response.usage == RunningAttempt.usage)
        let request = try #require(try store.request(of: StoreWorkbench.id(4))?.request)
        #expect(
            request
                == AIRequest(
                    id: StoreWorkbench.id(4), prompt: "Grüß Gott", model: "m", parameters: ["rate": 175, "pitch": 0.5],
                    sample: 2, tenant: "t", priority: .low, attemptTimeout: .seconds(90), metadata: ["k": "v"]))
        let owner = try #require(try store.owners().first?.id)
        #expect(try bench.write(.retireOwner(owner, at: StoreWorkbench.date(99))) == .broken(flights: 1))
        for number in [1, 2] {
            #expect(try bench.write(.retry(StoreWorkbench.id(number), at: StoreWorkbench.date(99))) == .done)
        }
        let next = try bench.register()
        let numbers = try bench.claim(next, limit: 9).map(\.request.id)
        #expect(numbers == [1, 2, 3, 4].map(StoreWorkbench.id))
    }
}
