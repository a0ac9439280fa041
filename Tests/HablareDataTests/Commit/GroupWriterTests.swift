import Foundation
import GRDB
import Hablare
import HablareSupport
import Testing

@testable import HablareData

@Suite("Group writes")
struct GroupWriterTests {
    /// A driver that drains only when the test says so.
    private final class HandDriver: CommitDriver {
        private let drain = Locked<(@Sendable () -> Void)?>(nil)
        private let signals = Locked(0)

        func start(_ drain: @escaping @Sendable () -> Void) { self.drain.withLock { $0 = drain } }
        func signal() { signals.withLock { $0 += 1 } }
        func stop() { drain.withLock { $0 = nil } }
        func takeSignal() -> Bool {
            signals.withLock { signals in
                defer { signals = max(0, signals - 1) }
                return signals > 0
            }
        }
        func run() { drain.withLock { $0 }?() }
    }

    /// A counter of a database's commits.
    private final class Commits: TransactionObserver, Sendable {
        private let number = Locked(0)
        var count: Int { number.withLock { $0 } }
        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseDidCommit(_ db: Database) { number.withLock { $0 += 1 } }
        func databaseDidRollback(_ db: Database) {}
    }

    private let database: DatabaseQueue
    private let commits = Commits()
    private let driver = HandDriver()
    private let writer: GroupWriter

    init() throws {
        database = try DatabaseQueue()
        try database.write { try $0.execute(sql: "CREATE TABLE word (text TEXT NOT NULL UNIQUE)") }
        database.add(transactionObserver: commits, extent: .databaseLifetime)
        writer = GroupWriter(database, driver: driver)
    }

    private static func insert(_ word: String?) -> @Sendable (Database) throws -> Int64 {
        { database in
            try database.cachedStatement(sql: "INSERT INTO word VALUES (?)").execute(arguments: [word])
            return database.lastInsertedRowID
        }
    }

    private func words() throws -> [String] {
        try database.read { try String.fetchAll($0, sql: "SELECT text FROM word ORDER BY rowid") }
    }

    @Test("Waiting writes share one transaction in their order, and each returns its own result")
    func together() async throws {
        let results = await run(["a", "b", "c"].map { Self.insert($0) })
        #expect(try results.map { try $0.get() } == [1, 2, 3])
        #expect(try words() == ["a", "b", "c"])
        #expect(commits.count == 1)
    }

    @Test("A write that fails fails alone, and does not affect the writes behind it")
    func alone() async throws {
        // The database caches the failed statement, which would throw again.
        let results = await run(["a", nil, "b", "a", "c"].map { Self.insert($0) })
        #expect(results.map(\.isDone) == [true, false, true, false, true])
        #expect(try words() == ["a", "b", "c"])
        let after = await run([Self.insert("d")])
        #expect(try after.map { try $0.get() } == [4])
    }

    @Test("A single failing write leaves no trace, and the next one succeeds")
    func single() async throws {
        let failed = await run([Self.insert(nil)])
        #expect(failed.allSatisfy { !$0.isDone })
        let next = await run([Self.insert("a")])
        #expect(try next.map { try $0.get() } == [1])
    }

    @Test("All changes of a failing write are rolled back")
    func takenBack() async throws {
        let results = await run([
            Self.insert("a"),
            { database in
                try database.execute(sql: "CREATE TABLE other (id INTEGER PRIMARY KEY)")
                throw CancellationError()
            },
        ])
        #expect(results.map(\.isDone) == [true, false])
        #expect(try words() == ["a"])
        #expect(try await database.read { try $0.tableExists("other") } == false)
    }

    @Test("A write that fails at the commit fails alone, too")
    func commitFails() async throws {
        try await database.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE page (id INTEGER PRIMARY KEY);
                    CREATE TABLE line (page INTEGER REFERENCES page (id) DEFERRABLE INITIALLY DEFERRED);
                    """)
        }
        let results = await run([
            Self.insert("a"),
            { database in
                // The database checks this constraint at the commit, and not before.
                try database.execute(sql: "INSERT INTO line VALUES (1)")
                return 0
            },
        ])
        #expect(results.map(\.isDone) == [true, false])
        #expect(try words() == ["a"])
        let after = await run([Self.insert("b")])
        #expect(after.map(\.isDone) == [true])
    }

    @Test("More writes than the limit use several transactions")
    func many() async throws {
        let count = GroupWriter.maximumGroup * 2 + 5
        let results = await run((0..<count).map { Self.insert("\($0)") })
        #expect(results.count == count)
        #expect(try words().count == count)
        #expect(commits.count == 3)
    }

    @Test("An empty batch has no results")
    func none() async {
        let results: [Result<Int, any Error>] = await writer.write(all: [])
        #expect(results.isEmpty)
    }

    /// Submits writes together and runs the drain.
    private func run(_ works: [@Sendable (Database) throws -> Int64]) async -> [Result<Int64, any Error>] {
        async let results = writer.write(all: works)
        while !driver.takeSignal() { await Task.yield() }
        driver.run()
        return await results
    }
}

extension Result {
    fileprivate var isDone: Bool { if case .success = self { true } else { false } }
}
