import Hablare

/// The events of a history, with indices that the rules use. All events are visible outside the engine.
package struct SimulationHistory: Sendable {
    /// The plan.
    package let plan: SimulationPlan
    /// The events, in order.
    package let events: [TraceEvent]
    /// The lists of requests that job submissions returned. ``Observed/storedJob(_:)`` contains the index of a list.
    let jobs: [[Int32]]
    /// The states of the requests at the end, as the public API reports them.
    let final: [Int32: FinalRecord]
    /// The number of entries in the ledger at the end, including entries of deleted requests.
    let attempts: Int
    /// The number of these entries whose attempt no budget refused. If a budget refused an attempt, no call was made.
    let made: Int
    /// The sum of all entries.
    let ledger: LedgerSum
    /// The amounts spent of the budgets at the end, by the names of the budgets.
    let spent: [String: Int64]
    /// The number of steps of the scheduler.
    package let steps: Int
    /// The state of the content files at the end.
    let files: SimulatedFilesAtEnd

    private(set) var operations: [OperationStory] = []
    private(set) var calls: [CallStory] = []
    private(set) var processes: [ProcessStory] = []
    private(set) var requests: [Int32: RequestStory] = [:]
    /// The limits that providers reported, by the numbers of the calls.
    private(set) var sayings: [Int32: LimitsSaying] = [:]
    /// The suspensions of processes.
    private(set) var suspensions: [SuspensionStory] = []
    /// The content files that a program outside the simulation removed.
    private(set) var lostFiles: [(position: Int, file: SimulatedFile)] = []
    /// The collections of orphaned content files, each with the process that collected.
    private(set) var collections: [(position: Int, time: Int64, process: Int32)] = []
    private(set) var faultsEnded = Int.max
    private(set) var faultsEndedTime: Int64 = 0
    private(set) var quiet = Int.max
    private(set) var quietTime: Int64 = 0
    private(set) var liveAtQuiet: Int32 = 0
    /// The groups of requests for the same work. A group has at least two requests. The requests of a group are in
    /// numerical order.
    private(set) var companies: [[Int32]] = []
    private(set) var processesLeft: Int32 = 0

    init(
        plan: SimulationPlan, events: [TraceEvent], jobs: [[Int32]], final: [FinalRecord], entries: [AttemptRecord],
        ledger: LedgerSum = LedgerSum(), spent: [String: Int64] = [:], steps: Int,
        files: SimulatedFilesAtEnd = SimulatedFilesAtEnd()
    ) {
        self.plan = plan
        self.events = events
        self.jobs = jobs
        self.final = Dictionary(final.map { ($0.request, $0) }, uniquingKeysWith: { first, _ in first })
        attempts = entries.count
        made = entries.count { $0.billing != .neverSent || $0.error?.code != .budgetExceeded }
        self.ledger = ledger
        self.spent = spent
        self.steps = steps
        self.files = files
        index()
    }

    /// The number of crashes.
    package var crashes: Int { processes.count { $0.death != nil && $0.hasCrashed } }

    /// The requests, in numerical order.
    var stories: [RequestStory] { requests.values.sorted { $0.number < $1.number } }

    /// Returns whether a request is live at the end, whether or not the rules allow this.
    func stays(_ request: Int32) -> Bool {
        final[request].map { $0.status.outcome == nil && !$0.status.isGone } ?? false
    }

    /// Returns the plan of a request. For a regenerated request, returns the plan of the request from which it was
    /// regenerated. The deadline in this plan does not apply to the regenerated request.
    func planned(_ request: Int32) -> SimulationPlan.Request? {
        original(of: request).map { plan.requests[Int($0)] }
    }

    /// Returns the planned request: the request itself, or the request from which it was regenerated. Returns `nil` if
    /// this request is not known.
    func original(of request: Int32) -> Int32? {
        var request = request
        while Int(request) >= plan.requests.count {
            guard let old = final[request]?.supersedes else { return nil }
            request = old
        }
        return request
    }

    /// A hash of the whole trace. Histories that differ in a single event have different hashes.
    package var digest: UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for event in events { event.mix(into: &hash) }
        return hash
    }

    // MARK: Indexing

    private mutating func index() {
        var positions: [Int32: Int] = [:]
        var planned: [Int32: ClientOperation] = [:]
        var cancelled: Set<Int32> = []
        for event in plan.events {
            if case .operation(let operation, _) = event.what { planned[event.number] = operation }
        }
        for (index, event) in events.enumerated() {
            let process = Int(event.process)
            while process >= processes.count { processes.append(ProcessStory(number: Int32(processes.count))) }
            switch event.what {
            case .operationCalled(let number):
                guard let operation = planned[number] else { continue }
                positions[number] = operations.count
                operations.append(
                    OperationStory(
                        number: number, operation: operation, process: event.process, called: index,
                        calledAt: event.time))
            case .operationReturned(let number, let observed):
                guard let position = positions[number] else { continue }
                operations[position].returned = index
                operations[position].result = observed
            case .attemptsOnDisk(let number, let request, let attempts):
                if let position = positions[number] { operations[position].attemptsOnDisk[request] = attempts }
            case .told(let number, let observed):
                if let position = positions[number] { operations[position].told.append((index, observed)) }
            case .operationCancelled(let number):
                cancelled.insert(number)  // perhaps before it began: its task may not have run yet
            case .callStarted(let call, let request, let provider, let attempt, let content, let journalled):
                calls.append(
                    CallStory(
                        number: call, process: event.process, request: request, provider: provider,
                        attempt: attempt, content: content, journalled: journalled, started: index,
                        startedAt: event.time))
            case .callCancelled(let call):
                calls[Int(call)].cancelled = calls[Int(call)].cancelled ?? (index, event.time)
            case .callEnded(let call, let end):
                calls[Int(call)].end = (index, event.time, end)
                if case .answered = end { calls[Int(call)].answersAlone() }
            case .yielded(let call, let piece):
                calls[Int(call)].answersAlone()
                let work = Int(calls[Int(call)].work)
                if Int(piece) >= calls[work].yields.count { calls[work].yields.append(index) }
            case .handed(let call, let work): calls[Int(call)].handed = work
            case .resumed(let call): calls[Int(call)].hasResumed = true
            case .remembered(let call): calls[Int(call)].remembered = index
            case .forgets(let call): calls[Int(call)].mayHaveForgotten = true
            case .asked(let call, let isWanted): calls[Int(call)].asked = (index, isWanted)
            case .forgot(let call): calls[Int(call)].forgot = calls[Int(call)].forgot ?? index
            case .limitsSaid(let call, let saying): sayings[call] = saying
            case .fileLost(let file): lostFiles.append((index, file))
            case .filesCollected: collections.append((index, event.time, event.process))
            case .faultsEnded:
                faultsEnded = index
                faultsEndedTime = event.time
            case .quiet(let live):
                quiet = index
                quietTime = event.time
                liveAtQuiet = live
            case .ended(let left): processesLeft = left
            default:
                if case .ownerRetired(let owner, let isJustified) = event.what {
                    processes[Int(owner)].retirements.append((index, event.time, isJustified, event.process))
                }
                if process >= 0 { processes[process].note(event, at: index) }
            }
        }
        for position in operations.indices {
            operations[position].isCancelled = cancelled.contains(operations[position].number)
            assign(position)
        }
        let massCancels = operations.count { operation in
            switch operation.operation {
            case .cancelAll, .cancelJob: true
            default: false
            }
        }
        for call in calls { requests[call.request, default: RequestStory(number: call.request)].calls.append(call) }
        for id in requests.keys { requests[id]?.massCancels = massCancels }
        suspensions = findSuspensions()
        gather()
    }

    /// Returns the call whose answer is the answer to the work of a call, before a position in the trace. It is the
    /// newest call that answered the same work before the position. If there is none, it is the given call. An older
    /// answer may have been lost with its process.
    func answer(of call: Int32, before position: Int = .max) -> CallStory {
        calls.last {
            $0.work == call && $0.end?.how == .answered(isPromisedType: true)
                && $0.end.map { $0.position < position } ?? false
        } ?? calls[Int(call)]
    }

    /// Returns whether the answer of a call could not become the outcome of its request. This is the case if the call
    /// had to resume an answer that readers had received in part, and did not resume it.
    func isAnsweredInVain(_ call: CallStory) -> Bool { call.hasIgnored && hasBegun(call) }

    /// Returns whether readers may have received a part of a call's answer.
    func hasBegun(_ call: CallStory) -> Bool {
        !call.yields.isEmpty || call.handed.map { !calls[Int($0)].yields.isEmpty } ?? false
    }

    /// Finds the groups of requests for the same work.
    private mutating func gather() {
        struct Work: Hashable {
            let provider: Int
            let content: Int32
            let unknownOutcome: UnknownOutcomePolicy
            let streaming: StreamingPolicy?
            let fallback: [Int]
        }
        var asked: [Work: [Int32]] = [:]
        // The requests that were stored, as far as that is visible.
        let stored = requests.values.filter { final[$0.number] != nil || !$0.deletes.isEmpty }.map(\.number)
        for number in Set(stored).union(final.keys).sorted() {
            guard let planned = planned(number) else { continue }
            let work = Work(
                provider: planned.provider, content: planned.content, unknownOutcome: planned.unknownOutcome,
                streaming: planned.streaming, fallback: planned.fallback)
            asked[work, default: []].append(number)
        }
        companies = asked.values.filter { $0.count > 1 }.sorted { $0[0] < $1[0] }
        for number in companies.joined() {
            requests[number, default: RequestStory(number: number)].isShared = true
        }
    }

    /// Returns whether the store may contain a request with different content than planned. The first submission
    /// determines the content.
    func mayBeOfOtherContent(_ story: RequestStory) -> Bool {
        story.submits.contains { submit in
            guard case .submit(_, content: let other) = submit.operation, other != planned(story.number)?.content else {
                return false
            }
            guard case .refused? = submit.result else { return true }
            return false
        }
    }

    /// Returns the requests for the same work, including the request itself.
    func company(of request: Int32) -> [Int32] {
        guard requests[request]?.isShared == true else { return [request] }
        return companies.first { $0.contains(request) } ?? [request]
    }

    /// Adds an operation to the stories of the requests to which it applies.
    private mutating func assign(_ position: Int) {
        let operation = operations[position]
        switch operation.operation {
        case .submitJob(_, _, let ids):
            for id in Set(ids).sorted() { requests[id, default: RequestStory(number: id)].submits.append(operation) }
        case .suspend, .resume, .peek: break  // of no request
        case .cancelAll, .cancelJob, .invalidate, .prune: break  // of all requests, even later ones
        default:
            guard let id = operation.operation.request else { return }
            requests[id, default: RequestStory(number: id)].note(operation)
        }
    }
}

extension TraceEvent {
    /// Adds the event to a hash. The hash is the same in every run of the program.
    func mix(into hash: inout UInt64) {
        func mix(_ value: UInt64, _ hash: inout UInt64) { hash = (hash ^ value) &* 0x0000_0100_0000_01b3 }
        mix(UInt64(bitPattern: time), &hash)
        mix(UInt64(bitPattern: Int64(step)) << 32 | UInt64(bitPattern: Int64(process)) & 0xffff_ffff, &hash)
        for byte in "\(what)".utf8 { mix(UInt64(byte), &hash) }
    }
}
