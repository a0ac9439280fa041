import Foundation
import Hablare

@testable import HablareSimulation

/// A handwritten history that shows a rule its violation. Each event comes a millisecond after the one before, in
/// process 0 of one slot, unless stated otherwise.
struct TraceDraft {
    /// The plan: one provider that answers, and requests with different contents.
    var plan: SimulationPlan
    /// The final state by the public API.
    var finals: [Int32: FinalRecord] = [:]
    /// The number of ledger lines that belong to no existing request.
    var furtherLines = 0
    /// The ledger's sum over all attempts, or `nil` for the true one.
    var sum: LedgerSum?
    var spent: [String: Int64] = [:]
    var files = SimulatedFilesAtEnd()
    var jobs: [[Int32]] = []
    /// In nanoseconds.
    private(set) var now: Int64 = 0
    private var events: [TraceEvent] = []
    private var calls: [CallStory] = []
    private var isOver = false

    init() {
        plan = SimulationPlan(
            seed: 0, interleaving: 0, style: SchedulingStyle(order: .oldest, slowLane: nil, drift: 0), slots: 1,
            configuration: EngineConfiguration(), knowsLiveness: true, signalDelay: 0, lostSignals: 0, commitDelay: 0,
            providers: [SimulationPlan.Provider(concurrency: 4, attemptTimeout: nil)],
            requests: (0..<8).map {
                SimulationPlan.Request(
                    provider: 0, content: $0, priority: .normal, attemptTimeout: nil, behaviours: [])
            },
            events: [], horizon: 1000 * 1_000_000_000, endsAfresh: false)
    }

    // MARK: Time

    /// Lets this number of seconds pass.
    mutating func wait(_ seconds: Double) { now += Int64(seconds * 1e9) }

    mutating func happens(_ what: TraceEvent.What, in process: Int32 = -1) {
        now += 1_000_000
        events.append(TraceEvent(time: now, step: Int32(events.count), process: process, what: what))
    }

    // MARK: Client code

    @discardableResult
    mutating func called(_ operation: ClientOperation, in process: Int32 = 0) -> Int32 {
        let number = Int32(plan.events.count)
        plan.events.append(
            PlannedEvent(number: number, time: now, slot: 0, what: .operation(operation, timeout: nil)))
        happens(.operationCalled(number), in: process)
        return number
    }

    mutating func returned(_ number: Int32, _ result: Observed, in process: Int32 = 0) {
        happens(.operationReturned(number, result), in: process)
    }

    /// Records an operation from its call to its return.
    @discardableResult
    mutating func did(_ operation: ClientOperation, _ result: Observed, in process: Int32 = 0) -> Int32 {
        let number = called(operation, in: process)
        returned(number, result, in: process)
        return number
    }

    /// Submits a request with its planned content, which exists from then on.
    mutating func submit(_ request: Int32, in process: Int32 = 0) {
        did(.submit(request, content: plan.requests[Int(request)].content), .stored(request), in: process)
        becomes(request, .pending)
    }

    /// Submits requests at the first positions of a job, which exist from then on.
    mutating func job(_ requests: [Int32], stored: [Int32]) {
        jobs.append(stored)
        did(.submitJob(0, first: 0, requests: requests), .storedJob(Int32(jobs.count - 1)))
        for request in stored { becomes(request, .pending) }
    }

    /// Reads the answer of a request from its beginning.
    mutating func read(_ request: Int32) -> Int32 { called(.read(request, from: 0, pause: 0)) }

    /// Delivers a piece of a call's answer to a reader.
    mutating func tells(
        _ reader: Int32, _ call: Int32, _ piece: Int32, generation: Int32 = 1, isOnDisk: Bool = true
    ) {
        let chunk = StreamedChunk(
            generation: generation, sequence: piece, call: call, piece: piece, isOnDisk: isOnDisk)
        happens(.streamed(reader, chunk), in: 0)
    }

    // MARK: Providers

    /// Lets a provider yield a piece of its answer.
    mutating func yields(_ call: Int32, _ piece: Int32) {
        happens(.yielded(call: call, piece: piece), in: calls[Int(call)].process)
    }

    /// Starts a call: the next attempt of its request, which is on disk, unless stated otherwise.
    @discardableResult
    mutating func call(
        _ request: Int32, attempt: Int32? = nil, provider: Int16 = 0, content: Int32? = nil, journalled: Int32? = nil,
        in process: Int32 = 0
    ) -> Int32 {
        let number = Int32(calls.count)
        let next = Int32(calls.count { $0.request == request }) + 1
        let attempt = attempt ?? next
        let content = content ?? plan.requests[Int(request)].content
        happens(
            .callStarted(
                call: number, request: request, provider: provider, attempt: attempt, content: content,
                journalled: journalled ?? attempt), in: process)
        calls.append(
            CallStory(
                number: number, process: process, request: request, provider: provider, attempt: attempt,
                content: content, journalled: attempt, started: 0, startedAt: now))
        return number
    }

    /// Ends a call, with a line in the ledger.
    mutating func ends(_ call: Int32, _ end: CallEnd, _ outcome: AttemptRecord.Outcome? = nil) {
        let story = calls[Int(call)]
        happens(.callEnded(call, end), in: story.process)
        switch end {
        case .answered:
            enters(call, outcome ?? .completed, .billed, cost: SimulationCosts.cost(ofCall: call, at: story.provider))
        case .failed: enters(call, outcome ?? .failed, end.billing > 0 ? .maybeBilled : .neverSent)
        case .cancelled: enters(call, outcome ?? .cancelled, .maybeBilled)
        }
    }

    /// Stops a call.
    mutating func stops(_ call: Int32) { happens(.callCancelled(call), in: calls[Int(call)].process) }

    /// Lets a call answer and complete its request.
    mutating func answers(_ call: Int32) {
        ends(call, .answered(isPromisedType: true))
        becomes(calls[Int(call)].request, .completed(call: call))
    }

    /// Lets a call fail with the row of a code, without failing its request.
    mutating func fails(_ call: Int32, _ code: String) { ends(call, .failed(row: Self.row(code))) }

    /// Lets a call fail with the row of a code, which also fails its request.
    mutating func failsForGood(_ call: Int32, _ code: String) {
        fails(call, code)
        becomes(calls[Int(call)].request, Self.failure(code, of: call))
    }

    /// Sends and answers a request.
    @discardableResult
    mutating func completes(_ request: Int32, in process: Int32 = 0) -> Int32 {
        let number = call(request, in: process)
        answers(number)
        return number
    }

    static func row(_ code: String) -> Int32 {
        Int32(ProviderFailure.rows.firstIndex { $0.code.rawValue == code } ?? -1)
    }

    /// Returns the failure of a request by a call, or by the engine.
    static func failure(_ code: String, of call: Int32 = -1) -> Observed {
        .failed(code: AIServiceErrorCode(AIServiceError.Code(rawValue: code)).rawValue, call: call)
    }

    static func refused(_ code: AIServiceErrorCode) -> Observed { .refused(code: code.rawValue) }

    // MARK: The final state

    /// Sets the final status of a request.
    mutating func becomes(_ request: Int32, _ status: Observed, waiting: WaitSaying? = nil) {
        let old = finals[request]
        var answer: Int32 = -1
        if case .completed(let call) = status { answer = call }
        finals[request] = FinalRecord(
            request: request, status: status, phase: Self.phase(status), answer: answer,
            attemptCount: old?.attemptCount ?? 0,
            attempts: old?.attempts ?? [], supersedes: old?.supersedes, isFromCache: old?.isFromCache ?? false,
            waiting: waiting)
    }

    /// Adds a ledger line of a call.
    mutating func enters(
        _ call: Int32, _ outcome: AttemptRecord.Outcome, _ billing: BillingState, cost: Int64? = nil
    ) {
        let story = calls[Int(call)]
        if finals[story.request] == nil { becomes(story.request, .pending) }
        change(story.request) { lines in
            lines.append(
                FinalRecord.Attempt(
                    attempt: story.attempt, outcome: outcome, billing: billing,
                    provider: SimulationNames.provider(Int(story.provider)), cost: cost))
        }
    }

    /// Changes the final record of a request.
    mutating func change(
        _ request: Int32, supersedes: Int32? = nil, isFromCache: Bool? = nil, answer: Int32? = nil,
        _ attempts: (inout [FinalRecord.Attempt]) -> Void = { _ in }
    ) {
        guard let old = finals[request] else { return }
        var lines = old.attempts
        attempts(&lines)
        finals[request] = FinalRecord(
            request: request, status: old.status, phase: old.phase, answer: answer ?? old.answer,
            attemptCount: Int32(lines.count), attempts: lines, supersedes: supersedes ?? old.supersedes,
            isFromCache: isFromCache ?? old.isFromCache, waiting: old.waiting)
    }

    private static func phase(_ status: Observed) -> RequestPhase {
        switch status {
        case .completed, .expired, .lost: .completed
        case .failed: .failed
        case .cancelled: .cancelled
        case .executing: .executing
        default: .pending
        }
    }

    /// The living processes.
    private var processes: [Int32] {
        let ended = events.filter { event in
            switch event.what {
            case .crashed, .processGone, .serviceEnded: true
            default: false
            }
        }
        return Set(events.map(\.process)).subtracting(ended.map(\.process)).filter { $0 >= 0 }.sorted()
    }

    /// Ends all faults, lets everything come to rest a while later, and shuts all processes down.
    ///
    /// - Parameter takenForDead: A process that process 1 meanwhile takes for dead.
    mutating func comesToRest(
        live: Int32 = 0, left: Int32 = 0, after seconds: Double = 100, takenForDead: Int32? = nil
    ) {
        happens(.faultsEnded)
        if let takenForDead { happens(.ownerRetired(process: takenForDead, isJustified: true), in: 1) }
        wait(seconds)
        happens(.quiet(live: live))
        for process in processes {
            happens(.shutdownOrdered, in: process)
            happens(.serviceEnded(.done), in: process)
            happens(.processGone, in: process)
        }
        happens(.ended(processesLeft: left))
        isOver = true
    }

    /// Lets the history never come to rest.
    mutating func doesNotRest() { isOver = true }

    /// The history, which comes to rest unless it already did.
    var history: SimulationHistory {
        var whole = self
        if !isOver { whole.comesToRest() }
        let date = SimulationNames.date(0)
        let lines = (0..<furtherLines + finals.values.reduce(0) { $0 + $1.attempts.count }).map { number in
            AttemptRecord(
                attempt: number, token: 0, outcome: .completed, billing: .billed, startedAt: date, endedAt: date)
        }
        let cost = finals.values.flatMap(\.attempts).reduce(Int64(0)) { $0 + ($1.cost ?? 0) }
        let sum = sum ?? LedgerSum(attempts: lines.count, usage: Usage(costMicroDollars: cost))
        return SimulationHistory(
            plan: plan, events: whole.events, jobs: jobs, final: Array(finals.values), entries: lines, ledger: sum,
            spent: spent, steps: whole.events.count, files: files)
    }
}
