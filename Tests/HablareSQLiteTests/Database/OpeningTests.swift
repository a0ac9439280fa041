import Foundation
import GRDB
import Hablare
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareSQLite

@Suite struct OpeningTests {
    /// Creates a plain database with a connection that is closed afterwards.
    private func database(at file: URL, _ body: (DatabaseQueue) throws -> Void) throws {
        let queue = try DatabaseQueue(path: file.path)
        try body(queue)
        try queue.close()
    }

    private func errorOfOpening(_ folder: TemporaryFolder) throws -> AIServiceError {
        try serviceError { _ = try SQLiteStore(directory: folder.url) }
    }

    @Test("Every connection uses full sync and write-ahead logging")
    func durability() throws {
        let sqlite = try SQLiteBench()
        func check(_ db: Database) throws {
            #expect(try Int.fetchOne(db, sql: "PRAGMA synchronous") == 2)
            #expect(try String.fetchOne(db, sql: "PRAGMA journal_mode") == "wal")
        }
        try sqlite.store.pool.writeWithoutTransaction(check)
        try sqlite.store.pool.read(check)
    }

    @Test("A missing folder is created with its parents")
    func makesFolder() throws {
        let folder = try TemporaryFolder()
        let deep = folder.url.appendingPathComponent("a b/ü/c")
        try StoreWorkbench(store: SQLiteStore(directory: deep)).submit(1)
        #expect(try SQLiteStore(directory: deep).snapshot(of: StoreWorkbench.id(1)) != nil)
    }

    @Test("exists is true if it cannot be checked, so that opening gives the reason")
    func exists() throws {
        let folder = try TemporaryFolder()
        #expect(!SQLiteStore.exists(in: folder.url.appendingPathComponent("nothing")))
        let file = folder.url.appendingPathComponent("file")
        try Data().write(to: file)
        #expect(SQLiteStore.exists(in: file), "a file is in its place")
        _ = try SQLiteStore(directory: folder.url)
        #expect(SQLiteStore.exists(in: folder.url))
    }

    @Test("A busy timeout beyond SQLite's maximum is clamped")
    func endlessTimeout() throws {
        for timeout in [TimeInterval.infinity, .greatestFiniteMagnitude, 2_147_484] {
            let sqlite = try SQLiteBench(.init(busyTimeout: timeout))
            let set = try sqlite.store.pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA busy_timeout") }
            #expect(set == 2_147_483_000)
            let bench = StoreWorkbench(store: sqlite.store)
            try bench.submit(1)
            _ = try bench.write(.delete(StoreWorkbench.id(1), at: StoreWorkbench.date(2)))
        }
    }

    @Test(
        "An invalid busy timeout is refused, and nothing is created",
        arguments: [TimeInterval.nan, -1, -TimeInterval.infinity])
    func impossibleTimeout(timeout: TimeInterval) throws {
        let folder = try TemporaryFolder()
        let new = folder.url.appendingPathComponent("new")
        let error = try serviceError {
            _ = try SQLiteStore(directory: new, configuration: .init(busyTimeout: timeout))
        }
        #expect(error.code == .invalidConfiguration && error.message.contains("0 seconds or more"))
        #expect(!FileManager.default.fileExists(atPath: new.path))
    }

    @Test("An empty file becomes a store")
    func emptyFile() throws {
        let folder = try TemporaryFolder()
        try Data().write(to: folder.url.appendingPathComponent("hablare.sqlite"))
        try StoreWorkbench(store: SQLiteStore(directory: folder.url)).submit(1)
    }

    @Test("A store of a newer version is refused and not changed")
    func newer() throws {
        let sqlite = try SQLiteBench()
        try sqlite.bench.submit(1)
        try sqlite.store.close()
        try database(at: sqlite.databaseFile) { queue in
            try queue.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('999-from-the-future')") }
        }
        let before = try Data(contentsOf: sqlite.databaseFile)
        let error = try errorOfOpening(sqlite.folder)
        #expect(error.code == .storageTooNew)
        #expect(error.disposition == .needsUser)
        #expect(try Data(contentsOf: sqlite.databaseFile) == before)
    }

    @Test("Another program's database is refused and not changed by a byte")
    func foreign() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("hablare.sqlite")
        try database(at: file) { queue in
            try queue.write { try $0.execute(sql: "CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)") }
        }
        let before = try Data(contentsOf: file)
        #expect(try errorOfOpening(folder).code == .storageCorrupt)
        #expect(try Data(contentsOf: file) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["hablare.sqlite"])
    }

    @Test("Random bytes are refused and not changed")
    func randomBytes() throws {
        var random = SeededGenerator(seed: 1)
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("hablare.sqlite")
        let bytes = Data((0..<20_000).map { _ in UInt8.random(in: 0...255, using: &random) })
        try bytes.write(to: file)
        #expect(try errorOfOpening(folder).code == .storageCorrupt)
        #expect(try Data(contentsOf: file) == bytes)
    }

    @Test("A truncated database fails with an AIServiceError when it is opened or read", arguments: [1, 4096, 9000])
    func truncated(size: Int) throws {
        let sqlite = try SQLiteBench()
        for number in 0..<200 { try sqlite.bench.submit(number) }
        try sqlite.store.close()
        let handle = try FileHandle(forWritingTo: sqlite.databaseFile)
        try handle.truncate(atOffset: UInt64(size))
        try handle.close()
        let error = try serviceError {
            let store = try SQLiteStore(directory: sqlite.folder.url)
            _ = try store.snapshots(SnapshotFilter())
            _ = try store.statistics()
        }
        #expect(error.code == .storageCorrupt)
    }

    @Test(
        "Overwritten pages never trap, and an operation works or throws an AIServiceError", arguments: Seeds.choose(12)
    )
    func damaged(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let sqlite = try SQLiteBench()
        let owner = try sqlite.bench.register()
        for number in 0..<50 { try sqlite.bench.submit(number, job: "j", position: number) }
        for _ in 0..<20 { try sqlite.bench.finishNext(owner) }
        for _ in 0..<10 { try sqlite.bench.postponeNext(owner, until: 60) }
        for number in 60..<70 { try sqlite.bench.submit(StoreWorkbench.submission(number, deadline: 50)) }
        _ = try sqlite.bench.reserve([1], of: RateLimit(), at: 3)
        try sqlite.store.close()
        var bytes = try Data(contentsOf: sqlite.databaseFile)
        for _ in 0..<40 {
            bytes[Int.random(in: 4096..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        try bytes.write(to: sqlite.databaseFile)
        func attempt(_ operation: () throws -> Void) {
            do {
                try operation()
            } catch {
                #expect(error is AIServiceError, "HABLARE_SEED=\(seed): \(error)")
            }
        }
        attempt {
            let store = try SQLiteStore(directory: sqlite.folder.url)
            let bench = StoreWorkbench(store: store)
            attempt { _ = try store.snapshots(SnapshotFilter()) }
            attempt { _ = try store.statistics() }
            attempt { _ = try store.owners() }
            for number in 0..<50 {
                attempt { _ = try store.response(of: StoreWorkbench.id(number)) }
                attempt { _ = try store.request(of: StoreWorkbench.id(number)) }
                attempt { _ = try store.attempts(of: StoreWorkbench.id(number)) }
            }
            attempt { _ = try store.accounts() }
            attempt { _ = try bench.claim(owner, limit: 9, at: 60) }
            attempt { _ = try bench.expire(at: 60) }
            attempt { _ = try bench.reserve([1], of: RateLimit(), at: 60) }
            attempt { _ = try store.commit([.submit(StoreWorkbench.submission(99))]) }
        }
    }

    @Test("A folder below a file is refused with the reason")
    func belowFile() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("file")
        try Data("x".utf8).write(to: file)
        let error = try serviceError { _ = try SQLiteStore(directory: file.appendingPathComponent("store")) }
        #expect(error.code == .storageReadOnly)
        #expect(error.message.contains(file.path))
    }

    @Test("The error for a folder that cannot be created has the cause, such as a name too long")
    func impossibleName() throws {
        let folder = try TemporaryFolder()
        let name = String(repeating: "x", count: 300)
        let error = try serviceError { _ = try SQLiteStore(directory: folder.url.appendingPathComponent(name)) }
        #expect(error.code == .storageFailed)
        #expect(error.message.contains(name) && !error.message.contains("permissions"))
        #expect(error.cause?.contains(String(cString: strerror(ENAMETOOLONG))) == true)
    }

    @Test("Missing folders above the store are created private to the owner")
    func missingFolders() throws {
        let folder = try TemporaryFolder()
        let store = folder.url.appendingPathComponent("a/b c/d", isDirectory: true)
        _ = try SQLiteStore(directory: store)
        _ = try SQLiteStore(directory: store)
        for name in ["a", "a/b c", "a/b c/d"] {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: folder.url.appendingPathComponent(name).path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o700)
        }
    }

    @Test("A folder in place of the database is a storage error")
    func folderInstead() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent("hablare.sqlite"), withIntermediateDirectories: true)
        #expect(try errorOfOpening(folder).category == .storage)
    }

    @Test("Many processes can open a new store at once")
    func together() async throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("new")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask { try StoreWorkbench(store: SQLiteStore(directory: url)).submit(number) }
            }
            try await group.waitForAll()
        }
        #expect(try SQLiteStore(directory: url).snapshots(SnapshotFilter()).count == 8)
    }

    @Test("Acknowledged writes are there after a crash and a reopening")
    func reopened() throws {
        let sqlite = try SQLiteBench()
        let owner = try sqlite.bench.register()
        try sqlite.bench.bring(1, to: .completed, by: owner)
        try sqlite.bench.bring(2, to: .failed, by: owner)
        try sqlite.bench.bring(3, to: .cancelled, by: owner)
        try sqlite.bench.submit(4)
        try sqlite.bench.postponeNext(owner, until: 60)
        try sqlite.bench.submit(5)
        try sqlite.bench.holdNext(owner)
        try sqlite.bench.submit(StoreWorkbench.submission(6, job: "j", deadline: 30))
        _ = try sqlite.bench.reserve([1, 1, 1], of: RateLimit(requestsPerMinute: 12), at: 3)
        // A copy of the files at this moment equals the state after a process's death.
        let copy = try TemporaryFolder()
        for name in ["hablare.sqlite", "hablare.sqlite-wal"] {
            try FileManager.default.copyItem(
                at: sqlite.folder.url.appendingPathComponent(name), to: copy.url.appendingPathComponent(name))
        }
        let reopened = try SQLiteStore(directory: copy.url)
        #expect(try reopened.snapshots(SnapshotFilter()) == sqlite.store.snapshots(SnapshotFilter()))
        #expect(try reopened.response(of: StoreWorkbench.id(1)) == sqlite.store.response(of: StoreWorkbench.id(1)))
        #expect(try reopened.owners() == sqlite.store.owners())
        #expect(try reopened.statistics() == sqlite.store.statistics())
        #expect(try reopened.accounts() == sqlite.store.accounts())
        #expect(try reopened.accounts().map(\.id) == ["a"])
        let claim = try StoreWorkbench(store: reopened).ask(owner, limit: 9, at: 29)
        #expect(claim.flights.map(\.request.id) == [StoreWorkbench.id(6)])
        #expect(claim.nextDue == StoreWorkbench.date(60))
        #expect(try StoreWorkbench(store: reopened).expire(at: 30).expired.map(\.id) == [StoreWorkbench.id(6)])
    }
}
