import Foundation
import GRDB
import Hablare
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareSQLite

@Suite struct MigrationTests {
    /// A version's database with requests in each state, as `sqlite3 .dump` printed it when it was released.
    private static func fixture(_ name: String) throws -> String {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Fixtures/\(name).sql")
        return try String(contentsOf: file, encoding: .utf8)
    }

    func schema(_ db: Database) throws -> [String] {
        try String.fetchAll(
            db, sql: "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY name")
    }

    /// A store folder whose database was made from a dump.
    func folder(from name: String) throws -> TemporaryFolder {
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

    @Test("The migrations make the schemas that were released", arguments: ["001-requests", "002-dispatch"] + lives)
    func released(name: String) throws {
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
        #expect(snapshots.allSatisfy { $0.deadline == nil })
        #expect(try store.accounts() == [])
        #expect(try bench.expire(at: 1_000_000_000).expired == [])
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
        let claimed = try bench.claim(next, limit: 9)
        #expect(claimed.map(\.request.id) == [1, 2, 3, 4].map(StoreWorkbench.id))
        #expect(claimed.map(\.lifecycle.uncounted) == [1, 0, 1, 0])
        #expect(claimed.allSatisfy { $0.triedSince == nil && $0.request.unknownOutcome == .runAgain })
        #expect(try store.diagnose().findings.filter(\.isProblem) == [])
    }

    @Test("Attempts of version 1 all count, and their time begins with the next one")
    func version1Tries() throws {
        let folder = try folder(from: "001-requests")
        let queue = try DatabaseQueue(path: folder.url.appendingPathComponent("hablare.sqlite").path)
        // A request that was interrupted once, as version 1 left it.
        try queue.write {
            try $0.execute(sql: "UPDATE flights SET token = 1, attempt = 1, generation = 1 WHERE id = 5")
        }
        try queue.close()
        let bench = StoreWorkbench(store: try SQLiteStore(directory: folder.url))
        let owner = try bench.register()
        let claimed = try bench.claimOne(owner)
        #expect(claimed.lifecycle.tries == 1 && claimed.triedSince == nil)
        let attempt = try bench.start(claimed, at: 7)
        _ = try bench.write(.settle(attempt.postponed(until: 60)))
        let again = try bench.claimOne(owner, at: 60)
        #expect(again.lifecycle.tries == 2 && again.triedSince == StoreWorkbench.date(7))
    }

    @Test("A store of version 2 opens with everything that was in it, and work goes on")
    func version2() throws {
        let folder = try folder(from: "002-dispatch")
        let store = try SQLiteStore(directory: folder.url)
        let bench = StoreWorkbench(store: store)
        let snapshots = try store.snapshots(SnapshotFilter())
        #expect(
            snapshots.map(\.phase)
                == [.completed, .failed, .cancelled, .executing, .pending, .pending, .failed, .pending])
        #expect(
            snapshots.map(\.waiting)
                == [
                    nil, nil, nil, nil, .backingOff(until: StoreWorkbench.date(60)), .held, nil, .unclaimed(ahead: nil),
                ])
        #expect(snapshots[4].deadline == StoreWorkbench.date(3600))
        #expect(snapshots[6].error == .deadlineExceeded)
        #expect(try store.snapshots(SnapshotFilter(isHeld: true)).map(\.id) == [StoreWorkbench.id(5)])
        let request = try #require(try store.request(of: StoreWorkbench.id(4))?.request)
        #expect(
            request
                == AIRequest(
                    id: StoreWorkbench.id(4), prompt: "Grüß Gott", model: "m", parameters: ["rate": 175, "pitch": 0.5],
                    sample: 2, tenant: "t", priority: .low, attemptTimeout: .seconds(90),
                    deadline: StoreWorkbench.date(3600), maximumAttempts: 5, unknownOutcome: .hold,
                    metadata: ["k": "v"]))
        let attempts = try snapshots.flatMap { try store.attempts(of: $0.id) }
        #expect(attempts.map(\.provider) == Array(repeating: "p", count: 5))
        #expect(try store.ledger(LedgerQuery(by: .provider)).rows.map(\.key) == ["p"])
        #expect(try store.budgets() == [] && snapshots.allSatisfy(\.tags.isEmpty))
        let date = StoreWorkbench.date
        let budget = AccountBudget(
            requests: TokenBucket(level: 4, updatedAt: date(50)), units: TokenBucket(level: 30, updatedAt: date(50)),
            reportedRequests: 30, reportedUnits: 900.5, pausedUntil: date(70), nextCall: date(53),
            failingUntil: date(80))
        #expect(
            try store.accounts() == [
                AccountRecord(id: "p", providers: ["p"], budget: budget),
                AccountRecord(id: "unused", providers: [], budget: AccountBudget()),
            ])
        let owner = try bench.register()
        let claim = try bench.ask(owner, limit: 9, at: 59)
        let lost = FlightLifecycle(
            state: .leased(owner), token: 2, attempt: 1, generation: 1, uncounted: 1, losses: 1)
        #expect(claim.flights.map(\.lifecycle) == [lost])
        #expect(claim.nextDue == date(60))
        let due = try bench.claimOne(owner, at: 60)
        #expect(due.request == request && due.triedSince == date(1))
        #expect(try bench.expire(at: 3600).expired.map(\.id) == [request.id])
        #expect(try store.diagnose().findings.filter(\.isProblem) == [])
    }

    @Test("A store of a version before traces opens, none of its requests has one, and new ones keep theirs")
    func beforeTraces() throws {
        let folder = try folder(from: "002-dispatch")
        let queue = try DatabaseQueue(path: folder.url.appendingPathComponent("hablare.sqlite").path)
        try Schema.migrator.migrate(queue, upTo: "006-retention")
        try queue.close()
        let bench = StoreWorkbench(store: try SQLiteStore(directory: folder.url))
        let owner = try bench.register()
        var submission = try StoreWorkbench.submission(40)
        submission.trace = TraceContext(["traceparent": "00-1-1-01"])
        try bench.submit(submission)
        let claimed = try bench.claim(owner, limit: 99, at: 60)
        #expect(claimed.count > 1)
        #expect(claimed.compactMap(\.trace).map(\.fields) == [["traceparent": "00-1-1-01"]])
        #expect(claimed.allSatisfy { $0.submittedAt != nil })
    }

    @Test("Prompts that an earlier version left behind nobody's request are erased, and nobody else's are")
    func leftPrompts() throws {
        let folder = try folder(from: "009-shared-notes")
        let queue = try DatabaseQueue(path: folder.url.appendingPathComponent("hablare.sqlite").path)
        func prompts(_ db: Database) throws -> [Int64] {
            try Int64.fetchAll(db, sql: "SELECT id FROM flights WHERE prompt IS NOT NULL ORDER BY id")
        }
        let before = try queue.write { db in
            let before = try prompts(db)
            // The last member of a completed flight is another one's now.
            try db.execute(
                sql: """
                    INSERT INTO flights (id, state, token, attempt, generation, provider, priority, member,
                        fingerprint, sample, prompt_kind, prompt)
                    SELECT 900, 3, 1, 1, 1, 1, 1, id, x'01', 0, 0, CAST('left' AS BLOB) FROM requests LIMIT 1;
                    INSERT INTO responses (flight, kind, metadata, received_at) VALUES (900, 0, x'7b7d', 1);
                    """)
            return before
        }
        try queue.close()
        let store = try SQLiteStore(directory: folder.url)
        let left = try store.pool.read { db in
            try Int.fetchOne(db, sql: "SELECT count(*) FROM responses WHERE flight = 900")
        }
        let after = try store.pool.read(prompts)
        #expect(after == before && before.count > 20 && left == 0)
        #expect(try store.diagnose().findings.filter(\.isProblem) == [])
    }

    @Test("What an earlier version may have left in the log is erased once; a new store has nothing to erase")
    func leftInLog() throws {
        let folder = try folder(from: "010-failed")
        let queue = try DatabaseQueue(path: folder.url.appendingPathComponent("hablare.sqlite").path)
        try Schema.migrator.migrate(queue)
        #expect(try queue.read(ErasureMark.wanted) == 1)
        try queue.close()
        #expect(try SQLiteStore(directory: folder.url).pool.read(ErasureMark.wanted) == nil)
        let fresh = try DatabaseQueue()
        try Schema.migrator.migrate(fresh)
        #expect(try fresh.read(ErasureMark.wanted) == nil)
    }

    @Test("A trace that cannot be read is none, and its request is carried out")
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

    @Test(
        "Responses of an older version are counted, and those of a job protected",
        arguments: ["001-requests", "002-dispatch"])
    func countsResponses(version: String) throws {
        let folder = try folder(from: version)
        let queue = try DatabaseQueue(path: folder.url.appendingPathComponent("hablare.sqlite").path)
        // A twin of the completed request, in a job, and one whose content was evicted.
        try queue.write { db in
            for (number, flight) in [(30, 30), (31, 31)] {
                let id = StoreWorkbench.id(number)
                let bytes = withUnsafeBytes(of: id.uuid) { Data($0) }
                try db.execute(
                    sql: """
                        INSERT INTO flights (id, state, token, attempt, generation, provider, job, priority, member,
                            fingerprint, sample, prompt_kind)
                        VALUES (?, 3, 1, 1, 1, 1, NULL, 1, ?, x'', 0, 0)
                        """, arguments: [flight, bytes])
                try db.execute(
                    sql:
                        "INSERT INTO requests (id, flight, state, job, position, created_at) VALUES (?, ?, 1, ?, ?, 1)",
                    arguments: [bytes, flight, number == 30 ? 1 : nil, number == 30 ? 99 : nil])
                try db.execute(
                    sql: "INSERT INTO responses (flight, kind, body, received_at) VALUES (?, 0, ?, 1)",
                    arguments: [flight, number == 30 ? Data("kept".utf8) : nil])
            }
        }
        try queue.close()
        let store = try SQLiteStore(directory: folder.url)
        let plan = try store.prunePlan(Retention(maximumAge: 0), at: StoreWorkbench.date(100))
        #expect(plan.count == 1 && plan.bytes == 6)
        #expect(try store.diagnose().findings.filter(\.isProblem) == [])
        #expect(try store.snapshots(SnapshotFilter()).allSatisfy { !$0.isPinned && !$0.awaitsMerge })
        let bench = StoreWorkbench(store: store)
        #expect(try bench.prune(through: try #require(plan.last)) == Pruned(count: 1, bytes: 6))
        #expect(try bench.isKept(30) && !bench.isKept(0))
    }
}
