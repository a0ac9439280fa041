import Foundation
import Hablare
import HablareTestKit
import Testing

/// The history of a store before a schema migration, with a request for each thing that a row can hold.
///
/// ``MigrationTests/makesFixture()`` makes fixtures of it. So a fixture reads like a new store with the same history,
/// and later operations have the same effects in both.
struct StoreLife {
    let bench: StoreWorkbench

    private static func id(_ number: Int) -> UUID { StoreWorkbench.id(number) }
    private static func date(_ seconds: Int) -> Date { StoreWorkbench.date(seconds) }

    // MARK: Before

    /// Runs the history up to the migration.
    func begin() throws {
        let owner = try bench.register()
        try plain(owner)
        try shared(owner)
        try streaming(owner)
        try charged(owner)
        try diverted(owner)
        try kept(owner)
        try cached(owner)
        try resumePoint(owner)
    }

    /// Creates a request in each state.
    private func plain(_ owner: OwnerID) throws {
        try bench.submit(0)
        try settle(try start(0, owner)) { $0.completed() }
        try bench.submit(1)
        try settle(try start(1, owner)) { $0.failed(StoreWorkbench.failure) }
        try bench.submit(2)
        _ = try bench.write(.cancel(Self.id(2), at: Self.date(9)))
        try bench.submit(3)
        _ = try start(3, owner)
        let request = AIRequest(
            id: Self.id(4), prompt: "Grüß Gott", model: "m", parameters: ["rate": 175, "pitch": 0.5], sample: 2,
            tenant: "t", priority: .low, attemptTimeout: .seconds(90), deadline: Self.date(3600), maximumAttempts: 5,
            unknownOutcome: .hold, metadata: ["k": "v"])
        try bench.submit(StoreWorkbench.submission(of: request, job: "book", position: 7, at: Self.date(4)))
        try settle(try start(4, owner)) { $0.postponed(until: 60) }
        try bench.submit(5)
        try settle(try start(5, owner)) { $0.held() }
        try bench.submit(StoreWorkbench.submission(6, deadline: 30))
        _ = try bench.expire(at: 30)
        try bench.submit(7)
        let another = try bench.register(2)
        _ = try start(7, another)
        _ = try bench.write(.retireOwner(another, at: Self.date(40)))
        try bench.submit(8, job: "book", position: 8)
        try settle(try start(8, owner)) { $0.completed(.structured(["pages": 9]), at: 3) }
        _ = try bench.reserve([1, 2], of: RateLimit(requestsPerMinute: 30), account: "p", at: 50)
        try bench.report(AccountReport(account: "p", failing: .until(Self.date(80))), at: 51)
    }

    /// Creates settled, running and waiting flights with several requests each.
    private func shared(_ owner: OwnerID) throws {
        try bench.submit(10)
        _ = try bench.write(.submit(try twin(11, of: 10, job: "tape", position: 1, priority: .high)))
        _ = try bench.write(.submit(try twin(12, of: 10)))
        let attempt = try start(10, owner)
        _ = try bench.write(.cancel(Self.id(12), at: Self.date(2)))
        try settle(attempt) { $0.completed(.text("shared"), at: 4) }
        _ = try bench.write(.evict(Self.id(10)))
        try bench.submit(17, job: "tape", position: 3)
        _ = try bench.write(.submit(try twin(18, of: 17)))
        try settle(try start(17, owner)) { $0.completed(.text("given up by one"), at: 4) }
        _ = try bench.write(.evict(Self.id(17)))
        try bench.submit(StoreWorkbench.submission(13, priority: .low))
        _ = try bench.write(.submit(try twin(14, of: 13, job: "tape", position: 2, priority: .high)))
        try bench.submit(15)
        _ = try bench.write(.submit(try twin(16, of: 15, deadline: 3000)))
        _ = try start(15, owner)
        _ = try bench.write(.cancel(Self.id(15), at: Self.date(3)))
    }

    /// Creates running, complete and broken-off streams.
    private func streaming(_ owner: OwnerID) throws {
        for number in 20...22 {
            let request = AIRequest(
                id: Self.id(number), prompt: .text("prompt \(number)"), streaming: StreamingPolicy(allowsRestart: true))
            try bench.submit(StoreWorkbench.submission(of: request, at: Self.date(number)))
            let attempt = try start(number, owner)
            _ = try bench.append(attempt, 0, ["In ", "the "])
            _ = try bench.append(attempt, 2, ["beginning"])
            if number == 21 {
                try settle(attempt) { attempt in
                    var end = attempt.completed(.text("In the beginning"), at: 5)
                    end.isStreaming = true
                    return end
                }
            } else if number == 22 {
                try settle(attempt) { $0.failed(StoreWorkbench.failure) }
            }
        }
    }

    /// Creates attempts under a budget: a finished one, a running one, and one of unknown cost.
    private func charged(_ owner: OwnerID) throws {
        for (number, bound) in [(30, 40), (31, 50), (32, nil)] as [(Int, Int64?)] {
            let request = AIRequest(id: Self.id(number), prompt: .text("prompt \(number)"), tags: ["a", "t\(number)"])
            try bench.submit(StoreWorkbench.submission(of: request, at: Self.date(number)))
            let charge = BudgetCharge(budget: "b", period: Self.date(0), limit: 100, bound: bound)
            let attempt = try start(number, owner, charges: [charge])
            guard number != 31 else { continue }
            try settle(attempt) { attempt in
                var end = number == 30 ? attempt.completed(.text("paid"), at: 6) : attempt.held()
                end.isReserved = true
                return end
            }
        }
    }

    /// Creates a request that waits for the second provider of its chain.
    private func diverted(_ owner: OwnerID) throws {
        let request = AIRequest(
            id: Self.id(35), prompt: "prompt 35", model: "large",
            fallback: [FallbackTarget("q", model: "small"), FallbackTarget("r")])
        try bench.submit(StoreWorkbench.submission(of: request, at: Self.date(35)))
        try settle(try start(35, owner)) {
            $0.end(
                .diverted(StoreWorkbench.failure, to: FallbackTarget("q", model: "small"), account: "shared"),
                billing: .neverSent)
        }
    }

    /// Creates responses with each kind of protection, and an evicted one.
    private func kept(_ owner: OwnerID) throws {
        for number in 40...44 {
            let request = AIRequest(
                id: Self.id(number), prompt: .text("prompt \(number)"), keepUntilMerged: (41...42).contains(number))
            try bench.submit(StoreWorkbench.submission(of: request, at: Self.date(number)))
            if number == 40 || number == 44 { _ = try bench.write(.pin(Self.id(number), true)) }
            guard number != 44 else { continue }
            try settle(try start(number, owner)) { $0.completed(.text("kept"), at: number == 43 ? 1 : 7) }
        }
        _ = try bench.write(.merged(Self.id(42)))
        _ = try bench.prune(
            through: PrunePlan.Position(receivedAt: Self.date(1), flight: FlightID(rawValue: .max)))
    }

    /// Creates a cached answer, a request that found it, and an answer that left the cache.
    private func cached(_ owner: OwnerID) throws {
        for number in 50...51 {
            try bench.submit(number)
            try settle(try start(number, owner)) { attempt in
                var end = attempt.completed(.text("cached"), at: 8)
                end.entersCache = true
                return end
            }
        }
        _ = try bench.write(.submit(try asking(52, for: 50)))
        _ = try bench.write(.uncache(.fingerprint(try StoreWorkbench.submission(51).fingerprint)))
        let request = AIRequest(id: Self.id(53), prompt: "prompt 50", caching: .refresh)
        try bench.submit(StoreWorkbench.submission(of: request, at: Self.date(53)))
    }

    /// Creates a request that resumes an attempt's work, with some tokens from its provider's cache.
    private func resumePoint(_ owner: OwnerID) throws {
        try bench.submit(60)
        let attempt = try start(60, owner)
        _ = try bench.write(
            .remember(
                ResumeHandleWrite(flight: attempt.flight, token: attempt.lifecycle.token, handle: Data("work".utf8))))
        try settle(attempt) { attempt in
            var end = attempt.postponed(until: 70)
            end.usage = Usage(inputTokens: 3, cachedInputTokens: 2, cacheWriteTokens: 1)
            return end
        }
    }

    // MARK: After

    /// Continues: the process dies, another one finishes all work that can be finished, and the last requests join and
    /// find what exists.
    func goOn() throws {
        let owner = try bench.register(3)
        let last = try #require(bench.store.snapshots(SnapshotFilter(limit: 999)).last)
        for number in [3, 4, 5, 7] { _ = try bench.write(.submit(try twin(100 + number, of: number))) }
        _ = try bench.write(.submit(try asking(110, for: 50)))
        for record in try bench.store.owners() where record.id != owner {
            _ = try bench.write(.retireOwner(record.id, at: Self.date(99)))
        }
        for snapshot in try bench.store.snapshots(SnapshotFilter(limit: 999)) where snapshot.id <= last.id {
            _ = try bench.write(.retry(snapshot.id, at: Self.date(100)))
        }
        for provider in ["p", "q"] as [ProviderID] {
            for claimed in try bench.claim(owner, provider: provider, limit: 99, at: 200) {
                let attempt = try bench.start(claimed, at: 200)
                _ = try bench.write(.settle(attempt.completed(.text("after"), at: 201)))
            }
        }
    }

    /// Ends: evicts everything unprotected, and then deletes every request.
    func end() throws {
        _ = try bench.prune(through: PrunePlan.Position(receivedAt: .distantFuture, flight: FlightID(rawValue: .max)))
    }

    /// Deletes every request.
    func erase() throws {
        for snapshot in try bench.store.snapshots(SnapshotFilter(limit: 999)) {
            _ = try bench.write(.delete(snapshot.id, at: Self.date(300)))
        }
    }

    // MARK: Moves

    private func start(_ number: Int, _ owner: OwnerID, charges: [BudgetCharge] = []) throws -> RunningAttempt {
        let claimed = try #require(
            try bench.claim(owner, scope: .request(Self.id(number)), at: 1).first, "request \(number) does not wait")
        guard !charges.isEmpty else { return try bench.start(claimed) }
        let transition = try StoreWorkbench.start(claimed.lifecycle)
        _ = try bench.write(
            .start(
                AttemptStart(
                    flight: claimed.id, transition: transition, startedAt: Self.date(1), charges: charges)))
        return RunningAttempt(
            flight: claimed.id, request: claimed.request.id, lifecycle: transition.new, startedAt: Self.date(1))
    }

    private func settle(_ attempt: RunningAttempt, _ end: (RunningAttempt) -> AttemptEnd) throws {
        _ = try bench.write(.settle(end(attempt)))
    }

    private func twin(
        _ number: Int, of other: Int, job: String? = nil, position: Int = 0, priority: Priority = .normal,
        deadline: Int? = nil
    ) throws -> Submission {
        try StoreWorkbench.submission(
            number, prompt: .text("prompt \(other)"), job: job, position: position, priority: priority,
            deadline: deadline)
    }

    private func asking(_ number: Int, for other: Int) throws -> Submission {
        var submission = try twin(number, of: other)
        submission.cacheWindow = Self.date(0)...Self.date(number)
        return submission
    }
}

/// Everything that can be read from a store.
struct StoreContents: Equatable {
    struct Request: Equatable {
        let snapshot: RequestSnapshot
        let request: StoredRequest?
        let response: AIResponseData?
        let attempts: [AttemptRecord]
        let stream: StreamPage?
    }

    let requests: [Request]
    let flights: [FlightID: FlightLifecycle]
    let accounts: [AccountRecord]
    let budgets: [BudgetRecord]
    let ledger: [LedgerReport]
    let plan: PrunePlan
    let statistics: StoreStatistics

    init(of store: any RequestStore) throws {
        let snapshots = try store.snapshots(SnapshotFilter(limit: 999))
        requests = try snapshots.map { snapshot in
            Request(
                snapshot: snapshot, request: try store.request(of: snapshot.id),
                response: try store.response(of: snapshot.id), attempts: try store.attempts(of: snapshot.id),
                stream: try store.stream(of: snapshot.id, from: .start, maximumBytes: 1 << 20))
        }
        flights = try store.flights(snapshots.compactMap(\.flight))
        accounts = try store.accounts()
        budgets = try store.budgets()
        ledger = try LedgerQuery.Grouping.allCases.map { try store.ledger(LedgerQuery(by: $0)) }
        plan = try store.prunePlan(Retention(maximumAge: 0), at: StoreWorkbench.date(1000))
        statistics = try store.statistics()
    }
}
