import Hablare
import HablareTestKit

private let second: Int64 = 1_000_000_000
private let millisecond: Int64 = 1_000_000

extension SimulationPlan {
    /// Creates a random plan from a seed.
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
        // Separate generators, so that plans without these features stay the same.
        var dice = SeededGenerator(seed: seed &* 0x9e37_79b9_7f4a_7c15 &+ 0x5e57)
        if !hasBacklog, dice.percent(30) { draft.addSuspensions(&dice) }
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
            // Its lease is lost once a second, and taken over at once.
            knowsLiveness = true
            self.horizon = max(horizon, draft.unlucky(&losing))
        }
        var remembering = SeededGenerator(seed: seed &* 0x9e37_79b9_7f4a_7c15 &+ 0x4a4d)
        if !hasBacklog, remembering.percent(30) { draft.memories(&remembering) }
        var ignoring = SeededGenerator(seed: seed &* 0x9e37_79b9_7f4a_7c15 &+ 0x16e0)
        if !hasBacklog, ignoring.percent(25) { draft.ignorants(&ignoring) }
        asksWhenCancelled = ignoring.percent(40)
        requests = draft.requests
        events = draft.ordered
        // The first slot is never scoped, so that one process can claim everything.
        var scoping = SeededGenerator(seed: seed &* 0x9e37_79b9_7f4a_7c15 &+ 0x5c09)
        if slots > 1, scoping.percent(20) { scopedSlot = slots - 1 }
    }
}

extension RetryPolicy {
    /// Creates a random retry policy. It is the default policy, a policy without retries, or a policy with other limits
    /// or delays.
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
    /// Creates a random rate limit of an account. Returns `nil` for most accounts.
    fileprivate init?(drawnFrom random: inout SeededGenerator) {
        guard random.percent(45) else { return nil }
        self.init(
            requestsPerMinute: random.percent(85) ? Double(random.within(12...240)) : nil,
            unitsPerMinute: random.percent(30) ? Double(random.within(120...2400)) : nil,
            burst: Double(random.within(0...20)) / 100, isEstimate: random.percent(30))
    }
}
