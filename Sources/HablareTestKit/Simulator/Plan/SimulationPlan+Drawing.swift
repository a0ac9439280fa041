import Hablare

private let second: Int64 = 1_000_000_000
private let millisecond: Int64 = 1_000_000

extension SimulationPlan {
    /// Draws a plan.
    package init(seed: UInt64) {
        var random = SeededGenerator(seed: seed &* 0x2545_f491_4f6c_dd1d &+ 0x9e37)
        let hasBacklog = random.percent(1)
        let slots = hasBacklog ? 1 : random.element(of: [1, 1, 2, 2, 2, 3])
        let renewal = random.within(2...6) * second
        let rates = (0..<3).map { _ in RateLimit(drawnFrom: &random) }
        let providers = (0..<random.within(1...3)).map { number -> Provider in
            let account = number > 0 && random.percent(30) ? 0 : Int(number)
            return Provider(
                concurrency: Int(random.within(1...3)),
                attemptTimeout: random.percent(30) ? .seconds(random.within(1...6)) : nil,
                account: account, rate: hasBacklog ? nil : rates[account])
        }
        let horizon = random.within(3...14) * second
        self.seed = seed
        interleaving = random.next()
        self.slots = slots
        style = SchedulingStyle(
            order: random.element(of: [.any, .any, .oldest, .newest]),
            slowLane: random.percent(25) ? Int(random.below(Int64(slots))) : nil,
            drift: random.percent(40) ? random.within(1...40) * millisecond : 0)
        configuration = EngineConfiguration(
            attemptTimeout: .seconds(random.within(2...10)),
            cancellationGrace: .milliseconds(random.within(500...3000)),
            shutdownGrace: .milliseconds(random.within(0...4000)),
            renewalInterval: .nanoseconds(renewal),
            leaseDuration: .nanoseconds(renewal * random.within(3...6)),
            retry: RetryPolicy(drawnFrom: &random),
            breaker: BreakerPolicy(
                threshold: random.percent(50) ? Int(random.within(1...5)) : 5,
                pause: .milliseconds(random.within(500...5000)), longestPause: .seconds(random.within(5...20))),
            prices: SimulationCosts.prices, budgets: SimulationCosts.budgets(seed: seed))
        knowsLiveness = random.percent(60)
        signalDelay = random.element(of: [0, 5, 50, 400]) * millisecond
        lostSignals = random.percent(20) ? 30 : 0
        commitDelay = random.percent(50) ? random.within(1...30) * millisecond : 0
        self.providers = providers
        self.horizon = horizon
        endsAfresh = random.percent(25)
        var draft = PlanDraft(random: random, providers: providers.count, slots: slots, horizon: horizon)
        if hasBacklog { draft.backlog() }
        draft.draw(isCalm: hasBacklog || random.percent(15))
        // From a generator of their own, so that plans without rests stay what they are.
        var dice = SeededGenerator(seed: seed &* 0x9e37_79b9_7f4a_7c15 &+ 0x5e57)
        if !hasBacklog, dice.percent(30) { draft.rests(&dice) }
        if !hasBacklog, dice.percent(30) { draft.chains(&dice) }
        if !hasBacklog, dice.percent(30) { draft.keepings(&dice) }
        var filing = SeededGenerator(seed: seed &* 0x9e37_79b9_7f4a_7c15 &+ 0xf11e)
        if !hasBacklog, filing.percent(40) {
            content = Content(
                threshold: Int(filing.element(of: [1, 1, 10, 11, 16, 26])), age: filing.within(4...20) * second)
            if filing.percent(60) { configuration.pruneInterval = .milliseconds(filing.within(1000...6000)) }
            draft.files(&filing)
        }
        if !hasBacklog, filing.percent(30) { draft.talkers(&filing) }
        if !hasBacklog, filing.percent(35) { draft.looks(&filing) }
        var losing = SeededGenerator(seed: seed &* 0x9e37_79b9_7f4a_7c15 &+ 0x1055)
        if !hasBacklog, losing.percent(1) {
            // It is lost once a second, and taken over at once.
            knowsLiveness = true
            self.horizon = max(horizon, draft.unlucky(&losing))
        }
        requests = draft.requests
        events = draft.ordered
        // The first place is always there for everything: somebody must be.
        var scoping = SeededGenerator(seed: seed &* 0x9e37_79b9_7f4a_7c15 &+ 0x5c09)
        if slots > 1, scoping.percent(20) { scopedSlot = slots - 1 }
    }
}

extension RetryPolicy {
    /// Draws a policy: the default, none, one without patience or one that is in a hurry.
    fileprivate init(drawnFrom random: inout SeededGenerator) {
        switch random.below(10) {
        case 0: self = .never
        case 1: self.init(maximumAttempts: Int(random.within(2...6)), baseDelay: .zero)
        case 2: self.init(maximumAttempts: 5, maximumElapsed: .milliseconds(random.within(0...6000)))
        case 3: self.init(baseDelay: .milliseconds(random.within(1...400)), maximumDelay: .milliseconds(200))
        case 4: self.init(maximumAttempts: Int(random.within(2...4)), baseDelay: .seconds(random.within(2...6)))
        default: self.init()
        }
    }
}

extension RateLimit {
    /// Draws the limit of an account; most have none.
    fileprivate init?(drawnFrom random: inout SeededGenerator) {
        guard random.percent(45) else { return nil }
        self.init(
            requestsPerMinute: random.percent(85) ? Double(random.within(12...240)) : nil,
            unitsPerMinute: random.percent(30) ? Double(random.within(120...2400)) : nil,
            burst: Double(random.within(0...20)) / 100, isEstimate: random.percent(30))
    }
}

/// Draws a plan's requests and events.
private struct PlanDraft {
    var random: SeededGenerator
    let providers: Int
    let slots: Int
    let horizon: Int64
    var requests: [SimulationPlan.Request] = []
    private var isCalm = true
    private var events: [(time: Int64, slot: Int, what: PlannedEvent.What)] = []

    init(random: SeededGenerator, providers: Int, slots: Int, horizon: Int64) {
        self.random = random
        self.random = SeededGenerator(seed: self.random.next())
        self.providers = providers
        self.slots = slots
        self.horizon = horizon
    }

    var ordered: [PlannedEvent] {
        events.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.enumerated().map {
            PlannedEvent(
                number: Int32($0.offset), time: $0.element.element.time, slot: $0.element.element.slot,
                what: $0.element.element.what)
        }
    }

    mutating func draw(isCalm: Bool) {
        self.isCalm = isCalm
        let offset = requests.count
        // Few requests, many histories: what goes wrong between requests takes two or three.
        let singles = random.element(of: [1, 1, 1, 2, 2, 3])
        for _ in 0..<singles {
            let id = request(isCalm: isCalm)
            submit(id)
        }
        if random.percent(35) { job(isCalm: isCalm) }
        for id in requests.indices.dropFirst(offset) { follow(Int32(id)) }
        if random.percent(30) { twins(isCalm: isCalm) }
        if random.percent(6) { operation(.cancelAll, at: anytime()) }
        if random.percent(15) {  // one that nobody submitted
            operation(
                random.element(of: [
                    .status(9999), .outcome(9999), .watch(9999), .cancel(9999), .read(9999, from: 0, pause: 0),
                ]), at: anytime())
        }
        if !isCalm { faults() }
    }

    // MARK: Requests

    private mutating func request(isCalm: Bool, provider: Int? = nil, content: Int32? = nil) -> Int32 {
        let id = Int32(requests.count)
        let streaming =
            random.percent(35)
            ? StreamingPolicy(
                durability: random.percent(70) ? .durable : .volatile, allowsRestart: random.percent(40)) : nil
        requests.append(
            SimulationPlan.Request(
                provider: provider ?? Int(random.below(Int64(providers))), content: content ?? id,
                priority: random.element(of: Priority.allCases),
                attemptTimeout: random.percent(15) ? .milliseconds(random.within(200...4000)) : nil,
                behaviours: (0..<random.within(0...3)).map { _ in
                    behaviour(isCalm: isCalm, isStreaming: streaming != nil)
                },
                maximumAttempts: random.percent(15) ? Int(random.within(1...4)) : nil,
                unknownOutcome: random.percent(20) ? .hold : .runAgain, streaming: streaming))
        return id
    }

    private mutating func behaviour(isCalm: Bool, isStreaming: Bool) -> ProviderBehaviour {
        let soon = random.within(0...1500) * millisecond
        let row = random.percent(30) ? random.element(of: ProviderFailure.retryable) : anyRow()
        if random.percent(isStreaming ? 75 : 4) {
            return .stream(
                Int(random.within(1...6)), every: random.element(of: [0, 1, 30, 400]) * millisecond,
                row: random.percent(isCalm ? 0 : 25) ? row : nil, isDeaf: !isCalm && random.percent(20))
        }
        if random.percent(14) { return limits(row, soon) }
        switch random.below(isCalm ? 60 : 100) {
        case 0..<35: return .answer(after: random.percent(20) ? 0 : soon)
        case 35..<45: return .progress(Int(random.within(1...4)), every: random.within(0...400) * millisecond)
        case 45..<68: return .fail(row: row, after: soon)
        case 68..<73: return .wrongType(after: soon)
        case 73..<82: return .stall
        case 82..<91: return .deafAnswer(after: random.within(1...40) * second / 2)
        case 91..<95: return .deafFailure(row: row, after: random.within(1...40) * second / 2)
        default: return .answerWhenCancelled
        }
    }

    /// Any row; an absurd one seldom, because it leaves an account alone for a day.
    private mutating func anyRow() -> Int32 {
        let row = Int32(random.below(Int64(ProviderFailure.invalidRequest)))
        return ProviderFailure.rows[Int(row)].isAbsurd && random.percent(80) ? 0 : row
    }

    private mutating func limits(_ row: Int32, _ soon: Int64) -> ProviderBehaviour {
        let saying: LimitsSaying
        switch random.below(5) {
        case 0: return .talkative(pieces: 0, every: soon)
        case 1: saying = .nonsense
        case 2, 3: saying = .usedUp(reset: random.within(500...6000) * millisecond)
        default: saying = .perMinute(Double(random.within(6...300)))
        }
        return .limits(saying, row: random.percent(40) ? row : nil, after: soon)
    }

    /// Submits a request, and perhaps again: the same, or other content under its name.
    private mutating func submit(_ id: Int32) {
        let time = random.percent(50) ? random.within(0...2) * second / 4 : anytime()
        let content = requests[Int(id)].content
        if random.percent(18) {
            requests[Int(id)].deadline =
                time + random.element(of: [-1, 1, 1, 1, 4]) * random.within(1...5000) * millisecond
        }
        operation(random.percent(30) ? .execute(id) : .submit(id, content: content), at: time)
        if random.percent(15) { operation(.submit(id, content: content), at: near(time)) }
        if random.percent(10) { operation(.submit(id, content: content + 10_000), at: near(time)) }
    }

    /// Others that ask for the same, most of them at about the same time.
    private mutating func twins(isCalm: Bool) {
        let number = Int(random.below(Int64(requests.count)))
        let usesCache = random.percent(60)
        if usesCache { requests[number].caching = random.percent(85) ? .use : .refresh }
        let original = requests[number]
        let time = anytime()
        for _ in 0..<random.element(of: [1, 1, 2, 2, 3, 5]) {
            let id = request(isCalm: isCalm, provider: original.provider, content: original.content)
            requests[Int(id)].unknownOutcome = original.unknownOutcome
            requests[Int(id)].streaming = original.streaming
            requests[Int(id)].behaviours = original.behaviours
            if usesCache { requests[Int(id)].caching = caching() }
            let when = random.percent(70) ? near(time) : anytime()
            if random.percent(15) {
                requests[Int(id)].deadline = when + random.within(1...5000) * millisecond
            }
            operation(random.percent(50) ? .execute(id) : .submit(id, content: original.content), at: when)
            if random.percent(25) { follow(id) }
            if usesCache, random.percent(40) { operation(.peek(id), at: anytime()) }
        }
        if usesCache, random.percent(15) { operation(.invalidate, at: anytime()) }
    }

    private mutating func caching() -> CachePolicy {
        switch random.below(20) {
        case 0..<14: .use
        case 14..<17: .use(within: Double(random.within(100...9000)) / 1000)
        case 17, 18: .refresh
        default: .bypass
        }
    }

    private mutating func job(isCalm: Bool) {
        let provider = Int(random.below(Int64(providers)))
        let first = Int32(requests.count)
        let count = Int(random.within(2...4))
        for _ in 0..<count { _ = request(isCalm: isCalm, provider: provider) }
        let time = anytime()
        operation(.submitJob(0, first: 0, requests: (0..<count).map { first + Int32($0) }), at: time)
        for _ in 0..<random.within(0...2) {  // resumed, with other UUIDs for the same places, or with the same
            let usesOthers = random.percent(70)
            let ids = (0..<count).map { place -> Int32 in
                guard usesOthers else { return first + Int32(place) }
                let id = request(isCalm: isCalm, provider: provider, content: first + Int32(place))
                return id
            }
            operation(.submitJob(0, first: 0, requests: ids), at: near(time))
        }
        if random.percent(20) { operation(.cancelJob(0), at: near(time)) }
    }

    /// Much work at once for one provider, most of it urgent: a job of its own, and nothing goes wrong.
    mutating func backlog() {
        let ids = (0..<random.within(50...75)).map { _ -> Int32 in
            let id = Int32(requests.count)
            let draw = random.below(100)
            requests.append(
                SimulationPlan.Request(
                    provider: 0, content: id, priority: draw < 5 ? .low : draw < 15 ? .normal : .high,
                    attemptTimeout: nil, behaviours: [.answer(after: random.within(1...60) * millisecond)]))
            return id
        }
        operation(.submitJob(1, first: 0, requests: ids), at: random.below(millisecond))
    }

    /// What becomes of a request beside being done.
    private mutating func follow(_ id: Int32) {
        for _ in 0..<random.within(0...2) {
            let waits: [ClientOperation] = [.outcome(id), .watch(id), .executeStored(id), .status(id), .snapshot(id)]
            let patience = random.percent(15) ? random.within(0...3000) * millisecond : nil
            operation(random.element(of: waits), at: anytime(), patience: patience)
        }
        if requests[Int(id)].streaming != nil || random.percent(5) {
            for _ in 0..<random.within(1...2) {
                let from = random.percent(30) ? Int32(random.within(1...5)) : 0
                let patience = random.percent(15) ? random.within(0...3000) * millisecond : nil
                operation(
                    .read(id, from: from, pause: random.element(of: [0, 0, 10, 700]) * millisecond), at: anytime(),
                    patience: patience)
            }
        }
        if random.percent(22) {
            let time = anytime()
            operation(.cancel(id), at: time)
            if random.percent(30) { operation(.cancel(id), at: near(time)) }
            if random.percent(40) { operation(.retry(id), at: near(time)) }
        }
        if random.percent(25) { operation(.retry(id), at: anytime()) }
        if random.percent(10) { operation(.regenerate(id), at: anytime()) }
        if random.percent(4) {
            let time = anytime()
            operation(.delete(id), at: time)
            if random.percent(30) {
                operation(.submit(id, content: requests[Int(id)].content), at: near(time))
            }
        }
    }

    // MARK: Faults

    private mutating func faults() {
        for _ in 0..<random.element(of: [0, 0, 1, 1, 2, 3]) {
            let restart = random.within(0...4000) * millisecond
            fault(random.percent(15) ? .machineCrash(point(), restart: restart) : .crash(point(), restart: restart))
        }
        for _ in 0..<random.element(of: [0, 0, 0, 1, 1, 2]) {
            fault(.restart(linger: random.within(0...12) * second / 2, restart: random.within(0...2000) * millisecond))
        }
        for _ in 0..<random.element(of: [0, 0, 1, 1, 2, 3]) {
            switch random.below(8) {
            case 0, 1: fault(.failCommits(Int(random.within(1...3))))
            case 2: fault(.failClaims(Int(random.within(1...2))))
            case 3: fault(.failReads(Int(random.within(1...2))))
            case 4: fault(.fillDisk(random.within(200...8000) * millisecond))
            case 5: fault(.jumpClock(random.within(-60...60) * second))
            default: fault(.doze(random.within(1...40) * second))
            }
        }
    }

    // MARK: Rests

    /// Rests of processes, some of which are in each other's way.
    mutating func rests(_ dice: inout SeededGenerator) {
        for _ in 0..<dice.within(1...4) {
            let slot = Int(dice.below(Int64(slots)))
            let time = dice.percent(50) ? dice.below(horizon / 8) : dice.below(horizon)
            for reason in dice.element(
                of: [[.background], [.offline], [.background, .offline]] as [[SuspensionReason]])
            {
                let begin = time + dice.below(300 * millisecond)
                let grace = dice.element(of: [0, 0, 500, 3000, 60_000]) * millisecond
                let patience = dice.percent(15) ? dice.below(2000 * millisecond) : nil
                let end = begin + dice.element(of: [0, 20, 2000, 8000]) * dice.below(millisecond)
                rest(.suspend(reason, grace: grace), at: begin, slot: slot, patience: patience)
                rest(.resume(reason), at: end, slot: slot)
            }
        }
    }

    // MARK: Chains and keeping

    /// Some requests fall back on other providers, all for one work on the same ones.
    mutating func chains(_ dice: inout SeededGenerator) {
        guard providers > 1 else { return }
        var chains: [Int32: [Int]] = [:]
        for id in requests.indices {
            let request = requests[id]
            let chain =
                chains[request.content]
                ?? (dice.percent(60)
                    ? (0..<providers).filter { $0 != request.provider && dice.percent(80) }.shuffled(using: &dice) : [])
            chains[request.content] = chain
            requests[id].fallback = chain
            guard !chain.isEmpty, dice.percent(50) else { continue }
            // So that whole chains fail, and now and then in a way that ends them.
            let row =
                dice.percent(20)
                ? ProviderFailure.invalidRequest : Int32(dice.below(Int64(ProviderFailure.invalidRequest)))
            requests[id].behaviours.insert(
                .fail(row: row, after: dice.below(500 * millisecond)),
                at: Int(dice.below(Int64(requests[id].behaviours.count + 1))))
        }
    }

    /// Answers are protected, given up and pruned.
    mutating func keepings(_ dice: inout SeededGenerator) {
        for id in requests.indices {
            if dice.percent(15) { requests[id].keepUntilMerged = true }
            let id32 = Int32(id)
            if dice.percent(20) { keep(.pin(id32), &dice) }
            if dice.percent(12) { keep(.unpin(id32), &dice) }
            if dice.percent(requests[id].keepUntilMerged ? 50 : 3) { keep(.merged(id32), &dice) }
            if dice.percent(10) { keep(.evict(id32), &dice) }
        }
        for _ in 0..<dice.within(1...3) { keep(.prune(keeping: Int(dice.element(of: [0, 0, 1, 2, 4]))), &dice) }
    }

    /// Files cannot be written, are lost or collected, and processes die at them.
    mutating func files(_ dice: inout SeededGenerator) {
        for _ in 0..<dice.within(0...2) { keep(.prune(keeping: 1000), &dice) }
        guard !isCalm else { return }
        for _ in 0..<dice.element(of: [0, 0, 1, 1, 2]) {
            let point = Fault.Point.file(Int(dice.within(1...6)), isWritten: dice.percent(70))
            let restart = dice.within(0...4000) * millisecond
            fault(dice.percent(15) ? .machineCrash(point, restart: restart) : .crash(point, restart: restart), &dice)
        }
        if dice.percent(25) { fault(.failFiles(Int(dice.within(1...3))), &dice) }
        if dice.percent(25) {
            for _ in 0..<dice.within(1...2) { fault(.loseFile(Int(dice.below(20))), &dice) }
        }
    }

    private mutating func fault(_ fault: Fault, _ dice: inout SeededGenerator) {
        events.append((dice.below(horizon), Int(dice.below(Int64(slots))), .fault(fault)))
    }

    /// A request that never gets an answer before the machine stops: again and again, more often than it is sent again.
    /// Answers when that is over.
    mutating func unlucky(_ dice: inout SeededGenerator) -> Int64 {
        let id = Int32(requests.count)
        let stops = Int(dice.within(9...13))
        requests.append(
            SimulationPlan.Request(
                provider: Int(dice.below(Int64(providers))), content: id, priority: .high, attemptTimeout: nil,
                behaviours: Array(repeating: .stall, count: stops)))
        events.append((0, 0, .operation(.submit(id, content: id), patience: nil)))
        var time: Int64 = 0
        for _ in 0..<stops {
            time += second + dice.below(second / 4)
            events.append((time, 0, .fault(.machineCrash(.steps(Int(dice.within(1...3))), restart: 0))))
            // Something to die of.
            events.append((time + millisecond, 0, .operation(.status(id), patience: nil)))
        }
        return time + second
    }

    /// Looks at what shares its work with others, soon after it was submitted.
    mutating func looks(_ dice: inout SeededGenerator) {
        let sharers = Dictionary(grouping: requests.indices) { requests[$0].content }.values.filter { $0.count > 1 }
        let shared = Set(sharers.joined().map { Int32($0) })
        for event in events {
            guard case .operation(let operation, _) = event.what, let id = operation.request, shared.contains(id)
            else { continue }
            switch operation {
            case .submit, .execute, .retry:
                let time = min(event.time + dice.below(400 * millisecond), horizon - 1)
                rest(.snapshot(id), at: time, slot: event.slot)
            default: continue
            }
        }
    }

    /// Some who stream go on after their end.
    mutating func talkers(_ dice: inout SeededGenerator) {
        for id in requests.indices {
            for place in requests[id].behaviours.indices {
                guard case .stream(let count, let time, nil, false) = requests[id].behaviours[place], dice.percent(50)
                else { continue }
                requests[id].behaviours[place] = .talkative(pieces: count, every: time)
            }
        }
    }

    private mutating func keep(_ operation: ClientOperation, _ dice: inout SeededGenerator) {
        events.append((dice.below(horizon), Int(dice.below(Int64(slots))), .operation(operation, patience: nil)))
    }

    private mutating func rest(_ operation: ClientOperation, at time: Int64, slot: Int, patience: Int64? = nil) {
        events.append((min(time, horizon - 1), slot, .operation(operation, patience: patience)))
    }

    private mutating func point() -> Fault.Point {
        random.percent(45)
            ? .steps(Int(random.within(1...120)))
            : .commit(Int(random.within(1...6)), isApplied: random.percent(50))
    }

    private mutating func fault(_ fault: Fault) {
        events.append((anytime(), Int(random.below(Int64(slots))), .fault(fault)))
    }

    // MARK: Times

    private mutating func operation(_ operation: ClientOperation, at time: Int64, patience: Int64? = nil) {
        events.append((time, Int(random.below(Int64(slots))), .operation(operation, patience: patience)))
    }

    private mutating func anytime() -> Int64 {
        // Half of all things happen early on, close to each other.
        random.percent(50) ? random.below(horizon / 8) : random.below(horizon)
    }

    private mutating func near(_ time: Int64) -> Int64 {
        min(horizon - 1, time + (random.percent(50) ? random.below(20 * millisecond) : random.below(horizon / 4)))
    }
}
