import Foundation
import HablareTestKit

@testable import Hablare

/// An engine core with simulated commits: a test says what was written, and the core gets it as from its journal.
struct CoreHarness {
    static let owner = OwnerID(rawValue: 1)

    var core: EngineCore
    /// The present time by both clocks.
    private(set) var now = CoreHarness.moment(0) {
        didSet { core.now = now }
    }

    /// Creates a core with these lanes. By default it is open and the store has answered that nothing waits.
    init(
        _ lanes: [LaneDescription], isOpen: Bool = true, scope: ClaimScope = .everything, isShared: Bool = false,
        grace: Duration = .seconds(5)
    ) {
        core = EngineCore(
            lanes: lanes,
            configuration: EngineCore.Configuration(cancellationGrace: grace, scope: scope, isShared: isShared))
        core.now = now
        guard isOpen else { return }
        open()
        for lane in lanes { claim([], by: lane.provider, asked: 32) }
    }

    /// Creates a core with one lane of the provider `p`, without a rate.
    init(_ concurrency: Int, isOpen: Bool = true, isShared: Bool = false, grace: Duration = .seconds(5)) {
        self.init(
            [LaneDescription(provider: "p", concurrency: concurrency)], isOpen: isOpen, isShared: isShared,
            grace: grace)
    }

    /// Returns the moment this number of seconds after the start, by both clocks.
    static func moment(_ seconds: TimeInterval) -> Moment {
        Moment(date: StoreWorkbench.date(0).addingTimeInterval(seconds), clock: .seconds(seconds))
    }

    /// Returns the date this number of seconds after the start.
    func date(_ seconds: TimeInterval) -> Date { Self.moment(seconds).date }

    /// Sets the clocks without an event for the core.
    mutating func setTime(_ seconds: TimeInterval) { now = Self.moment(seconds) }

    /// Returns the effects of an event.
    @discardableResult
    mutating func after(_ event: Void) -> [EngineCore.Effect] { core.takeEffects() }

    // MARK: Flights

    /// Returns a flight that this process has leased.
    func flight(
        _ number: Int, _ priority: Priority = .normal, of provider: ProviderID = "p", cost: Double = 1,
        token: Int64 = 1, timeout: Duration? = nil
    ) -> QueuedFlight {
        QueuedFlight(
            id: FlightID(rawValue: Int64(number)),
            lifecycle: FlightLifecycle(state: .leased(Self.owner), token: token, attempt: 0, generation: 0),
            request: AIRequest(
                id: StoreWorkbench.id(number), prompt: "", priority: priority, attemptTimeout: timeout),
            provider: provider, cost: cost)
    }

    /// Returns a flight in a state.
    func flight(_ state: FlightLifecycle.State, token: Int64 = 1) -> FlightLifecycle {
        FlightLifecycle(state: state, token: token, attempt: 1, generation: 1)
    }

    func key(_ number: Int, token: Int64 = 1) -> AttemptKey {
        AttemptKey(flight: FlightID(rawValue: Int64(number)), token: token)
    }

    // MARK: Submissions

    /// Returns a submission that is to be written. Its flight has the number of its request.
    func submission(
        _ number: Int, _ priority: Priority = .normal, to provider: ProviderID = "p", cost: Double = 0,
        deadline: TimeInterval? = nil
    ) throws -> Submission {
        var submission = try StoreWorkbench.submission(
            of: AIRequest(
                id: StoreWorkbench.id(number), prompt: .text("prompt \(number)"), priority: priority,
                deadline: deadline.map { date($0) }),
            provider: provider, at: now.date)
        submission.cost = cost
        return submission
    }

    /// Has slots reserved for submissions that are about to be written.
    mutating func place(_ submissions: [Submission]) -> [Submission] {
        var writes = submissions.map { StoreWrite.submit($0) }
        after(core.place(&writes))
        return writes.compactMap { if case .submit(let submission) = $0 { submission } else { nil } }
    }

    /// Has a slot reserved for a submission that is about to be written.
    mutating func place(
        _ number: Int, _ priority: Priority = .normal, to provider: ProviderID = "p", cost: Double = 0
    ) throws -> Submission {
        place([try submission(number, priority, to: provider, cost: cost)])[0]
    }

    /// Has slots reserved for new submissions, and returns them.
    mutating func placements(
        _ count: Int, to provider: ProviderID = "p", cost: Double = 0
    ) throws -> [EngineCore.Placement] {
        try (0..<count).map { try place(10_000 + $0, to: provider, cost: cost).placement }
    }

    /// Returns the receipt of a submission that got a flight of its own.
    func receipt(_ submission: Submission, flight: Int? = nil) -> SubmissionReceipt {
        SubmissionReceipt(
            id: submission.request.id, flight: FlightID(rawValue: flight.map(Int64.init) ?? number(of: submission)),
            wasPresent: false)
    }

    private func number(of submission: Submission) -> Int64 {
        submission.request.id.bytes.suffix(4).reduce(0) { $0 << 8 | Int64($1) }
    }

    /// Commits a placed submission with a flight of its own.
    mutating func commit(_ submission: Submission) -> [EngineCore.Effect] {
        commit(submission, receipt(submission))
    }

    /// Commits a submission with a receipt.
    mutating func commit(_ submission: Submission, _ receipt: SubmissionReceipt) -> [EngineCore.Effect] {
        after(
            core.committed(
                StoreCommit(receipts: [.submitted(receipt)], changes: [.submitted(submission, receipt)]),
                of: [.submit(submission)]))
    }

    /// Places and commits a submission.
    @discardableResult
    mutating func submit(
        _ number: Int, _ priority: Priority = .normal, to provider: ProviderID = "p", cost: Double = 0
    ) throws -> [EngineCore.Effect] {
        let submission = try place(number, priority, to: provider, cost: cost)
        return commit(submission)
    }

    /// Commits a submission that joined a flight.
    mutating func join(
        _ number: Int, flight: Int, _ priority: Priority, to provider: ProviderID, fallback: [ProviderID] = []
    ) throws -> [EngineCore.Effect] {
        var joining = try submission(number, priority, to: provider)
        joining.request.fallback = fallback.map { FallbackTarget($0) }
        let placed = place([joining])[0]
        return commit(
            placed,
            SubmissionReceipt(
                id: placed.request.id, flight: FlightID(rawValue: Int64(flight)), wasPresent: false, hasJoined: true))
    }

    // MARK: Other events

    @discardableResult
    mutating func open() -> [EngineCore.Effect] { after(core.opened(as: Self.owner)) }

    /// Commits changes of this process.
    @discardableResult
    mutating func commit(_ changes: StoreChange...) -> [EngineCore.Effect] {
        after(core.committed(StoreCommit(receipts: [], changes: changes), of: []))
    }

    /// Reports changes that another process committed.
    @discardableResult
    mutating func hear(_ changes: StoreChange..., mayWait: Bool = false) -> [EngineCore.Effect] {
        after(core.received(ForeignChanges(changes: changes, mayWait: mayWait)))
    }

    /// Cancels a flight's last member while its lease has a token.
    @discardableResult
    mutating func cancel(_ number: Int, token: Int64 = 1) -> [EngineCore.Effect] {
        commit(
            .request(StoreWorkbench.id(number), of: FlightID(rawValue: Int64(number)), .cancelled),
            .flight(FlightID(rawValue: Int64(number)), flight(.settled(.cancelled), token: token)))
    }

    /// Reports that the start of an attempt is on disk.
    @discardableResult
    mutating func start(_ number: Int, token: Int64 = 1) -> [EngineCore.Effect] {
        commit(.flight(FlightID(rawValue: Int64(number)), flight(.executing(Self.owner), token: token)))
    }

    @discardableResult
    mutating func claim(
        _ flights: [QueuedFlight], by provider: ProviderID = "p", asked: Int = 32, nextDue: Date? = nil
    ) -> [EngineCore.Effect] {
        after(core.claimed(flights, nextDue: nextDue, by: provider, asked: asked))
    }

    @discardableResult
    mutating func grant(
        _ costs: [Double], next: Date? = nil, isUnlimited: Bool = false, of account: AccountID = "account"
    ) -> [EngineCore.Effect] {
        after(core.granted(PermitGrant(costs: costs, next: next, isUnlimited: isUnlimited), of: account))
    }

    /// Reports that the provider returned and that all output is journalled.
    @discardableResult
    mutating func end(_ number: Int, _ reply: Reply = .sound, token: Int64 = 1) -> [EngineCore.Effect] {
        _ = core.ended(key(number, token: token), with: reply)
        return core.takeEffects()
    }

    /// Reports that the provider returned while some output is not journalled yet.
    @discardableResult
    mutating func `return`(_ number: Int, _ reply: Reply = .sound, token: Int64 = 1) -> [EngineCore.Effect] {
        after(core.returned(key(number, token: token), with: reply))
    }

    /// Advances the time.
    @discardableResult
    mutating func passTime(to seconds: TimeInterval, silence: Duration? = nil) -> [EngineCore.Effect] {
        setTime(seconds)
        return after(core.timePassed { _ in silence })
    }

    /// Returns when the core has to be woken.
    mutating func wake() -> Duration? { core.wake() }

    /// Starts and ends a call. A claim that follows is answered with nothing.
    mutating func call(taking seconds: TimeInterval, _ reply: Reply = .sound) throws {
        let began = now
        try submit(1_000)
        if core.running == 0 { return }
        now = Moment(date: began.date.addingTimeInterval(seconds), clock: began.clock)
        let effects = end(1_000, reply)
        now = began
        for limit in effects.claims { claim([], asked: limit) }
        after(core.recorded(key(1_000)))
    }
}

extension Reply {
    /// An answer.
    static let sound = Reply(result: .success(ProviderAnswer(.text("answer"))))
    /// A failure that shows a failing provider.
    static let failing = Reply(result: .failure(StoreWorkbench.overloaded))
    /// A failure that is inconclusive about the provider's health.
    static let silent = Reply(result: .failure(AIServiceError(.rateLimited, "Too many.")))
    /// The reply of an attempt that was not sent.
    static let notSent = Reply.unsent(.attemptCancelled)

    /// Returns a failure with a Retry-After.
    static func paused(_ duration: Duration) -> Reply {
        Reply(result: .failure(AIServiceError(.rateLimited, "Too many.", disposition: .retry(after: duration))))
    }

    /// Returns an answer with reported limits.
    static func sound(limits: ReportedLimits) -> Reply {
        var reply = Reply.sound
        reply.limits = Box(limits)
        return reply
    }
}

extension [EngineCore.Effect] {
    /// The flights that are started or run, in order.
    var started: [Int64] {
        compactMap { effect in
            switch effect {
            case .start(let flight), .run(let flight): flight.id.rawValue
            default: nil
            }
        }
    }

    /// The limits of the claims.
    var claims: [Int] { compactMap { if case .claim(_, let limit) = $0 { limit } else { nil } } }

    /// The providers for which flights are claimed.
    var claimed: [ProviderID] { compactMap { if case .claim(let provider, _) = $0 { provider } else { nil } } }

    /// The flights whose leases are released.
    var released: [Int64] {
        flatMap { if case .release(let flights) = $0 { flights.map(\.id.rawValue) } else { [Int64]() } }
    }

    /// The costs of the calls for which permits are reserved.
    var reserved: [[Double]] { compactMap { if case .reserve(let request) = $0 { request.costs } else { nil } } }

    /// The attempts that are stopped.
    var stopped: [AttemptKey] { compactMap { if case .stop(let key) = $0 { key } else { nil } } }

    /// The attempts that are abandoned.
    var abandoned: [AttemptKey] { compactMap { if case .abandon(let key, _) = $0 { key } else { nil } } }

    /// The reports about accounts.
    var reports: [AccountReport] { compactMap { if case .report(let report) = $0 { report } else { nil } } }

    /// Whether the core starts or stops listening to other processes' commits.
    var listens: [Bool] { compactMap { if case .listen(let isWanted) = $0 { isWanted } else { nil } } }

    /// The events for followers of the engine.
    var events: [EngineEvent] { compactMap { if case .event(let event) = $0 { event } else { nil } } }
}
