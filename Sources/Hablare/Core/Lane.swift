import Foundation

/// One provider's share of the dispatch: who is under way, who is queued here, and whether the store has more.
///
/// The queue is a window onto the backlog, which stays in the store: a process leases only what it has room for and what
/// it will have begun within half a second, so several processes share a backlog of slow calls to the last one, fast
/// calls need not wait for the store, and a million waiting requests cost no memory. While its provider is left alone
/// here, a lane leases nothing but a probe, when that is due: the provider may answer another process.
struct Lane: Sendable {
    enum Backlog: Sendable, Hashable {
        case none
        case possible
        /// They are being asked for; `more` when new ones may have come since.
        case asked(more: Bool)
    }

    let provider: ProviderID
    let account: AccountID
    let needsNetwork: Bool
    let attemptTimeout: Duration
    var gate: ConcurrencyGate
    var breaker: Breaker
    var queue = FairQueue<QueuedFlight>()
    /// Places of the window promised to submissions that are being committed.
    var promised = 0
    var backlog = Backlog.possible
    var due: Date?
    /// How many were taken from the store: the classes have turns.
    private(set) var turn = 0
    /// How many may be held beyond what there is room for: never more than the account lets begin in half a second.
    private let largestLookahead: Int
    /// How many to hold for the places that are free: what the account lets begin in half a second, and at least one.
    private let largestRoom: Int
    /// How long calls take, the latest counting most; `nil` before the first one ended.
    private var callSeconds: Double?
    /// The load at the last call of ``takeLoadChange()``; `nil` before the first.
    private var knownLoad: LaneLoad?

    init(_ description: LaneDescription) {
        provider = description.provider
        account = description.account
        needsNetwork = description.needsNetwork
        attemptTimeout = description.attemptTimeout
        gate = ConcurrencyGate(limit: description.concurrency)
        let perHalfSecond = description.rate?.requestsPerMinute.map { Int(max(0, min($0 / 120, 1_000_000))) }
        largestLookahead = min(
            max(16, min(description.concurrency, 1_000_000) * 4), perHalfSecond ?? .max)
        largestRoom = max(1, perHalfSecond ?? 1_000_000)
        breaker = Breaker(description.breaker)
    }

    /// How much there is to do.
    var load: LaneLoad { LaneLoad(provider: provider, queued: queue.count, running: gate.inUse) }

    /// Returns whether the load is another than at the last call.
    mutating func takeLoadChange() -> Bool {
        guard knownLoad?.queued != queue.count || knownLoad?.running != gate.inUse else { return false }
        knownLoad = load
        return true
    }

    /// Whether a new call could be sent before all others.
    var isIdle: Bool { queue.isEmpty && promised == 0 && breaker.isClosed && gate.hasRoom }

    private func window(now: Date) -> Int {
        if breaker.isClosed { return min(gate.room, largestRoom) + lookahead }
        return breaker.next(now: now) == nil ? min(gate.room, 1) : 0
    }

    func room(now: Date) -> Int { max(0, window(now: now) - queue.count - promised) }

    /// Whether to ask the store for more: early, so that the lane does not run dry during the commit.
    func wantsMore(now: Date) -> Bool {
        backlog == .possible && room(now: now) >= (breaker.isClosed ? max(1, lookahead / 2) : 1)
    }

    /// Takes what is queued here and cannot be sent before its provider has answered a probe.
    mutating func takeSpare(now: Date) -> [QueuedFlight] {
        guard !breaker.isClosed else { return [] }
        let window = window(now: now)
        guard queue.count > window else { return [] }
        let probe = window > 0 ? queue.popFirst() : nil
        let spare = queue.removeAll()
        if let probe { queue.append(probe, priority: probe.request.priority) }
        return spare
    }

    /// What a call counts for at most, in seconds, in the average: the machine may have slept meanwhile.
    private static let longestCall = 10.0

    /// A call ended after so long.
    mutating func callEnded(after seconds: Double) {
        // A clock that was set back says nothing.
        guard seconds >= 0 else { return }
        let seconds = min(seconds, Self.longestCall)
        callSeconds = callSeconds.map { $0 + (seconds - $0) / 8 } ?? seconds
    }

    /// How many to hold beyond what there is room for: what begins within half a second while calls take as long as they
    /// do; none as long as nothing is known of that.
    private var lookahead: Int {
        guard let callSeconds else { return 0 }
        let pace = Double(gate.limit) * 0.5 / max(callSeconds, 1e-9)
        return Int(min(pace, Double(largestLookahead)))
    }

    mutating func took(_ count: Int) { turn = (turn &+ count) & .max }

    mutating func backlogMayExist() {
        switch backlog {
        case .none: backlog = .possible
        case .asked: backlog = .asked(more: true)
        case .possible: break
        }
    }

    mutating func willBeDue(at date: Date) {
        due = min(due ?? date, date)
    }

    mutating func timePassed(_ now: Date) {
        guard let date = due, date <= now else { return }
        due = nil
        backlogMayExist()
    }

    /// The calls that could be sent at once if there were permits, in their order.
    var upcoming: [QueuedFlight] {
        queue.prefix(min(gate.room, Account.largestBlock))
    }
}

package struct LaneDescription: Sendable {
    package var provider: ProviderID
    package var concurrency: Int
    package var account: AccountID
    package var rate: RateLimit?
    package var breaker: BreakerPolicy
    package var needsNetwork: Bool
    package var attemptTimeout: Duration

    package init(
        provider: ProviderID, concurrency: Int, account: AccountID? = nil, rate: RateLimit? = nil,
        breaker: BreakerPolicy = BreakerPolicy(), needsNetwork: Bool = true, attemptTimeout: Duration = .seconds(30)
    ) {
        self.provider = provider
        self.concurrency = concurrency
        self.account = account ?? AccountID(rawValue: provider.rawValue)
        self.rate = rate
        self.breaker = breaker
        self.needsNetwork = needsNetwork
        self.attemptTimeout = attemptTimeout
    }
}
