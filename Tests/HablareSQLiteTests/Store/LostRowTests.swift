import Foundation
import GRDB
import Hablare
import HablareSupport
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareSQLite

/// A request whose row is on a damaged page that SQLite reads without an error.
@Suite struct LostRowTests {
    private let folder: TemporaryFolder
    /// A store with one request, whose page has a row count of zero.
    private let store: SQLiteStore

    init() throws {
        let sqlite = try SQLiteBench()
        try sqlite.bench.submit(1)
        let root = try sqlite.store.pool.read {
            try Int.fetchOne($0, sql: "SELECT rootpage FROM sqlite_master WHERE name = 'requests'")
        }
        let size = try sqlite.store.pool.read { try Int.fetchOne($0, sql: "PRAGMA page_size") }
        try sqlite.store.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        try sqlite.store.close()
        let page = (try #require(root) - 1) * (try #require(size))
        var bytes = try Data(contentsOf: sqlite.databaseFile)
        try #require(bytes.count > page + 5)
        #expect([10, 13].contains(bytes[page]), "a leaf, with all rows of the table")
        bytes.replaceSubrange(page + 3..<page + 5, with: [0, 0])
        try bytes.write(to: sqlite.databaseFile)
        folder = sqlite.folder
        store = try SQLiteStore(directory: folder.url)
    }

    private func expectDamage(_ error: AIServiceError) {
        #expect(error.code == .storageCorrupt && error.message.contains("is damaged"))
        #expect(error.message.contains("Do not submit it again") && error.cause?.isEmpty == false)
    }

    @Test("A lost row reads as storage damage, not as an unknown request")
    func small() throws {
        for _ in 0..<2 { expectDamage(try serviceError { _ = try store.snapshot(of: StoreWorkbench.id(1)) }) }
        expectDamage(try serviceError { _ = try store.request(of: StoreWorkbench.id(1)) })
    }

    @Test("The manager reports the damage for a lost row")
    func manager() async throws {
        let manager = AIRequestManager(store: store, providers: try ProviderRegistry([ScriptedProvider()]))
        let id = StoreWorkbench.id(1)
        for ask in [
            { _ = try await manager.status(for: id) }, { _ = try await manager.snapshot(for: id) },
            { _ = try await manager.outcome(of: id) }, { _ = try await manager.attempts(for: id) },
            { _ = try await manager.regenerate(id) }, { _ = try await manager.cancelRequest(id) },
            { try await manager.retry(id) }, { try await manager.evict(id) }, { try await manager.delete(id) },
            { try await manager.pin(id) }, { _ = try await manager.stream(for: id) },
        ] as [@Sendable () async throws -> Void] {
            let error = await #expect(throws: AIServiceError.self) { try await ask() }
            expectDamage(try #require(error))
        }
    }

    @Test("Damage found by a diagnosis is reported afterwards in a store of any size")
    func diagnosed() throws {
        // As in a store that is too large to be checked for one request.
        _ = store.damage.withLock { $0.missed() }
        #expect(try store.snapshot(of: StoreWorkbench.id(1)) == nil)
        #expect(try store.diagnose().findings.contains { $0.kind == .integrity })
        expectDamage(try serviceError { _ = try store.snapshot(of: StoreWorkbench.id(1)) })
    }

    @Test("In an intact store a missing row reads as unknown")
    func whole() throws {
        let sqlite = try SQLiteBench()
        for number in 1...3 { #expect(try sqlite.store.snapshot(of: StoreWorkbench.id(number)) == nil) }
        #expect(sqlite.store.damage.withLock(\.finding) == nil)
    }

    @Test("The integrity check is repeated at intervals")
    func interval() {
        var damage = KnownDamage()
        #expect((0..<2 * KnownDamage.interval).count { _ in damage.missed() } == 2)
        damage.found("a page")
        damage.found("another one")
        #expect(damage.finding == "a page" && !damage.missed())
    }
}
