import GRDB
import HablarePersistence
import HablareTestKit
import Testing

@Suite("Batches") struct BatchTests {
    private let database: AppDatabase

    init() throws {
        var migrator = Notes.migrator
        migrator.registerMigration("002-unique") { db in
            try db.execute(sql: "CREATE UNIQUE INDEX note_title ON note (title)")
        }
        database = try AppDatabase.inMemory(migrator: migrator)
    }

    private func notes(_ titles: some Sequence<String>) -> [Note] { titles.map { Note(title: $0) } }

    @Test("A batch inserts, updates and deletes its records, and reports the outcome of each")
    func all() async throws {
        let titles = (0..<1_203).map { "\($0)" }
        let counts = Said<Int>()
        let options = BatchOptions(chunkSize: 100, progress: counts.add)
        let inserted = try await database.insert(notes(titles), options: options).outputs
        #expect(inserted.map(\.title) == titles)
        #expect(inserted.compactMap(\.id) == (1...1_203).map(Int64.init))
        #expect(counts.all == (1...12).map { $0 * 100 } + [1_203])
        var changed = inserted
        for index in changed.indices { changed[index].rank = index }
        try await database.update(changed)
        let sum = try await database.read { try Int.fetchOne($0, sql: "SELECT sum(rank) FROM note") }
        #expect(sum == 1_202 * 1_203 / 2)
        let gone = try await database.delete([Note(id: 99_999, title: "none")] + inserted)
        #expect(gone.outputs == [false] + inserted.map { _ in true })
        #expect(try database.titles() == [])
    }

    @Test("An empty batch does nothing, and a chunk size below one counts as one")
    func nothing() async throws {
        #expect(try await database.insert([Note]()).outcomes.isEmpty)
        let counts = Said<Int>()
        for size in [0, Int.min] {
            try await database.insert(
                notes(["\(size)", "\(size)!"]), options: BatchOptions(chunkSize: size, progress: counts.add))
        }
        #expect(counts.all == [1, 2, 1, 2])
        try await database.insert(notes(["x"]), options: BatchOptions(chunkSize: .max))
    }

    @Test("A batch stops at a failed record, names it, and keeps the whole chunks before it")
    func stops() async throws {
        var titles = (0..<50).map { "\($0)" }
        titles[34] = "7"
        let error = await #expect(throws: BatchFailure.self) {
            try await database.insert(notes(titles), options: BatchOptions(chunkSize: 10))
        }
        #expect(error?.index == 34)
        #expect(error?.committed == 30)
        #expect((error?.cause as? DatabaseError)?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
        #expect(try database.titles() == Array(titles[..<30]))
        titles[34] = "corrected"
        try await database.insert(notes(titles[30...]))
        #expect(try database.titles() == titles)
    }

    @Test("With the skip policy a batch leaves out failed records and writes all others")
    func skips() async throws {
        let titles = ["a", "a", "b", "a", "a", "c", "b", "d"]
        let result = try await database.insert(notes(titles), options: BatchOptions(chunkSize: 5, onFailure: .skip))
        #expect(result.failures.map(\.index) == [1, 3, 4, 6])
        #expect(result.failures.map(\.committed) == [0, 0, 0, 5])
        #expect(result.outputs.map(\.title) == ["a", "b", "c", "d"])
        #expect(try database.titles() == ["a", "b", "c", "d"])
        let missing = try await database.update(
            [Note(id: 77, title: "x"), Note(id: 1, title: "A")], options: BatchOptions(onFailure: .skip))
        #expect(missing.failures.map(\.index) == [0])
        #expect(missing.failures.first?.cause is RecordError)
        #expect(try database.titles().first == "A")
    }

    @Test(
        "A failed item of a custom batch is undone, and its statement works for the next item")
    func own() async throws {
        struct Refused: Error {}
        let result = try await database.batch([1, 2, 3, 1, 4], options: BatchOptions(onFailure: .skip)) { db, number in
            let statement = try db.cachedStatement(sql: "INSERT INTO note (title) VALUES (?)")
            try statement.execute(arguments: ["\(number)"])
            if number == 3 { throw Refused() }
            return number * 2
        }
        #expect(result.outputs == [2, 4, 8])
        #expect(result.failures.map(\.index) == [2, 3])
        #expect(result.failures.first?.cause is Refused)
        #expect(try database.titles() == ["1", "2", "4"])
    }

    @Test("A batch agrees with a model under random failures", arguments: Seeds.choose(20))
    func model(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let titles = (0..<60).map { _ in "\(Int.random(in: 0..<40, using: &random))" }
        let size = Int.random(in: 1...20, using: &random)
        let policy: BatchOptions.Policy = Bool.random(using: &random) ? .skip : .stop
        var expected: [String] = []
        var failed: Int?
        chunks: for start in stride(from: 0, to: titles.count, by: size) {
            var chunk: [String] = []
            for index in start..<min(start + size, titles.count) {
                guard (expected + chunk).contains(titles[index]) else {
                    chunk.append(titles[index])
                    continue
                }
                if policy == .stop {
                    failed = index
                    break chunks
                }
            }
            expected += chunk
        }
        do {
            let options = BatchOptions(chunkSize: size, onFailure: policy)
            let result = try await database.insert(notes(titles), options: options)
            #expect(result.outputs.map(\.title) == expected, "HABLARE_SEED=\(seed)")
            #expect(failed == nil)
        } catch {
            let failure = try #require(error as? BatchFailure)
            #expect(failure.index == failed, "HABLARE_SEED=\(seed)")
            #expect(failure.committed == expected.count)
        }
        #expect(try database.titles() == expected, "HABLARE_SEED=\(seed)")
    }

    @Test("A cancelled batch keeps whole chunks and throws CancellationError")
    func cancelled() async throws {
        let database = database
        let titles = (0..<100).map { "\($0)" }
        await #expect(throws: CancellationError.self) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                // In a task of its own, so that the test's task is not cancelled.
                group.addTask {
                    let options = BatchOptions(chunkSize: 10) { count in
                        if count == 30 { withUnsafeCurrentTask { $0?.cancel() } }
                    }
                    try await database.insert(titles.map { Note(title: $0) }, options: options)
                }
                try await group.waitForAll()
            }
        }
        #expect(try database.titles() == Array(titles[..<30]))
    }

    @Test(
        "A batch cancelled during a statement is rolled back to whole chunks and throws CancellationError",
        .timeLimit(.minutes(1)), arguments: [BatchOptions.Policy.stop, .skip])
    func cancelledInside(policy: BatchOptions.Policy) async throws {
        let database = database
        let error = await withTaskGroup(of: (any Error)?.self) { group in
            let (started, start) = AsyncStream.makeStream(of: Void.self)
            group.addTask {
                do {
                    let options = BatchOptions(chunkSize: 1, onFailure: policy)
                    _ = try await database.batch([1, 2, 3], options: options) { db, number in
                        try db.execute(sql: "INSERT INTO note (title) VALUES (?)", arguments: ["\(number)"])
                        guard number == 2 else { return }
                        start.yield()
                        let endless =
                            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
                        _ = try Int.fetchOne(db, sql: endless)
                    }
                    return nil
                } catch {
                    return error
                }
            }
            for await _ in started { break }
            group.cancelAll()
            return await group.next() ?? nil
        }
        #expect(error is CancellationError)
        #expect(try database.titles() == ["1"])
    }

    @Test("A CancellationError within an item cancels the batch instead of failing it")
    func interrupted() async throws {
        let error = await #expect(throws: CancellationError.self) {
            try await database.batch([1, 2], options: BatchOptions(onFailure: .skip)) { _, _ in
                throw CancellationError()
            }
        }
        #expect(error != nil)
    }

    @Test("A batch stops if the database as a whole fails, even with the skip policy")
    func wholeFails() async throws {
        let error = await #expect(throws: BatchFailure.self) {
            try await database.batch([1, 2, 3], options: BatchOptions(chunkSize: 2, onFailure: .skip)) { db, number in
                if number == 3 { throw DatabaseError(resultCode: .SQLITE_FULL) }
            }
        }
        #expect(error?.index == nil)
        #expect(error?.committed == 2)
        let deferred = await #expect(throws: BatchFailure.self) {
            try await database.batch([1], options: BatchOptions(onFailure: .skip)) { db, _ in
                try db.execute(
                    sql: """
                        CREATE TABLE child (parent INTEGER REFERENCES note DEFERRABLE INITIALLY DEFERRED);
                        INSERT INTO child VALUES (1);
                        """)
            }
        }
        #expect(deferred?.index == nil, "the commit failed")
        #expect(try await database.read { try $0.tableExists("child") } == false)
    }
}
