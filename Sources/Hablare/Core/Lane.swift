import Foundation

/// One provider's part of the engine: its calls in flight, its queue in this process, and its backlog in the store.
///
/// The backlog stays in the store, and the queue is a small part (a window) of it. A process leases only as many
/// flights as it has room for, and as it will begin within half a second. Several processes therefore share a backlog
/// of slow calls evenly. Fast calls need not wait for the store, and a million waiting requests need no memory.
///
/// While its breaker is open, a lane leases only one flight for a probe, when the probe is due. It leaves the other
/// flights in the store, because the provider may still answer another process.
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
    /// The number of slots in the window that are promised to submissions being committed.
    var promised = 0
    var backlog = Backlog.possible
    var due: Date?
    /// The number of flights taken from the store. This number decides which priority is next.
    private(set) var roundOffset = 0
    /// The maximum number of flights to take beyond the free slots. It is never more than the number of calls that the
    /// account's rate allows in half a second.
    private let largestLookahead: Int
    /// The maximum number of flights to take for free slots: as many as the account's rate allows in half a second, and
    /// at least one.
    private let largestRoom: Int
    /// The average duration of a call in seconds, weighted towards recent calls. `nil` before the first call has ended.
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

    /// Whether a new call could be sent at once, because no other call waits.
    var isIdle: Bool { queue.isEmpty && promised == 0 && breaker.isClosed && gate.hasRoom }

    private func window(now: Date) -> Int {
        if breaker.isClosed { return min(gate.room, largestRoom) + lookahead }
        return breaker.next(now: now) == nil ? min(gate.room, 1) : 0
    }

    func room(now: Date) -> Int { max(0, window(now: now) - queue.count - promised) }

    /// Returns whether to claim more flights. Returns `true` early enough, so that the queue does not become empty
    /// during the claim.
    func wantsMore(now: Date) -> Bool {
        backlog == .possible && room(now: now) >= (breaker.isClosed ? max(1, lookahead / 2) : 1)
    }

    /// Removes and returns the queued flights that cannot be sent before the provider has answered a probe.
    mutating func takeSpare(now: Date) -> [QueuedFlight] {
        guard !breaker.isClosed else { return [] }
        let window = window(now: now)
        guard queue.count > window else { return [] }
        let probe = window > 0 ? queue.popFirst() : nil
        let spare = queue.removeAll()
        if let probe { queue.append(probe, priority: probe.request.priority) }
        return spare
    }

    /// The maximum duration that counts in the average, in seconds. During a longer call, the machine may have slept.
    private static let longestCall = 10.0

    /// Adds the duration of a call to the average.
    mutating func callEnded(after seconds: Double) {
        // A negative duration comes from a clock that was set back and is ignored.
        guard seconds >= 0 else { return }
        let seconds = min(seconds, Self.longestCall)
        callSeconds = callSeconds.map { $0 + (seconds - $0) / 8 } ?? seconds
    }

    /// The number of flights to hold in addition to the free slots. These are the flights that will begin within half a
    /// second, at the average duration of a call. 0 while this duration is unknown.
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

    /// The calls that could be sent at once if there were permits, in order.
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
