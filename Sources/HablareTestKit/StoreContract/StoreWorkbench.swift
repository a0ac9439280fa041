package import Foundation
package import Hablare

/// A store under test, with operations that many tests need. Its dates and UUIDs are the same in every run.
package struct StoreWorkbench: Sendable {
    /// The store.
    package let store: any RequestStore

    package init(store: any RequestStore) {
        self.store = store
    }

    /// Returns a date: the start of the test plus a number of seconds. The date is a whole number of seconds, because
    /// stores may round fractions of a microsecond.
    package static func date(_ seconds: Int) -> Date {
        Date(timeIntervalSince1970: 1_800_000_000 + TimeInterval(seconds))
    }

    /// Returns the UUID for a number. A greater number gives a greater UUID.
    package static func id(_ number: Int) -> UUID {
        var tail = UInt64(number).bigEndian
        let bytes = withUnsafeBytes(of: &tail) { Array($0) }
        return UUID(
            uuid: (
                0x01, 0xa3, 0, 0, bytes[4], bytes[5], 0x70, 0, 0x80, 0, 0, 0, bytes[4], bytes[5], bytes[6], bytes[7]
            ))
    }

    // MARK: Writing

    /// Commits one write and returns its receipt.
    package func write(_ write: StoreWrite) throws -> WriteReceipt {
        let receipts = try store.commit([write]).receipts
        try require("the number of receipts of one write", receipts.count, is: 1)
        return receipts[0]
    }

    /// Commits one write and returns its changes.
    package func changes(of write: StoreWrite) throws -> [ChangeSummary] { try store.commit([write]).summary }

    /// Returns the current lifecycle of a flight.
    package func lifecycle(_ flight: FlightID) throws -> FlightLifecycle {
        try require("flight \(flight.rawValue)", try store.flights([flight])[flight])
    }

    /// Records the end of an attempt. Throws a violation if the store refuses it.
    @discardableResult
    package func settle(_ end: AttemptEnd) throws -> Settlement {
        let commit = try store.commit([.settle(end)])
        try require("the receipt of an attempt's end", commit.receipts, is: [.done])
        return try require("the settlement", commit.settlements.first)
    }

    /// Records the end of an attempt. Throws a violation if it did not complete exactly the expected requests.
    ///
    /// - Parameter continues: Whether the flight continues for other requests.
    func settle(
        _ end: AttemptEnd, finishing finished: [Int], continues: Bool, isDiverted: Bool = false, file: String = #fileID,
        line: Int = #line
    ) throws {
        let settlement = try settle(end)
        try require("who finished", settlement.finished, is: finished.map(Self.id), file: file, line: line)
        try require("whether it goes on", !settlement.flight.isSettled, is: continues, file: file, line: line)
        try require("another provider", settlement.diversion != nil, is: isDiverted, file: file, line: line)
    }

    /// Registers a process.
    package func register(_ number: Int32 = 1) throws -> OwnerID {
        let receipt = try write(.registerOwner(Self.registration(number)))
        guard case .owner(let owner) = receipt else {
            throw ContractViolation(message: "registering a process gave \(receipt)", location: #fileID)
        }
        return owner
    }

    package static func registration(_ number: Int32) -> OwnerRegistration {
        OwnerRegistration(host: "host-\(number)", processID: number, lockName: "lock-\(number)", expiresAt: date(30))
    }

    /// Returns a submission of a request. By default, each request has a different prompt.
    package static func submission(
        _ number: Int, prompt: Prompt? = nil, provider: ProviderID = "p", job: String? = nil, position: Int = 0,
        priority: Priority = .normal, supersedes: UUID? = nil, deadline: Int? = nil,
        unknownOutcome: UnknownOutcomePolicy = .runAgain
    ) throws -> Submission {
        try submission(
            of: AIRequest(
                id: id(number), prompt: prompt ?? .text("prompt \(number)"), priority: priority,
                deadline: deadline.map(date), unknownOutcome: unknownOutcome),
            provider: provider, job: job, position: position, supersedes: supersedes, at: date(number))
    }

    package static func submission(
        of request: AIRequest, provider: ProviderID = "p", job: String? = nil, position: Int = 0,
        supersedes: UUID? = nil, at date: Date = date(0)
    ) throws -> Submission {
        Submission(
            request: request, provider: provider,
            fingerprint: try Fingerprint(request, instance: ProviderInstance(rawValue: provider.rawValue)),
            job: job.map { Submission.JobPosition(key: JobKey(rawValue: $0), position: position) },
            supersedes: supersedes, createdAt: date)
    }

    /// Submits a request. Throws a violation if the store does not accept it as a new request.
    @discardableResult
    package func submit(_ submission: Submission) throws -> FlightID {
        let receipt = try write(.submit(submission))
        guard case .submitted(let accepted) = receipt, !accepted.wasPresent, accepted.id == submission.request.id else {
            throw ContractViolation(message: "a new submission was answered \(receipt)", location: #fileID)
        }
        return accepted.flight
    }

    /// Submits a plain request.
    @discardableResult
    package func submit(_ number: Int, job: String? = nil, position: Int = 0) throws -> FlightID {
        try submit(Self.submission(number, job: job, position: position))
    }

    // MARK: Working

    /// Claims at most `limit` flights of a provider, at a time in seconds after the start of the test.
    package func claim(
        _ owner: OwnerID, provider: ProviderID = "p", scope: ClaimScope = .everything, limit: Int = 1,
        at seconds: Int = 0
    ) throws -> [ClaimedFlight] {
        try ask(owner, provider: provider, scope: scope, limit: limit, at: seconds).flights
    }

    /// Makes a claim, and returns its whole result. Prompts in files are read.
    package func ask(
        _ owner: OwnerID, provider: ProviderID = "p", scope: ClaimScope = .everything, limit: Int = 1,
        at seconds: Int = 0
    ) throws -> Claim {
        var claim = try store.claim(
            ClaimQuery(owner: owner, provider: provider, scope: scope, limit: limit, now: Self.date(seconds)))
        claim.flights = claim.flights.map { $0.readingPrompt(from: store.content) }
        return claim
    }

    /// Claims the next flight.
    package func claimOne(_ owner: OwnerID, at seconds: Int = 0) throws -> ClaimedFlight {
        try require("a flight to claim", try claim(owner, at: seconds).first)
    }

    /// Returns the transition of a flight whose holder starts an attempt.
    package static func start(_ lifecycle: FlightLifecycle) throws -> FlightTransition {
        try FlightTransition(of: lifecycle) { flight throws(FlightLifecycle.Refusal) in
            try flight.attemptStarted(token: flight.token)
        }
    }

    /// Returns the transition of a flight whose holder returns it without having sent it.
    package static func release(_ lifecycle: FlightLifecycle) throws -> FlightTransition {
        try FlightTransition(of: lifecycle) { flight throws(FlightLifecycle.Refusal) in
            try flight.released(token: flight.token)
        }
    }

    /// Starts an attempt of a claimed flight.
    package func start(_ claimed: ClaimedFlight, at seconds: Int = 1) throws -> RunningAttempt {
        let transition = try Self.start(claimed.lifecycle)
        try require(
            "starting an attempt", try write(.advance(claimed.id, transition, at: Self.date(seconds))), is: .done)
        return RunningAttempt(
            flight: claimed.id, request: claimed.request.id, lifecycle: transition.new, startedAt: Self.date(seconds))
    }

    /// Claims the next flight, and starts an attempt of it.
    package func startNext(_ owner: OwnerID, at seconds: Int = 1) throws -> RunningAttempt {
        try start(try claimOne(owner, at: seconds), at: seconds)
    }

    /// Claims and starts the next flight. Then records that the attempt failed, with a backoff that ends at `later`.
    @discardableResult
    package func postponeNext(_ owner: OwnerID, until later: Int, at seconds: Int = 1) throws -> RunningAttempt {
        let attempt = try startNext(owner, at: seconds)
        try require("postponing", try write(.settle(attempt.postponed(until: later, at: seconds + 1))), is: .done)
        return attempt
    }

    /// Claims and starts the next flight. Then records that the outcome of the attempt is unknown. The flight is then
    /// held.
    @discardableResult
    package func holdNext(_ owner: OwnerID, at seconds: Int = 1) throws -> RunningAttempt {
        let attempt = try startNext(owner, at: seconds)
        try require("holding", try write(.settle(attempt.held(at: seconds + 1))), is: .done)
        return attempt
    }

    /// Claims and starts the next flight. Then records its answer, or its failure if `error` is given.
    @discardableResult
    package func finishNext(_ owner: OwnerID, failing error: AIServiceError? = nil) throws -> RunningAttempt {
        let attempt = try startNext(owner)
        try settle(error.map(attempt.failed) ?? attempt.completed())
        return attempt
    }

    /// Brings a request into a phase. No other request may be waiting in the store.
    package func bring(_ number: Int, to phase: RequestPhase, by owner: OwnerID) throws {
        try submit(number)
        switch phase {
        case .pending: break
        case .executing: _ = try startNext(owner)
        case .completed: try finishNext(owner)
        case .failed: try finishNext(owner, failing: Self.failure)
        case .cancelled: _ = try write(.cancel(Self.id(number), at: Self.date(9)))
        }
        try require("the phase", try store.snapshot(of: Self.id(number))?.phase, is: phase)
    }

    // MARK: Retention

    /// Evicts the responses up to a position of the prune plan. Throws a violation if the receipt is not as expected.
    package func prune(through last: PrunePlan.Position, limit: Int = 99) throws -> Pruned {
        let receipt = try write(.prune(through: last, limit: limit))
        guard case .pruned(let pruned) = receipt else {
            throw ContractViolation(message: "giving up responses gave \(receipt)", location: #fileID)
        }
        return pruned
    }

    /// Submits requests, and completes them one after the other, one in each second.
    ///
    /// - Parameter submissions: The submissions, all for the provider `p`. No other request may be waiting in the
    ///   store.
    @discardableResult
    package func complete(
        _ submissions: [Submission], by owner: OwnerID, with content: ResponseContent = .text("answer")
    ) throws -> [RunningAttempt] {
        try submissions.enumerated().map { number, submission in
            try submit(submission)
            let attempt = try startNext(owner)
            try require("completing", try write(.settle(attempt.completed(content, at: 100 + number))), is: .done)
            return attempt
        }
    }

    /// Returns whether the store still has the content of a request's response.
    package func isKept(_ number: Int) throws -> Bool {
        let response = try require("the response of \(number)", try store.response(of: Self.id(number)))
        if case .success = response.result { return true }
        return false
    }

    // MARK: Deadlines and limits

    /// Lets the requests fail whose deadline has passed. Returns these requests, and the earliest deadline of the
    /// remaining requests.
    package func expire(at seconds: Int, limit: Int = 99) throws -> (expired: [ExpiredRequest], next: Date?) {
        let commit = try store.commit([.expire(at: Self.date(seconds), limit: limit)])
        try require("the receipt of a sweep", commit.receipts, is: [.done])
        var expired: [ExpiredRequest] = []
        for change in commit.changes.dropLast() {
            switch change {
            case .request(let id, let flight, .failed(.deadlineExceeded)):
                expired.append(ExpiredRequest(id: id, flight: flight))
            case .flight(let flight, let lifecycle) where flight == expired.last?.flight && lifecycle.isSettled:
                expired[expired.count - 1].token = lifecycle.token
            default:
                throw ContractViolation(message: "a sweep made the change \(change)", location: #fileID)
            }
        }
        guard case .nextDeadline(let next)? = commit.changes.last else {
            throw ContractViolation(message: "the last change of a sweep was not the next deadline", location: #fileID)
        }
        return (expired, next)
    }

    /// Makes a write that cancels or deletes a request. Throws a violation if the store refuses it. If the flight ended
    /// with the request, returns the flight.
    package func ended(by write: StoreWrite) throws -> EndedFlight? {
        let commit = try store.commit([write])
        try require("the receipt of an end", commit.receipts, is: [.done])
        let ended = commit.changes.compactMap(EndedFlight.init)
        guard ended.count <= 1 else {
            throw ContractViolation(message: "the end of a request ended the flights \(ended)", location: #fileID)
        }
        return ended.first
    }

    /// Reserves permits.
    package func reserve(
        _ costs: [Double], of limit: RateLimit, account: AccountID = "a", at seconds: Int
    ) throws -> PermitGrant {
        let permit = PermitRequest(account: account, limit: limit, costs: costs)
        let receipt = try write(.reserve(permit, at: Self.date(seconds)))
        guard case .permits(let grant) = receipt else {
            throw ContractViolation(message: "asking for permits gave \(receipt)", location: #fileID)
        }
        return grant
    }

    /// Reports facts about an account to the store.
    package func report(_ report: AccountReport, at seconds: Int) throws {
        try require("a report", try write(.report(report, at: Self.date(seconds))), is: .done)
    }

    package static let overloaded = AIServiceError(.overloaded, "Too busy.", disposition: .retry(after: nil))
    package static let busy = AIServiceError(.storageBusy, "Busy.")
    package static let lostTouch = AIServiceError(.connectionLost, "No answer came.")

    package static let failure = AIServiceError(.providerFailed, "It did not work.", cause: "exit status 1")
}

/// An attempt that has started and has not ended.
package struct RunningAttempt: Sendable {
    package var flight: FlightID
    package var request: UUID
    package var lifecycle: FlightLifecycle
    package var startedAt: Date

    package init(flight: FlightID, request: UUID, lifecycle: FlightLifecycle, startedAt: Date) {
        self.flight = flight
        self.request = request
        self.lifecycle = lifecycle
        self.startedAt = startedAt
    }

    /// Returns the answer that ``completed(_:at:)`` contains.
    package func response(_ content: ResponseContent = .text("answer"), at seconds: Int = 2) -> AIResponseData {
        AIResponseData(
            requestID: request, providerID: "p", result: .success(content), metadata: ["voice": "en"],
            receivedAt: StoreWorkbench.date(seconds), usage: Self.usage)
    }

    package static let usage = Usage(inputTokens: 1, outputTokens: 2, characters: 3, bytes: 4, costMicroDollars: 5)

    package func completed(_ content: ResponseContent = .text("answer"), at seconds: Int = 2) -> AttemptEnd {
        end(.completed(response(content, at: seconds)), billing: .billed, at: seconds)
    }

    package func failed(_ error: AIServiceError) -> AttemptEnd {
        end(.failed(error), billing: .neverSent)
    }

    /// Returns the end of an attempt that failed and is followed by a later attempt.
    package func postponed(until later: Int, at seconds: Int = 2) -> AttemptEnd {
        end(
            .postponed(StoreWorkbench.overloaded, until: StoreWorkbench.date(later)), billing: .neverSent, at: seconds)
    }

    /// Returns the end of an attempt with an unknown outcome.
    package func held(at seconds: Int = 2) -> AttemptEnd {
        end(.held(StoreWorkbench.lostTouch), billing: .maybeBilled, at: seconds)
    }

    package func end(_ outcome: AttemptEnd.Outcome, billing: BillingState, at seconds: Int = 2) -> AttemptEnd {
        AttemptEnd(
            flight: flight, request: request, provider: "p", lifecycle: lifecycle, outcome: outcome, billing: billing,
            startedAt: startedAt, endedAt: StoreWorkbench.date(seconds))
    }

    /// Returns the record that the ledger should contain for this attempt.
    package func record(
        _ outcome: AttemptRecord.Outcome, _ billing: BillingState, error: AIServiceError? = nil,
        usage: Usage = Usage(), at seconds: Int = 2
    ) -> AttemptRecord {
        AttemptRecord(
            attempt: lifecycle.attempt, token: lifecycle.token, outcome: outcome, error: error, billing: billing,
            usage: usage, provider: "p", startedAt: startedAt, endedAt: StoreWorkbench.date(seconds))
    }
}

/// A request whose deadline has passed, with its flight. If the flight ended with the request, `token` is the token of
/// the flight.
package struct ExpiredRequest: Hashable {
    package var id: UUID
    package var flight: FlightID
    package var token: Int64?
}

/// A flight that ended together with its last request, and the token that the flight had then.
package struct EndedFlight: Hashable {
    package var flight: FlightID
    package var token: Int64

    package init(_ flight: FlightID, token: Int64) {
        self.flight = flight
        self.token = token
    }

    init?(_ change: StoreChange) {
        guard case .flight(let flight, let lifecycle) = change, lifecycle.isSettled else { return nil }
        self.init(flight, token: lifecycle.token)
    }
}
