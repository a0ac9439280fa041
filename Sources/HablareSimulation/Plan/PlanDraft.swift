import Hablare
import HablareTestKit

private let second: Int64 = 1_000_000_000
private let millisecond: Int64 = 1_000_000

/// Generates the random requests and events of a plan.
struct PlanDraft {
    var random: SeededGenerator
    let providers: Int
    let slots: Int
    let horizon: Int64
    var requests: [SimulationPlan.Request] = []
    var isCalm = true
    var events: [(time: Int64, slot: Int, what: PlannedEvent.What)] = []

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
        // Few requests per history and many histories: most faults between requests need only two or three.
        let singles = random.element(of: [1, 1, 1, 2, 2, 3])
        for _ in 0..<singles {
            let id = request(isCalm: isCalm)
            submit(id)
        }
        if random.percent(35) { job(isCalm: isCalm) }
        for id in requests.indices.dropFirst(offset) { follow(Int32(id)) }
        if random.percent(30) { twins(isCalm: isCalm) }
        if random.percent(6) { operation(.cancelAll, at: anytime()) }
        if random.percent(15) {  // a request that was never submitted
            operation(
                random.element(of: [
                    .status(9999), .outcome(9999), .watch(9999), .cancel(9999), .read(9999, from: 0, pause: 0),
                ]), at: anytime())
        }
        if !isCalm { faults() }
    }

    // MARK: Requests

    mutating func request(isCalm: Bool, provider: Int? = nil, content: Int32? = nil) -> Int32 {
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

    mutating func behaviour(isCalm: Bool, isStreaming: Bool) -> ProviderBehaviour {
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

    /// Returns a random row of ``ProviderFailure/rows``. Rows with extremely long pauses are rare, because such a row
    /// pauses an account for a day.
    mutating func anyRow() -> Int32 {
        let row = Int32(random.below(Int64(ProviderFailure.invalidRequest)))
        return ProviderFailure.rows[Int(row)].isAbsurd && random.percent(80) ? 0 : row
    }

    mutating func limits(_ row: Int32, _ soon: Int64) -> ProviderBehaviour {
        let saying: LimitsSaying
        switch random.below(5) {
        case 0: return .talkative(pieces: 0, every: soon)
        case 1: saying = .nonsense
        case 2, 3: saying = .usedUp(reset: random.within(500...6000) * millisecond)
        default: saying = .perMinute(Double(random.within(6...300)))
        }
        return .limits(saying, row: random.percent(40) ? row : nil, after: soon)
    }

    /// Adds the submission of a request at a random time. Sometimes also adds another submission with the same UUID,
    /// and with the same or different content.
    mutating func submit(_ id: Int32) {
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

    /// Adds further requests for the same work as another request. Most of them are submitted at about the same time.
    mutating func twins(isCalm: Bool) {
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

    mutating func caching() -> CachePolicy {
        switch random.below(20) {
        case 0..<14: .use
        case 14..<17: .use(within: Double(random.within(100...9000)) / 1000)
        case 17, 18: .refresh
        default: .bypass
        }
    }

    mutating func job(isCalm: Bool) {
        let provider = Int(random.below(Int64(providers)))
        let first = Int32(requests.count)
        let count = Int(random.within(2...4))
        for _ in 0..<count { _ = request(isCalm: isCalm, provider: provider) }
        let time = anytime()
        operation(.submitJob(0, first: 0, requests: (0..<count).map { first + Int32($0) }), at: time)
        for _ in 0..<random.within(0...2) {  // resumed, with new or the same UUIDs for the same positions
            let usesOthers = random.percent(70)
            let ids = (0..<count).map { position -> Int32 in
                guard usesOthers else { return first + Int32(position) }
                let id = request(isCalm: isCalm, provider: provider, content: first + Int32(position))
                return id
            }
            operation(.submitJob(0, first: 0, requests: ids), at: near(time))
        }
        if random.percent(20) { operation(.cancelJob(0), at: near(time)) }
    }

    /// Adds many waiting requests for one provider: a separate job of mostly urgent requests, without faults.
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

    /// Adds random operations on a request.
    mutating func follow(_ id: Int32) {
        for _ in 0..<random.within(0...2) {
            let waits: [ClientOperation] = [.outcome(id), .watch(id), .executeStored(id), .status(id), .snapshot(id)]
            let timeout = random.percent(15) ? random.within(0...3000) * millisecond : nil
            operation(random.element(of: waits), at: anytime(), timeout: timeout)
        }
        if requests[Int(id)].streaming != nil || random.percent(5) {
            for _ in 0..<random.within(1...2) {
                let from = random.percent(30) ? Int32(random.within(1...5)) : 0
                let timeout = random.percent(15) ? random.within(0...3000) * millisecond : nil
                operation(
                    .read(id, from: from, pause: random.element(of: [0, 0, 10, 700]) * millisecond), at: anytime(),
                    timeout: timeout)
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

    // MARK: Times

    mutating func operation(_ operation: ClientOperation, at time: Int64, timeout: Int64? = nil) {
        events.append((time, Int(random.below(Int64(slots))), .operation(operation, timeout: timeout)))
    }

    mutating func anytime() -> Int64 {
        // Half of all events happen early and close together.
        random.percent(50) ? random.below(horizon / 8) : random.below(horizon)
    }

    mutating func near(_ time: Int64) -> Int64 {
        min(horizon - 1, time + (random.percent(50) ? random.below(20 * millisecond) : random.below(horizon / 4)))
    }
}
