import Foundation
import Hablare
import HablareTestKit

/// A difference between two stores.
struct Divergence: Error, CustomStringConvertible {
    let description: String
}

/// A random but sensible history: writers use only what a store once returned, even if it is stale.
struct StoreHistory {
    private let seed: UInt64
    private var random: SeededGenerator
    private let reference: any RequestStore
    var store: any RequestStore
    private var steps = 0
    private(set) var writes = 0
    private(set) var receiptKinds: Set<String> = []

    private var now = 0
    private var owners: [OwnerID] = [OwnerID(rawValue: 99)]
    private var submissions: [Submission] = []
    /// The requests whose answers entered the cache.
    private var answered: [Submission] = []
    private var leases: [(flight: FlightID, request: UUID, lifecycle: FlightLifecycle)] = []
    private var attempts: [RunningAttempt] = []
    /// The provider of each flight.
    private var asked: [FlightID: ProviderID] = [:]
    /// The provider of each attempt. A late end belongs to that provider, even if the flight has changed it.
    private var askedByAttempt: [FlightID: [Int: ProviderID]] = [:]
    /// The flights with a fallback chain, which are the only ones that are diverted.
    private var chained: Set<FlightID> = []
    /// The journalled chunks of each generation of a flight.
    private var streams: [FlightID: [Int: [Data]]] = [:]
    private var lastID = 0

    init(seed: UInt64, reference: any RequestStore, store: any RequestStore) {
        self.seed = seed
        self.reference = reference
        self.store = store
        random = SeededGenerator(seed: seed)
    }

    // MARK: Steps

    mutating func step() throws {
        steps += 1
        if chance(4) { try claim() } else { try commit() }
        try read()
    }

    private mutating func commit() throws {
        var writes: [Attempted] = []
        for _ in 0..<pick(1...5) {
            writes.append(try anyWrite())
            // Once a stream is answered its chunks are known, and the answer has all of them.
            if case .append = writes.last?.write { break }
            if case .settle(let end) = writes.last?.write, end.remainingChunks != nil { break }
        }
        self.writes += writes.count
        let expected = try reference.commit(writes.map(\.write))
        let actual = try store.commit(writes.map(\.write))
        try require(
            "the receipts of \(writes.map(\.write))", actual.receipts.map(\.rounded), expected.receipts.map(\.rounded))
        try require("the changes of \(writes.map(\.write))", actual.summary, expected.summary)
        for change in expected.changes { receiptKinds.insert(change.kind) }
        var settlements = expected.settlements.makeIterator()
        for (write, receipt) in zip(writes, expected.receipts) {
            receiptKinds.insert(receipt.kind)
            learn(write, receipt)
            guard case .settle(let end) = write.write, receipt == .done, let settlement = settlements.next() else {
                continue
            }
            receiptKinds.insert(settlement.kind)
            if end.outcome.kind != settlement.end.outcome.kind { receiptKinds.insert("otherwise") }
            if let other = settlement.diversion { asked[end.flight] = other.target.provider }
        }
    }

    private mutating func claim() throws {
        let query = ClaimQuery(
            owner: pickOne(owners), provider: anyProvider(),
            scope: pickOne([.everything, .everything, .job(anyJob()), .request(anyID()), .nothing]), limit: pick(0...4),
            now: date
        )
        let claim = try (expected: reference.claim(query), actual: store.claim(query))
        let expected = claim.expected.flights
        let actual = claim.actual.flights
        try require("the flights of \(query)", actual.map(\.id), expected.map(\.id))
        try require("their lives", actual.map(\.lifecycle), expected.map(\.lifecycle))
        try require("their requests", actual.map(\.request), expected.map(\.request))
        try require("their origins", actual.map(\.origin), expected.map(\.origin))
        try require("their traces", actual.map(\.trace), expected.map(\.trace))
        try require("when they were submitted", actual.map(\.submittedAt), expected.map(\.submittedAt))
        try require("their failures", actual.map(\.failure), expected.map(\.failure))
        try require("since when they are tried", actual.map(\.triedSince), expected.map(\.triedSince))
        try require("what they go on with", actual.map(\.resumePoint), expected.map(\.resumePoint))
        try require("the next back-off", claim.actual.nextDue, claim.expected.nextDue)
        if expected.contains(where: { $0.resumePoint != nil }) { receiptKinds.insert("goes on") }
        if expected.contains(where: { $0.resumePoint?.keptChunks ?? 0 > 0 }) {
            receiptKinds.insert("goes on in a stream")
        }
        if !expected.isEmpty { receiptKinds.insert("claimed") }
        if expected.contains(where: { $0.triedSince != nil }) { receiptKinds.insert("claimed again") }
        if claim.expected.nextDue != nil { receiptKinds.insert("due") }
        for flight in expected {
            leases.append((flight.id, flight.request.id, flight.lifecycle))
            asked[flight.id] = query.provider
        }
    }

    /// The details of a write that are needed to interpret its receipt.
    private struct Attempted {
        var write: StoreWrite
        var submission: Submission?
        var started: RunningAttempt?
    }

    private mutating func learn(_ attempted: Attempted, _ receipt: WriteReceipt) {
        if case .settle(let end) = attempted.write, let remainingChunks = end.remainingChunks {
            if case .refused = receipt {
            } else {
                receiptKinds.insert("brought")
                streamed(remainingChunks)
            }
        }
        switch receipt {
        case .owner(let owner): owners.append(owner)
        case .submitted(let stored) where !stored.wasPresent:
            guard let submission = attempted.submission else { return }
            submissions.append(submission)
            if stored.hasJoined || stored.isAnswered { return }
            asked[stored.flight] = submission.provider
            if !submission.request.fallback.isEmpty { chained.insert(stored.flight) }
            switch submission.flight.state {
            case .leased: leases.append((stored.flight, stored.id, submission.flight))
            case .executing:
                begun(
                    RunningAttempt(
                        flight: stored.flight, request: stored.id, lifecycle: submission.flight,
                        startedAt: submission.createdAt))
            case .waiting, .backingOff, .held, .settled: break
            }
        case .done, .started:
            if let started = attempted.started { begun(started) }
            if case .settle(let end) = attempted.write, end.entersCache, case .completed = end.outcome {
                answered += submissions.filter { $0.request.id == end.request }
            }
            if case .remember(let memory) = attempted.write {
                receiptKinds.insert(memory.handle == nil ? "forgotten" : "remembered")
            }
            if case .append(let group) = attempted.write {
                receiptKinds.insert("appended")
                streamed(group)
            }
        default: break
        }
    }

    /// Records appended chunks if they are the next ones.
    private mutating func streamed(_ group: ChunkGroup) {
        guard group.first == streams[group.flight]?[group.generation]?.count ?? 0 else { return }
        var remainingChunks = group.bytes
        for size in group.sizes {
            streams[group.flight, default: [:]][group.generation, default: []].append(
                Data(remainingChunks.prefix(size)))
            remainingChunks = remainingChunks.dropFirst(size)
        }
    }

    private mutating func begun(_ attempt: RunningAttempt) {
        attempts.append(attempt)
        askedByAttempt[attempt.flight, default: [:]][attempt.lifecycle.attempt] = asked[attempt.flight]
    }

    private func provider(of attempt: RunningAttempt) -> ProviderID {
        askedByAttempt[attempt.flight]?[attempt.lifecycle.attempt] ?? "p"
    }

    // MARK: Writes

    private mutating func anyWrite() throws -> Attempted {
        now += pick(1...2_000)
        let date = self.date
        switch pick(0...36) {
        case 0: return Attempted(write: .registerOwner(registration()))
        case 1: return Attempted(write: .renewOwner(pickOne(owners), until: date.addingTimeInterval(30)))
        case 2 where chance(3): return Attempted(write: .retireOwner(pickOne(owners), at: date))
        case 2...7:
            let submission = try anySubmission()
            return Attempted(write: .submit(submission), submission: submission)
        case 8...10: return try anyMove(at: date)
        case 11...14: if let end = anyEnd(at: date) { return Attempted(write: .settle(end)) }
        case 15: return Attempted(write: .evict(anyID()))
        case 16: return Attempted(write: .delete(anyID(), at: date))
        case 17: return Attempted(write: .cancel(anyID(), at: date))
        case 18: return Attempted(write: .expire(at: date, limit: pick(-1...3)))
        case 19, 20:
            let permit = PermitRequest(account: anyAccount(), limit: anyLimit(), costs: anyCosts())
            return Attempted(write: .reserve(permit, at: date))
        case 21: return Attempted(write: .report(anyReport(), at: date))
        case 22...26: if let group = anyGroup() { return Attempted(write: .append(group)) }
        case 27: return Attempted(write: .pin(anyID(), chance(2)))
        case 28: return Attempted(write: .merged(anyID()))
        case 30:
            let limits = CacheLimits(maximumCount: pick(1...6), maximumBytes: Int64(pick(0...4000)))
            let used = chance(2) ? [:] : [FlightID(rawValue: Int64(pick(1...lastID + 1))): date]
            return Attempted(
                write: .trimCache(limits, usedBefore: later(-60_000...0), noting: used, limit: pick(-1...4)))
        case 31: return Attempted(write: .uncache(anySelection()))
        case 34...36:
            guard let attempt = recent(attempts) else { break }
            let handle = chance(6) ? nil : Data(anyText().utf8 + [0])
            let memory = ResumeHandleWrite(flight: attempt.flight, token: attempt.lifecycle.token, handle: handle)
            return Attempted(write: .remember(memory))
        case 29:
            // Both stores get the same position. Another comparison checks that they plan the same.
            let retention = Retention(
                maximumAge: Double(pick(1...120)), maximumCount: pick(1...12), maximumBytes: Int64(pick(0...4000)))
            let plan = try reference.prunePlan(retention, at: date)
            let other = try store.prunePlan(retention, at: date)
            try require("the plan of \(retention)", [other.count, Int(other.bytes)], [plan.count, Int(plan.bytes)])
            try require("its end", other.last?.flight, plan.last?.flight)
            let last = plan.last ?? PrunePlan.Position(receivedAt: date, flight: FlightID(rawValue: 3))
            return Attempted(write: .prune(through: last, limit: pick(-1...4)))
        default: break
        }
        return Attempted(write: .retry(anyID(), at: date))
    }

    private mutating func anyMove(at date: Date) throws -> Attempted {
        guard let lease = recent(leases) else { return Attempted(write: .evict(anyID())) }
        if chance(5) {
            return Attempted(write: .advance(lease.flight, try StoreWorkbench.release(lease.lifecycle), at: date))
        }
        let start = try StoreWorkbench.start(lease.lifecycle)
        let attempt = RunningAttempt(
            flight: lease.flight, request: lease.request, lifecycle: start.new, startedAt: date)
        if chance(2) {
            let charged = AttemptStart(flight: lease.flight, transition: start, startedAt: date, charges: anyCharges())
            return Attempted(write: .start(charged), started: attempt)
        }
        return Attempted(write: .advance(lease.flight, start, at: date), started: attempt)
    }

    /// Returns chunks for an attempt of a streaming request, nearly always the next ones.
    private mutating func anyGroup() -> ChunkGroup? {
        recent(attempts).flatMap { anyGroup(of: $0) }
    }

    private mutating func anyGroup(of attempt: RunningAttempt) -> ChunkGroup? {
        guard isStreaming(attempt) else { return nil }
        let lifecycle = attempt.lifecycle
        let journalled = streams[attempt.flight]?[lifecycle.generation]?.count ?? 0
        return ChunkGroup(
            flight: attempt.flight, token: lifecycle.token, generation: lifecycle.generation,
            first: chance(8) ? pick(0...9) : journalled,
            chunks: (0..<pick(1...5)).map { _ in Data(anyText().utf8) })
    }

    private func isStreaming(_ attempt: RunningAttempt) -> Bool {
        submissions.contains { $0.request.id == attempt.request && $0.request.streaming != nil }
    }

    /// Returns an answer, and for a stream the streamed chunks.
    private mutating func anyAnswer(to attempt: RunningAttempt, and remainingChunks: ChunkGroup?) -> ResponseContent {
        let chunks = streams[attempt.flight]?[attempt.lifecycle.generation]
        guard chunks != nil || remainingChunks != nil else { return anyContent() }
        return .data(Body(Data((chunks ?? []).joined()) + (remainingChunks?.bytes ?? Data())))
    }

    private mutating func anyEnd(at date: Date) -> AttemptEnd? {
        guard let attempt = recent(attempts) else { return nil }
        let remainingChunks = chance(3) ? anyGroup(of: attempt) : nil
        let outcome: AttemptEnd.Outcome
        // A flight with a fallback is mostly diverted, because few of them have a time that makes it necessary.
        switch chained.contains(attempt.flight) && !chance(3) ? 2 : pick(0...9) {
        case 0: outcome = .failed(anyError())
        case 1: outcome = .interrupted
        case 2...4:
            guard chained.contains(attempt.flight) else {
                outcome = .postponed(anyError(), until: later(-500...20_000))
                break
            }
            // Too late for many requests.
            let target = FallbackTarget(anyNamedProvider(), model: chance(2) ? nil : "n")
            outcome = .postponed(
                anyError(), until: later(chance(2) ? -500...20_000 : 60_000...600_000),
                else: chance(4) ? nil : AttemptEnd.Diversion(to: target, account: anyAccount()))
        case 5: outcome = .held(anyError())
        case 6 where chained.contains(attempt.flight):
            outcome = .diverted(
                anyError(), to: FallbackTarget(anyNamedProvider(), model: chance(2) ? nil : "n"), account: anyAccount())
        case 7: outcome = .expired
        default:
            outcome = .completed(
                AIResponseData(
                    requestID: attempt.request, providerID: provider(of: attempt),
                    result: .success(anyAnswer(to: attempt, and: remainingChunks)), metadata: anyLabels(),
                    receivedAt: date,
                    usage: anyUsage()
                ))
        }
        var end = AttemptEnd(
            flight: attempt.flight, request: attempt.request, provider: provider(of: attempt),
            lifecycle: attempt.lifecycle, outcome: outcome, isStreaming: isStreaming(attempt),
            entersCache: !chance(4),
            billing: pickOne([.billed, .maybeBilled, .neverSent]), usage: chance(2) ? Usage() : anyUsage(),
            isReserved: !chance(4), remainingChunks: remainingChunks, startedAt: attempt.startedAt, endedAt: date)
        if case .completed = outcome { return end }
        end.forgetsHandle = chance(8)
        if chance(4) {
            end.outcomeIfHandleChanged = AttemptEnd.OutcomeIfHandleChanged(
                hasHandle: chance(2), pickOne([.interrupted, .held(anyError()), .failed(anyError())]))
        }
        return end
    }

    private mutating func anySubmission() throws -> Submission {
        var submission =
            try chance(4)
            ? recent(answered).map { try twin(of: $0) } ?? anyUncachedSubmission() : anyUncachedSubmission()
        if !chance(4) { submission.cacheWindow = anyWindow() }
        return submission
    }

    private mutating func anyUncachedSubmission() throws -> Submission {
        if chance(3), let same = recent(submissions) { return try twin(of: same) }
        if chance(5), var again = recent(submissions) {
            if chance(2) { again.request.prompt = .text("changed \(pick(0...1))") }
            if chance(3) {
                again = try rebuilt(again, id: nextID())
            } else {
                again = try rebuilt(again, id: again.request.id)
            }
            return again
        }
        let id = chance(12) ? anyID() : nextID()
        let request = AIRequest(
            id: id, prompt: anyPrompt(), model: chance(2) ? nil : pickOne(["", "m", "large"]),
            parameters: chance(2) ? [:] : ["a": anyValue(depth: 0), "b": anyValue(depth: 0)], sample: pick(0...2),
            tenant: pickOne(["", "t"]), priority: pickOne(Priority.allCases),
            attemptTimeout: chance(2) ? nil : .milliseconds(pick(1...100_000)),
            deadline: chance(2) ? nil : later(-500...60_000), maximumAttempts: chance(2) ? nil : pick(1...5),
            unknownOutcome: pickOne(UnknownOutcomePolicy.allCases),
            streaming: chance(2)
                ? nil : StreamingPolicy(durability: chance(2) ? .durable : .volatile, allowsRestart: chance(2)),
            caching: pickOne([.use, .refresh, .bypass, .use(within: 0), .use(within: 12.5)]),
            keepUntilMerged: chance(4), metadata: anyLabels(), tags: anyTags(),
            fallback: chance(3) ? [FallbackTarget("q", model: chance(2) ? nil : "n"), FallbackTarget("")] : [])
        let inJob = chance(2)
        var submission = try StoreWorkbench.submission(
            of: request, provider: anyProvider(), job: inJob ? anyJob().rawValue : nil, position: pick(0...40),
            supersedes: chance(6) ? anyID() : nil, at: date)
        if chance(3) { submission.account = anyAccount() }
        if chance(3) { submission.trace = TraceContext(anyLabels()) }
        switch pick(0...5) {
        case 0, 1: try submission.flight.leased(by: pickOne(owners))
        case 2:
            try submission.flight.leased(by: pickOne(owners))
            try submission.flight.attemptStarted(token: submission.flight.token)
        default: break
        }
        return submission
    }

    /// Returns another request for the same work.
    private mutating func twin(of old: Submission) throws -> Submission {
        let request = AIRequest(
            id: chance(8) ? anyID() : nextID(), prompt: old.request.prompt, model: old.request.model,
            parameters: old.request.parameters, sample: old.request.sample, tenant: old.request.tenant,
            priority: pickOne(Priority.allCases), attemptTimeout: chance(2) ? nil : .milliseconds(pick(1...100_000)),
            deadline: chance(2) ? nil : later(-500...60_000), unknownOutcome: old.request.unknownOutcome,
            metadata: anyLabels())
        var submission = try StoreWorkbench.submission(
            of: request, provider: old.provider, job: chance(3) ? anyJob().rawValue : nil, position: pick(0...40),
            at: date)
        if chance(3) { try submission.flight.leased(by: pickOne(owners)) }
        if chance(2) { submission.trace = TraceContext(anyLabels()) }
        return submission
    }

    private func rebuilt(_ old: Submission, id: UUID) throws -> Submission {
        let request = AIRequest(
            id: id, prompt: old.request.prompt, model: old.request.model, parameters: old.request.parameters,
            sample: old.request.sample, tenant: old.request.tenant, priority: old.request.priority)
        return try StoreWorkbench.submission(
            of: request, provider: old.provider, job: old.job?.key.rawValue, position: old.job?.position ?? 0, at: date)
    }

    // MARK: Reads

    private mutating func read() throws {
        let id = anyID()
        try same("the snapshot of \(id)") { try $0.snapshot(of: id) }
        try same("the response of \(id)") { try $0.response(of: id) }
        try same("the request of \(id)") { try $0.request(of: id) }
        try same("the attempts of \(id)") { try $0.attempts(of: id) }
        let position = StreamPosition(generation: pick(0...3), sequence: pick(0...12))
        let bytes = pickOne([0, 30, 100_000])
        try same("the stream of \(id)") { try $0.stream(of: id, from: position, maximumBytes: bytes) }
        let phases = RequestPhase.allCases.filter { _ in chance(2) }
        let filter = SnapshotFilter(
            phases: chance(2) ? nil : Set(phases), isHeld: chance(2) ? chance(2) : nil,
            dueBy: chance(4) ? date(now + pick(-500...60_000)) : nil, job: chance(3) ? anyJob() : nil,
            ids: chance(4) ? (0..<4).map { _ in anyID() } : nil, limit: pick(0...6), after: chance(3) ? anyID() : nil)
        try same("the page of \(filter)") { try $0.snapshots(filter) }
        try same("the owners") { try $0.owners() }
        try same("the accounts") { try $0.accounts().map(\.rounded) }
        let flights = (0..<3).map { _ in FlightID(rawValue: Int64(pick(0...lastID + 1))) }
        try same("the lives of flights \(flights.map(\.rawValue))") { try $0.flights(flights) }
        if chance(5) { try same("the statistics") { try $0.statistics() } }
        try same("the budgets") { try $0.budgets() }
        if let work = recent(submissions)?.fingerprint {
            let question = CacheQuery(fingerprint: work, window: anyWindow())
            try same("the answer to \(question)") { try $0.cachedAnswer(question) }
        }
        let query = anyQuery()
        try same("the ledger of \(query)") { try $0.ledger(query) }
    }

    mutating func compareEverything() throws {
        for number in 0...lastID {
            let id = StoreWorkbench.id(number)
            try same("the snapshot of \(id)") { try $0.snapshot(of: id) }
            try same("the response of \(id)") { try $0.response(of: id) }
            try same("the request of \(id)") { try $0.request(of: id) }
            try same("the attempts of \(id)") { try $0.attempts(of: id) }
            try same("the stream of \(id)") { try $0.stream(of: id, from: .start, maximumBytes: .max) }
        }
        try same("all snapshots") { try $0.snapshots(SnapshotFilter(limit: .max)) }
        try same("what is executed") { try $0.snapshots(SnapshotFilter(phases: [.executing], limit: .max)) }
        try same("what is held") { try $0.snapshots(SnapshotFilter(isHeld: true, limit: .max)) }
        try same("the owners") { try $0.owners() }
        try same("the accounts") { try $0.accounts().map(\.rounded) }
        try same("the statistics") { try $0.statistics() }
        try same("the budgets") { try $0.budgets() }
        for grouping in LedgerQuery.Grouping.allCases {
            try same("the ledger by \(grouping)") { try $0.ledger(LedgerQuery(by: grouping)) }
        }
    }

    private func same<Value: Equatable>(_ what: String, _ read: (any StoreReading) throws -> Value) throws {
        try require(what, try read(store), try read(reference))
    }

    private func require<Value: Equatable>(_ what: String, _ actual: Value, _ expected: Value) throws {
        guard actual != expected else { return }
        throw Divergence(
            description: "HABLARE_SEED=\(seed), step \(steps): \(what) is \(actual) and should be \(expected)")
    }
}

// MARK: - Choices

extension StoreHistory {
    private var date: Date { date(now) }
    private func date(_ milliseconds: Int) -> Date {
        Date(timeIntervalSince1970: 1_800_000_000 + Double(milliseconds) / 1000)
    }
    private mutating func later(_ milliseconds: ClosedRange<Int>) -> Date { date(now + pick(milliseconds)) }

    private mutating func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    private mutating func chance(_ one: Int) -> Bool { pick(1...one) == 1 }
    private mutating func pickOne<Value>(_ values: [Value]) -> Value { values[pick(0...values.count - 1)] }

    /// Returns one of the last values, sometimes a very old one.
    private mutating func recent<Value>(_ values: [Value]) -> Value? {
        guard !values.isEmpty else { return nil }
        return pickOne(chance(4) ? values : values.suffix(8))
    }

    private mutating func nextID() -> UUID {
        lastID += 1
        return StoreWorkbench.id(lastID)
    }

    private mutating func anyID() -> UUID {
        StoreWorkbench.id(pick(max(0, lastID - (chance(3) ? 400 : 12))...lastID + 1))
    }
    private mutating func anyProvider() -> ProviderID { pickOne(["p", "p", "p", "q", ""]) }
    /// Returns the provider of a diversion. A registered provider has a name, and SQLite treats an empty one as
    /// damaged.
    private mutating func anyNamedProvider() -> ProviderID { pickOne(["p", "p", "p", "q"]) }
    private mutating func anyJob() -> JobKey { JobKey(rawValue: pickOne(["j", "k", ""])) }

    private mutating func anyAccount() -> AccountID { pickOne(["a", "b", "p"]) }

    private mutating func anyLimit() -> RateLimit {
        RateLimit(
            requestsPerMinute: pickOne([nil, 6, 60, 600]), unitsPerMinute: pickOne([nil, 50, 6000]),
            burst: pickOne([0, 0.1, 1]), isEstimate: chance(2))
    }

    private mutating func anyCosts() -> [Double] { (0..<pick(0...9)).map { _ in pickOne([0, 1, 2.5, 10, 1000]) } }

    private mutating func anyReport() -> AccountReport {
        var report = AccountReport(account: anyAccount())
        if chance(3) { report.pausedUntil = pickOne([later(-500...20_000), .distantFuture]) }
        if chance(2) { report.limits = ReportedLimits(requests: anyQuota(), units: anyQuota()) }
        report.liftsPause = chance(5)
        report.failing = pickOne([.unchanged, .over, .until(later(0...9_000))])
        return report
    }

    private mutating func anyQuota() -> ReportedLimits.Quota? {
        if chance(3) { return nil }
        // Never a whole millisecond, so that no date of the history is the exact end of a pause: stores may round.
        return ReportedLimits.Quota(
            perMinute: pickOne([nil, 0, 3, 120, .nan]), remaining: pickOne([nil, 0, 0.5, 4, .infinity]),
            resetsAfter: chance(2) ? nil : .microseconds(pick(0...9_000) * 1000 + 300))
    }

    private mutating func registration() -> OwnerRegistration {
        let number = Int32(pick(1...5))
        return OwnerRegistration(
            host: "host-\(number)", processID: number, lockName: chance(2) ? "" : "lock", expiresAt: date)
    }

    private mutating func anyText() -> String {
        pickOne([
            "", "a", "Zürich", "東京 👩‍👩‍👧", "line\nbreak \u{0} \"quoted\" \\ /", String(repeating: "long ", count: 300),
        ])
    }

    private mutating func anyPrompt() -> Prompt {
        guard chance(4) else { return .text("\(anyText()) \(pick(0...3))") }
        return .messages(
            (0..<pick(0...2)).map { _ in
                Prompt.Message(
                    role: pickOne([.system, .user, .assistant, .tool]),
                    parts: [
                        .text(anyText()), .image(Body(Data(anyText().utf8)), .png),
                        .toolCall(id: "1", name: anyText(), arguments: anyValue(depth: 0)),
                        .toolResult(id: "1", content: anyText()),
                    ])
            })
    }

    private mutating func anyValue(depth: Int) -> ParameterValue {
        switch pick(0...(depth < 3 ? 7 : 4)) {
        case 0: return nil
        case 1: return .bool(chance(2))
        case 2: return .int(pickOne([0, 1, -1, .max, .min, Int64(pick(-1000...1000))]))
        case 3: return .double(pickOne([0.5, -1.25, 1e300, 2e-300, 0.1]))
        case 4: return .string(anyText())
        case 5, 6: return .array((0..<pick(0...3)).map { _ in anyValue(depth: depth + 1) })
        default: return .object(["x": anyValue(depth: depth + 1), anyText(): anyValue(depth: depth + 1)])
        }
    }

    private mutating func anyContent() -> ResponseContent {
        let body = Body(Data(anyText().utf8))
        switch pick(0...5) {
        case 0: return .text(body)
        case 1: return .data(body)
        case 2: return .audio(body, pickOne([.wav, .mp3, AudioFormat(rawValue: "")]))
        case 3: return .image(body, .png)
        case 4: return .embedding((0..<pick(0...9)).map { _ in pickOne([0, -0.0, 1.5, .infinity, 0.1]) })
        default: return .structured(anyValue(depth: 0))
        }
    }

    private mutating func anyTags() -> [String] {
        chance(2) ? [] : ["t", "Zürich", "", "t \(pick(0...1))"].filter { _ in chance(2) }
    }

    private mutating func anyCharges() -> [BudgetCharge] {
        ["all", "some", "job"].filter { _ in chance(2) }.map { name in
            BudgetCharge(
                budget: name, period: Date(timeIntervalSince1970: pickOne([0, 1_799_971_200, 1_800_057_600])),
                limit: pickOne([0, 30, 1_000, .max]), bound: chance(3) ? nil : pickOne([0, 5, 20, .max, -4]),
                refusesUnknown: chance(3), job: name == "job" ? anyJob() : nil)
        }
    }

    private mutating func anyQuery() -> LedgerQuery {
        LedgerQuery(
            by: pickOne(LedgerQuery.Grouping.allCases + [nil]), from: chance(3) ? later(-100_000...0) : nil,
            to: chance(3) ? later(-100_000...100) : nil, provider: chance(4) ? anyProvider() : nil,
            job: chance(4) ? anyJob() : nil, tag: chance(4) ? pickOne(["t", "", "none"]) : nil)
    }

    private mutating func anyWindow() -> ClosedRange<Date> {
        let width = pickOne([0, 5_000, 100_000, 1_000_000])
        return date(now - width)...date(now + width)
    }

    private mutating func anySelection() -> CacheSelection {
        switch pick(0...8) {
        case 0: .everything
        case 1, 2: .provider(anyProvider())
        case 3, 4: .model(pickOne([nil, "", "m", "n"]), of: anyProvider())
        case 5: .tag(pickOne(["t", "Zürich", "none"]))
        case 6: .answer(FlightID(rawValue: Int64(pick(1...lastID + 1))))
        default: recent(submissions).map { .fingerprint($0.fingerprint) } ?? .everything
        }
    }

    private mutating func anyLabels() -> [String: String] {
        switch pick(0...3) {
        case 0: [anyText(): anyText(), "k": "v"]
        case 1: ["cache": pickOne(["miss", "refresh", "hit", ""]), anyText(): "v"]
        default: [:]
        }
    }

    private mutating func anyUsage() -> Usage {
        Usage(
            inputTokens: Int64(pick(0...9)), outputTokens: Int64(pick(0...9)), characters: Int64(pick(0...9)),
            bytes: Int64(pick(0...9)), audioMilliseconds: pickOne([0, 7, .max]),
            costMicroDollars: chance(2) ? nil : Int64(pick(0...9)))
    }

    private mutating func anyError() -> AIServiceError {
        AIServiceError(
            pickOne([.timeout, .providerFailed, AIServiceError.Code(rawValue: "own")]), anyText(),
            disposition: pickOne([nil, .fail, .retry(after: .milliseconds(pick(0...9))), .needsUser]),
            cause: chance(2) ? nil : anyText())
    }
}

// MARK: - Dates

/// Stores keep dates to the microsecond, and computed dates are finer.
extension Date {
    fileprivate var rounded: Date {
        Date(timeIntervalSince1970: (timeIntervalSince1970 * 1_000_000).rounded() / 1_000_000)
    }
}

extension AccountRecord {
    fileprivate var rounded: AccountRecord {
        var record = self
        record.budget.requests?.updatedAt = budget.requests?.updatedAt.rounded ?? .distantPast
        record.budget.units?.updatedAt = budget.units?.updatedAt.rounded ?? .distantPast
        record.budget.pausedUntil = budget.pausedUntil?.rounded
        record.budget.nextCall = budget.nextCall?.rounded
        record.budget.failingUntil = budget.failingUntil?.rounded
        return record
    }
}

extension WriteReceipt {
    fileprivate var rounded: WriteReceipt {
        guard case .permits(let grant) = self else { return self }
        return .permits(PermitGrant(costs: grant.costs, next: grant.next?.rounded, isUnlimited: grant.isUnlimited))
    }

    /// The kind of receipt without its payload, to tell which kinds a history reached.
    fileprivate var kind: String {
        switch self {
        case .done: "done"
        case .owner: "owner"
        case .broken: "broken"
        case .submitted(let receipt):
            receipt.wasPresent
                ? "present" : receipt.hasJoined ? "joined" : receipt.isAnswered ? "answered" : "submitted"
        case .uncached(let count): count == 0 ? "none uncached" : "uncached"
        case .pruned(let pruned): pruned.count == 0 ? "none pruned" : "pruned"
        case .started(let refusal): refusal == nil ? "started" : "over budget"
        case .permits(let grant): grant.next == nil ? "permits" : "no permits"
        case .rejected: "rejected"
        case .refused(.staleToken): "staleToken"
        case .refused(.outOfOrder): "outOfOrder"
        case .refused(.alreadyLeased): "alreadyLeased"
        case .refused(.settled(let settlement)): "settled \(settlement)"
        case .invalidState(let state): "invalid \(state)"
        case .unknownRequest: "unknown"
        case .contentMissing: "contentMissing"
        }
    }
}

extension StoreChange {
    /// The kind of change without its payload.
    fileprivate var kind: String {
        switch self {
        case .submitted: "change: submitted"
        case .request(_, of: _, .pending): "change: request pending"
        case .request(_, of: _, .executing): "change: request executing"
        case .request(_, of: _, .completed): "change: request completed"
        case .request(_, of: _, .failed(.deadlineExceeded)): "expired"
        case .request(_, of: _, .failed): "change: request failed"
        case .request(_, of: _, .cancelled): "change: request cancelled"
        case .request(_, of: _, .erased): "change: request erased"
        case .flight: "change: flight"
        case .settled: "change: settled"
        case .appended: "change: appended"
        case .account(_, pausedUntil: nil): "change: account no longer paused"
        case .account: "change: account paused"
        case .ownerRetired: "change: owner retired"
        case .uncached: "change: uncached"
        case .nextDeadline(nil): "change: no deadline"
        case .nextDeadline: "change: next deadline"
        }
    }
}

extension AttemptEnd.Outcome {
    /// The kind of outcome without its payload.
    fileprivate var kind: Substring { "\(self)".prefix { $0 != "(" } }
}

extension Settlement {
    /// The kind of recorded end, to tell which kinds a history reached.
    fileprivate var kind: String {
        if diversion != nil, case .postponed = end.outcome { return "diverted" }
        return "\(finished.isEmpty ? "none" : "some") ended\(flight.isSettled ? "" : ", goes on")"
    }
}
