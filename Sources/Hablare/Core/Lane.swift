import Foundation

/// The state of one provider in the engine: its calls in flight, its queue in this process, and whether flights wait in
/// the store.
///
/// Waiting flights stay in the store. The queue contains only a few of them. A process leases only the flights that it
/// can start at once or within about half a second. Several processes therefore share the waiting flights evenly if
/// calls are slow. If calls are fast, they need not wait for the store. A million waiting requests take no memory.
///
/// While the breaker is open, a lane leases only one flight, for the call that tests the provider (the probe), when
/// this call is due. The other flights stay in the store, because the provider may still answer another process.
struct Lane: Sendable {
    enum Backlog: Sendable, Hashable {
        /// No flight waits in the store.
        case none
        /// Flights may wait in the store.
        case possible
        /// A claim is in progress. `more` says whether new flights may have arrived since the claim began.
        case asked(more: Bool)
    }

    let provider: ProviderID
    let account: AccountID
    let needsNetwork: Bool
    let attemptTimeout: Duration
    var gate: ConcurrencyGate
    var breaker: Breaker
    var queue = FairQueue<QueuedFlight>()
    /// The number of places in the queue that are reserved for submissions that are being written.
    var promised = 0
    var backlog = Backlog.possible
    var due: Date?
    /// The number of flights taken from the store so far. It determines which priority is served next.
    private(set) var roundOffset = 0
    /// The maximum number of flights to take in addition to those for free slots. It is at most the number of calls
    /// that the account's rate limit allows in half a second.
    private let largestLookahead: Int
    /// The maximum number of flights to take for free slots: as many as the account's rate limit allows in half a
    /// second, and at least one.
    private let largestRoom: Int
    /// The average duration of a call in seconds. Recent calls count more. `nil` before the first call has ended.
    private var callSeconds: Double?
    /// The load at the last call of ``takeLoadChange()``. `nil` before the first call.
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

    /// The current load.
    var load: LaneLoad { LaneLoad(provider: provider, queued: queue.count, running: gate.inUse) }

    /// Returns whether the load has changed since the last call.
    mutating func takeLoadChange() -> Bool {
        guard knownLoad?.queued != queue.count || knownLoad?.running != gate.inUse else { return false }
        knownLoad = load
        return true
    }

    /// Whether a new call could be sent at once: no other call waits, a slot is free, and the breaker is closed.
    var isIdle: Bool { queue.isEmpty && promised == 0 && breaker.isClosed && gate.hasRoom }

    private func window(now: Date) -> Int {
        if breaker.isClosed { return min(gate.room, largestRoom) + lookahead }
        return breaker.next(now: now) == nil ? min(gate.room, 1) : 0
    }

    func room(now: Date) -> Int { max(0, window(now: now) - queue.count - promised) }

    /// Returns whether to claim more flights. It returns `true` before the queue is empty, so that the queue does not
    /// become empty during the claim.
    func wantsMore(now: Date) -> Bool {
        backlog == .possible && room(now: now) >= (breaker.isClosed ? max(1, lookahead / 2) : 1)
    }

    /// Removes and returns the queued flights that cannot be sent before a probe has succeeded.
    mutating func takeSpare(now: Date) -> [QueuedFlight] {
        guard !breaker.isClosed else { return [] }
        let window = window(now: now)
        guard queue.count > window else { return [] }
        let probe = window > 0 ? queue.popFirst() : nil
        let spare = queue.removeAll()
        if let probe { queue.append(probe, priority: probe.request.priority) }
        return spare
    }

    /// The maximum duration that counts in the average, in seconds. If a call took longer, the machine may have slept
    /// during the call.
    private static let longestCall = 10.0

    /// Adds the duration of a call to the average.
    mutating func callEnded(after seconds: Double) {
        // A negative duration comes from a clock that was set back and is ignored.
        guard seconds >= 0 else { return }
        let seconds = min(seconds, Self.longestCall)
        callSeconds = callSeconds.map { $0 + (seconds - $0) / 8 } ?? seconds
    }

    /// The number of flights to hold in addition to those for free slots. These are the flights that will start within
    /// half a second if calls take the average time. 0 while this duration is unknown.
    private var lookahead: Int {
        guard let callSeconds else { return 0 }
        let pace = Double(gate.limit) * 0.5 / max(callSeconds, 1e-9)
        return Int(min(pace, Double(largestLookahead)))
    }

    mutating func took(_ count: Int) { roundOffset = (roundOffset &+ count) & .max }

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

    /// The calls that lack only a permit, in order.
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
