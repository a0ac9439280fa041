import Foundation
import GRDB
import Hablare
import HablareSupport
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareSQLite

/// The query plans of the store: by index, and with few statements on the hot path.
@Suite struct QueryPlanTests {
    private let sqlite: SQLiteBench
    private let owner: OwnerID

    init() throws {
        sqlite = try SQLiteBench()
        let bench = sqlite.bench
        owner = try bench.register()
        for number in 0..<6 { try bench.submit(StoreWorkbench.submission(number, job: "j", position: number)) }
        try bench.finishNext(owner)
        try bench.postponeNext(owner, until: 60)
        try bench.holdNext(owner)
        _ = try bench.startNext(owner)
        for number in 10..<13 { try bench.submit(StoreWorkbench.submission(number, deadline: 60)) }
        _ = try bench.reserve([1], of: RateLimit(), at: 0)
    }

    /// Returns the statements that the writing connection runs during an operation.
    private func statements(_ body: () throws -> Void) throws -> [String] {
        let log = StatementLog()
        sqlite.store.pool.writeWithoutTransaction { db in
            db.trace { event in if case .statement(let statement) = event { log.note(statement.sql) } }
        }
        try body()
        sqlite.store.pool.writeWithoutTransaction { $0.trace(options: []) }
        return log.statements
    }

    /// Returns the statements of a reading transaction.
    private func statements(reading body: (ReadTransaction) throws -> Void) throws -> [String] {
        let log = StatementLog()
        try sqlite.store.pool.read { db in
            db.trace { event in if case .statement(let statement) = event { log.note(statement.sql) } }
            try body(ReadTransaction(db: db, content: nil))
            db.trace(options: [])
        }
        return log.statements
    }

    private func plan(_ sql: String) throws -> [String] {
        try sqlite.store.pool.read { db in
            let statement = try db.makeStatement(sql: "EXPLAIN QUERY PLAN \(sql)")
            statement.setUncheckedArguments(StatementArguments())
            return try Row.fetchAll(statement).map { $0["detail"] ?? "" }
        }
    }

    /// Returns the plans of statements, each of which must find its rows by an index or a key.
    private func indexedPlans(of statements: [String], location: SourceLocation = #_sourceLocation) throws -> [String] {
        var plans: [String] = []
        for sql in Set(statements).sorted() {
            let plan = try plan(sql)
            // `h` stands for the few rows that a subquery found by its index.
            #expect(
                !plan.contains { $0.hasPrefix("SCAN") && $0 != "SCAN h" }, "\(sql)", sourceLocation: location)
            plans += plan
        }
        return plans
    }

    @Test("A claim finds waiting and due flights by index without sorting")
    func claims() throws {
        let statements = try statements {
            _ = try sqlite.bench.ask(owner, limit: 9, at: 5)
            _ = try sqlite.bench.ask(owner, limit: 9, at: 60)
            _ = try sqlite.bench.ask(owner, scope: .job(JobKey(rawValue: "j")), limit: 9, at: 61)
            _ = try sqlite.bench.ask(owner, scope: .request(StoreWorkbench.id(1)), limit: 9, at: 61)
        }
        let plans = try indexedPlans(of: statements)
        let expected = [
            "SEARCH f USING INDEX flights_live (owner=? AND provider=? AND priority=? AND id>?)",
            "SEARCH f USING INDEX flights_live_of_job (owner=? AND job=? AND provider=? AND priority=? AND id>?)",
            "SEARCH f USING INDEX flights_due (provider=? AND not_before<?)",
        ]
        for plan in expected { #expect(plans.contains(plan), "\(plans)") }
        #expect(plans.contains { $0.contains("INDEX flights_due (provider=? AND not_before>?") }, "\(plans)")
        #expect(!plans.contains { $0.contains("TEMP B-TREE") }, "\(plans)")
    }

    @Test("A claim looks for due backoffs once if there are none")
    func quietClaims() throws {
        let statements = try statements { _ = try sqlite.bench.ask(owner, provider: "q", limit: 3, at: 5) }
        #expect(statements.count { $0.contains("flights_due") } == 1)
        #expect(!statements.contains { $0.hasPrefix("UPDATE") })
    }

    @Test("The providers with waiting flights are found by a search per provider, without a scan")
    func providers() throws {
        let statements = try statements(reading: { store in
            let providers = try store.providers()
            #expect(providers == ["p"])
        })
        let plans = try statements.filter { $0.hasPrefix("SELECT") }.flatMap(plan)
        #expect(plans.contains("SEARCH f USING COVERING INDEX flights_live (owner=? AND provider=?)"), "\(plans)")
        #expect(plans.contains("SEARCH f USING COVERING INDEX flights_live (owner>?)"), "\(plans)")
        #expect(!plans.contains { $0.hasPrefix("SCAN f") }, "\(plans)")
    }

    @Test("Expired requests are found by their index in order")
    func deadlines() throws {
        var expired: [ExpiredRequest] = []
        let statements = try statements { expired = try sqlite.bench.expire(at: 60, limit: 2).expired }
        #expect(expired.count == 2)
        let plans = try indexedPlans(of: statements)
        #expect(plans.contains { $0.contains("INDEX requests_due (deadline>? AND deadline<?)") }, "\(plans)")
        #expect(plans.contains { $0.contains("INDEX requests_due (deadline>?)") }, "\(plans)")
        #expect(!plans.contains { $0.contains("TEMP B-TREE") }, "\(plans)")
    }

    @Test("No write scans a whole table")
    func writes() throws {
        let statements = try statements {
            let bench = sqlite.bench
            let another = try bench.register(2)
            let running = try bench.startNext(owner)
            _ = try bench.startNext(owner)
            _ = try bench.write(.settle(running.postponed(until: 90)))
            for number in [1, 2, 3, 10] {
                _ = try bench.write(.retry(StoreWorkbench.id(number), at: StoreWorkbench.date(70)))
            }
            _ = try bench.write(.cancel(StoreWorkbench.id(11), at: StoreWorkbench.date(70)))
            _ = try bench.write(.evict(StoreWorkbench.id(0)))
            _ = try bench.write(.delete(StoreWorkbench.id(0), at: StoreWorkbench.date(70)))
            _ = try bench.prune(through: PrunePlan.Position(receivedAt: .distantFuture, flight: FlightID(rawValue: 9)))
            _ = try bench.write(.pin(StoreWorkbench.id(1), true))
            _ = try bench.write(.merged(StoreWorkbench.id(1)))
            _ = try bench.write(.retireOwner(owner, at: StoreWorkbench.date(70)))
            _ = try bench.write(.renewOwner(another, until: StoreWorkbench.date(99)))
            _ = try bench.reserve([1], of: RateLimit(), at: 70)
            try bench.report(AccountReport(account: "b", failing: .over), at: 70)
        }
        #expect(Set(statements).count > 20)
        _ = try indexedPlans(of: statements)
    }

    @Test("Budgets are charged and settled by key, and only if there is a reservation")
    func budgets() throws {
        let bench = sqlite.bench
        let request = AIRequest(id: StoreWorkbench.id(60), prompt: "x", tags: ["a", "b"])
        let charge = BudgetCharge(
            budget: "b", period: StoreWorkbench.date(0), limit: 9, bound: 3, job: JobKey(rawValue: "k"))
        let statements = try statements {
            try bench.submit(StoreWorkbench.submission(of: request, provider: "z", job: "k"))
            let claimed = try #require(try bench.claim(owner, provider: "z").first)
            let start = AttemptStart(
                flight: claimed.id, transition: try StoreWorkbench.start(claimed.lifecycle),
                startedAt: StoreWorkbench.date(1), charges: [charge])
            #expect(try bench.write(.start(start)) == .started(overBudget: nil))
            let attempt = RunningAttempt(
                flight: claimed.id, request: request.id, lifecycle: start.transition.new,
                startedAt: StoreWorkbench.date(1))
            var end = attempt.completed()
            end.isReserved = true
            #expect(try bench.write(.settle(end)) == .done)
        }
        #expect(statements.count { $0.contains("INTO reservations") } == 2)
        _ = try indexedPlans(of: statements)
    }

    @Test("A ledger sum is one statement, or two by tags")
    func sums() throws {
        for grouping in LedgerQuery.Grouping.allCases {
            let statements = try statements(reading: { _ = try $0.ledger(LedgerQuery(by: grouping)) })
            #expect(statements.count { $0.hasPrefix("SELECT") } == (grouping == .tag ? 2 : 1))
        }
    }

    @Test("A prune plan reads only an index, and pruning starts at the oldest response")
    func pruning() throws {
        let planning = try statements(reading: { transaction in
            _ = try transaction.prunePlan(Retention(), at: StoreWorkbench.date(100))
        }).filter { $0.contains("responses") }
        #expect(planning.count == 1)
        let scan = "SCAN responses USING COVERING INDEX responses_spare"
        for sql in planning { #expect(try plan(sql) == [scan]) }
        let giving = try statements {
            _ = try sqlite.bench.prune(
                through: PrunePlan.Position(receivedAt: .distantFuture, flight: FlightID(rawValue: 9)))
        }.filter { $0.contains("ORDER BY") }
        #expect(giving.count == 1)
        let search = "SEARCH responses USING COVERING INDEX responses_spare (received_at<?)"
        for sql in giving { #expect(try plan(sql) == [search]) }
    }

    @Test("Held requests are found by index without a scan")
    func held() throws {
        var counts: [Int] = []
        let statements = try statements(reading: { transaction in
            for job in [nil, JobKey(rawValue: "j")] {
                counts.append(try transaction.snapshots(SnapshotFilter(isHeld: true, job: job)).count)
            }
        })
        #expect(counts == [1, 1])
        let plans = try indexedPlans(of: statements.filter { $0.contains("FROM flights") })
        #expect(plans.contains("SEARCH f USING INDEX flights_live (owner=?)"), "\(plans)")
    }

    @Test("Executing and due requests are found by index without a scan")
    func executedAndDue() throws {
        var counts: [Int] = []
        let statements = try statements(reading: { transaction in
            for filter in [SnapshotFilter(phases: [.executing]), SnapshotFilter(dueBy: StoreWorkbench.date(60))] {
                counts.append(try transaction.snapshots(filter).count)
            }
        })
        #expect(counts == [1, 3])
        let plans = try indexedPlans(of: statements)
        #expect(plans.contains("SEARCH f USING INDEX flights_live (owner>?)"), "\(plans)")
        #expect(plans.contains { $0.contains("requests_due (deadline>? AND deadline<?)") }, "\(plans)")
    }

    @Test("Live and failed requests are found by index without a scan")
    func liveAndFailed() throws {
        try sqlite.bench.submit(20)
        _ = try sqlite.bench.finishNext(owner, failing: StoreWorkbench.failure)
        let failed = try sqlite.bench.store.snapshots(SnapshotFilter()).filter { $0.phase == .failed }.map(\.id)
        let filters = [
            SnapshotFilter(phases: [.pending]), SnapshotFilter(phases: [.pending, .executing]),
            SnapshotFilter(phases: [.pending], isHeld: false), SnapshotFilter(phases: [.failed]),
            SnapshotFilter(phases: [.pending, .executing], job: JobKey(rawValue: "j")),
        ]
        var pages: [[UUID]] = []
        let statements = try statements(reading: { transaction in
            for filter in filters { pages.append(try transaction.snapshots(filter).map(\.id)) }
        })
        for (filter, page) in zip(filters, pages) {
            let all = try sqlite.bench.store.snapshots(SnapshotFilter()).filter(filter.admits).map(\.id)
            #expect(page == all && !page.isEmpty, "\(filter)")
        }
        #expect(pages[3] == failed)
        let plans = try indexedPlans(of: statements.filter { $0.contains("h CROSS JOIN") })
        #expect(plans.contains("SEARCH f USING INDEX flights_live (owner>?)"), "\(plans)")
        // All rows of this index, in order, up to the page's end.
        let looks = try statements.filter { $0.contains("r.state = 2") }.map(plan)
        #expect(looks.count == 1)
        for look in looks {
            #expect(look.first == "SCAN r USING INDEX requests_failed", "\(look)")
            #expect(!look.contains { $0.contains("TEMP B-TREE") }, "\(look)")
        }
    }

    @Test("The requests ahead are counted by index up to a bound")
    func ahead() throws {
        for number in 20..<26 { try sqlite.bench.submit(StoreWorkbench.submission(number, provider: "q")) }
        _ = try sqlite.bench.claim(owner, provider: "q", limit: 2)
        let last = try #require(try sqlite.bench.store.snapshot(of: StoreWorkbench.id(25)))
        #expect(last.waiting == .unclaimed(ahead: 5))
        var counts: [Int] = []
        let statements = try statements(reading: { transaction in
            var transaction = transaction
            for bound in [1, 3, 5, 6] {
                transaction.maximumAhead = bound
                counts.append(try transaction.flightsAhead(of: try #require(last.flight)))
            }
        })
        #expect(counts == [1, 3, 5, 5])
        let plans = try indexedPlans(of: statements)
        #expect(plans.contains { $0.hasPrefix("SEARCH f USING") && $0.contains("flights_live (owner=?") }, "\(plans)")
        #expect(!plans.contains { $0.hasPrefix("SCAN f") }, "\(plans)")
    }

    @Test("With many live requests, pages are equal and read in request order")
    func manyLive() throws {
        let filter = SnapshotFilter(phases: [.pending, .executing], limit: 4)
        let few = try sqlite.bench.store.snapshots(filter).map(\.id)
        let statements = try statements(reading: { transaction in
            var transaction = transaction
            transaction.fewFlights = 3
            let many = try transaction.snapshots(filter).map(\.id)
            #expect(many == few)
        })
        #expect(few.count == 4)
        for sql in statements where sql.contains("ORDER BY r.id") {
            let plan = try plan(sql)
            #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
        }
    }

    @Test("A job's page starts after the last one, given by position or by request")
    func jobPages() throws {
        let job = JobKey(rawValue: "j")
        var byPosition = SnapshotFilter(job: job, limit: 2)
        byPosition.continues(after: try #require(try sqlite.bench.store.snapshot(of: StoreWorkbench.id(1))))
        for filter in [byPosition, SnapshotFilter(job: job, limit: 2, after: StoreWorkbench.id(1))] {
            var page: [UUID] = []
            let statements = try statements(reading: { page = try $0.snapshots(filter).map(\.id) })
            #expect(page == [2, 3].map(StoreWorkbench.id))
            let plans = try indexedPlans(of: statements)
            #expect(plans.contains { $0.contains("requests_of_job (job=? AND position>?)") }, "\(plans)")
            #expect(!plans.contains { $0.contains("CORRELATED") || $0.contains("TEMP B-TREE") }, "\(plans)")
        }
    }

    @Test("Foreign changes are found by key, and nothing is read without them")
    func foreignChanges() throws {
        let quiet = try statements { _ = try sqlite.store.foreignChanges { _ in true } }
        #expect(quiet.filter { $0.contains("commits") || $0.contains("flights") } == [])
        let other = StoreWorkbench(store: try SQLiteStore(directory: sqlite.folder.url))
        try other.submit(90)
        let statements = try statements { _ = try sqlite.store.foreignChanges { _ in true } }
        #expect(statements.count { $0.contains("FROM commits") } == 2)
        _ = try indexedPlans(of: statements.filter { !$0.hasPrefix("PRAGMA") })
    }

    @Test("A snapshot is found by key")
    func snapshots() throws {
        let statements = try statements(reading: { transaction in
            _ = try transaction.snapshot(of: StoreWorkbench.id(4), countingAhead: true)
            _ = try transaction.snapshot(of: StoreWorkbench.id(1), countingAhead: true)
        })
        _ = try indexedPlans(of: statements)
    }

    @Test("A request's usual path takes 4, 1 and 4 statements, and one more with listeners")
    func hotPath() throws {
        let bench = sqlite.bench
        func count(_ body: () throws -> Void) throws -> Int {
            try statements(body).count { !$0.hasPrefix("BEGIN") && !$0.hasPrefix("COMMIT") }
        }
        var submission = try StoreWorkbench.submission(50)
        try submission.flight.leased(by: owner)
        var flight = FlightID(rawValue: 0)
        #expect(try count { flight = try bench.submit(submission) } == 4)
        let start = try StoreWorkbench.start(submission.flight)
        #expect(try count { _ = try bench.write(.advance(flight, start, at: StoreWorkbench.date(1))) } == 1)
        let attempt = RunningAttempt(
            flight: flight, request: submission.request.id, lifecycle: start.new, startedAt: StoreWorkbench.date(1))
        #expect(try count { _ = try bench.write(.settle(attempt.completed())) } == 4)
        try bench.submit(StoreWorkbench.submission(51, provider: "z"))
        let postponed = try bench.start(try #require(try bench.claim(owner, provider: "z").first))
        // The state machine decides this: it reads the flight, its members, an earlier line and the provider's number,
        // and writes the line and the flight.
        #expect(try count { _ = try bench.write(.settle(postponed.postponed(until: 60))) } == 6)
        let listener = try SQLiteStore(directory: sqlite.folder.url)
        #expect(try count { try bench.submit(52) } == 5)
        withExtendedLifetime(listener) {}
    }
}

/// Collects statements, which SQLite reports on the thread that runs them.
private final class StatementLog: Sendable {
    private let lines = Locked<[String]>([])
    var statements: [String] { lines.withLock { $0 } }
    func note(_ sql: String) { lines.withLock { $0.append(sql) } }
}
