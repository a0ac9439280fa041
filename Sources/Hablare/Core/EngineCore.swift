package import Foundation
import HablareSupport
import OrderedCollections

/// The part of the engine that makes all decisions.
///
/// It is a pure state machine. Its input is an event or the changes of a commit. Its output is a list of effects
/// (``apply(at:_:)``). It never waits, and never reads or writes a store. The current time is a parameter of its
/// methods.
///
/// It knows everything about the work of this process:
///
/// - a *lane* for each provider: the provider's queue in this process
/// - the attempts in flight and all deadlines
/// - the reasons for suspension
/// - the requests that are watched in this process
///
/// The journal passes the changes of each commit to the core in commit order (``committed(_:of:)``). The core therefore
/// handles all changes in one order. ``wake()`` returns the next time at which the core must be called. The core needs
/// no other timer.
///
/// The following statements are always true, whatever the order of events is:
///
/// - A lane never has more calls in flight than its provider's concurrency.
/// - A flight never occupies two slots.
/// - Every reserved slot is used or freed.
/// - A suspended lane starts nothing and claims nothing.
/// - The core never forgets waiting work while it is open. This applies to each lane that is not suspended and has a
///   waiting flight that this process may take. For such a lane, one of these statements is true:
///   - A call of the lane is in flight.
///   - An outstanding effect will lead to a call.
///   - ``wake()`` returns the time at which the lane continues.
package struct EngineCore: Sendable {
    /// An attempt of this process, with the slot that it occupies.
    struct Attempt: Sendable {
        let flight: QueuedFlight
        let startedAt: Date
        let timeout: Duration
        /// The number of the probe, if the attempt is a probe. A probe is a call that tests whether a failing provider
        /// works again.
        let probe: Breaker.Probe?
        var lifecycle: AttemptLifecycle

        var key: AttemptKey { AttemptKey(flight: flight.id, token: flight.lifecycle.token) }
    }

    enum Phase: Sendable {
        /// No attempt starts, because no engine runs or the engine shuts down.
        case closed
        case open
        /// The store cannot be written. No attempt starts until the store can be written again.
        case parked
    }

    package struct Configuration: Sendable {
        package var cancellationGrace: Duration
        package var scope: ClaimScope
        /// Whether other processes may use the store.
        package var isShared: Bool
        /// Whether to suspend an account after it refused a call for a reason that applies to every call.
        package var suspendsRefusingAccounts: Bool
        /// The maximum pause of an account that a provider can cause. If a provider asks for a longer pause, the pause
        /// is shortened to this value.
        package var longestPause: Duration

        package init(
            cancellationGrace: Duration = .seconds(5), scope: ClaimScope = .everything, isShared: Bool = false,
            suspendsRefusingAccounts: Bool = false, longestPause: Duration = .seconds(900)
        ) {
            self.cancellationGrace = cancellationGrace
            self.scope = scope
            self.isShared = isShared
            self.suspendsRefusingAccounts = suspendsRefusingAccounts
            self.longestPause = longestPause
        }
    }

    let configuration: Configuration
    var phase = Phase.closed
    /// Whether this process may hold leases that it does not know of, because the outcome of a commit is unknown. The
    /// process starts no attempt until it has registered again.
    package internal(set) var isUncertain = false
    /// The id under which this process is registered. It is kept as long as the process may hold leases.
    package internal(set) var owner: OwnerID?
    var suspensions = Suspensions()
    var suspendedAccounts: Set<AccountID> = []
    var lanes: OrderedDictionary<ProviderID, Lane>
    var accounts: [AccountID: Account]
    /// The attempts whose providers have not returned, or whose ends have not been recorded. A flight may have several
    /// attempts. The older attempts were abandoned, or their ends are being recorded.
    var attempts: [AttemptKey: Attempt] = [:]
    /// The attempts that occupy a slot, at most one for each flight.
    var slots: [FlightID: AttemptKey] = [:]
    var deadlines = KeyedHeap<AttemptKey, Duration>()
    /// Flights that were retried while their stopped attempt had not ended yet. They are queued again when the attempt
    /// ends.
    var deferred: [FlightID: QueuedFlight] = [:]
    /// The number of submissions in the current commit for which a slot is reserved.
    var placed = 0
    /// Leases that could not be returned to the store. After the next successful write, returning them is tried again.
    /// They also end when this process's registration ends.
    var unreturned: [QueuedFlight] = []
    var storeTasks = StoreTaskCount()
    /// The next deadline of a request, as far as this process knows.
    var nextExpiry: Date?
    var isSweeping = false
    package internal(set) var watched = WatchedRequests()
    /// The number of readers of answer streams.
    var readers = 0
    /// Whether the engine sends nothing to callers, because it was shut down or is suspended in the background.
    var isSilent = false
    var isListening = false
    package var isFollowed = false
    /// The lanes that may start or claim flights at the end of the current event, by index.
    private var touched: [Bool]
    var now = Moment(date: .distantPast, clock: .zero)
    var effects: [Effect] = []

    package init(lanes: [LaneDescription], configuration: Configuration = Configuration()) {
        self.configuration = configuration
        self.lanes = OrderedDictionary(
            lanes.map { ($0.provider, Lane($0)) }, uniquingKeysWith: { first, _ in first })
        accounts = Dictionary(
            lanes.map { ($0.account, Account(id: $0.account, limit: $0.rate)) }, uniquingKeysWith: { first, _ in first }
        )
        touched = Array(repeating: false, count: self.lanes.count)
    }

    // MARK: Looking

    var isClosed: Bool { if case .closed = phase { true } else { false } }

    /// The number of flights that are queued or executed in this process.
    package var flightCount: Int { running + deferred.count + lanes.values.reduce(0) { $0 + $1.queue.count } }

    package var running: Int { slots.count }

    package var underWay: [AttemptKey] { slots.values.sorted() }

    /// The load of each lane.
    var loads: [LaneLoad] { lanes.values.map(\.load) }

    /// Returns whether the load of any lane has changed since the last call.
    mutating func takeLoadChange() -> Bool {
        var hasChanged = false
        for index in lanes.values.indices where lanes.values[index].takeLoadChange() { hasChanged = true }
        return hasChanged
    }

    /// Returns whether this process executes or watches the flight or request of a row. If so, the process needs the
    /// changes of this row.
    package func isOfInterest(_ row: ChangedRow) -> Bool {
        switch row {
        case .request(let id): watched.contains(id)
        case .flight(let id): slots[id] != nil || watched.hasMembers(of: id)
        case .account(let id): accounts[id] != nil
        }
    }

    /// All rows for which ``isOfInterest(_:)`` is true. The property is used to read all these rows again.
    package var rowsOfInterest: [ChangedRow] {
        slots.keys.sorted().map { .flight($0) } + watched.known.map { .request($0) } + accountRows
    }

    /// The rows of the accounts that this process may call.
    package var accountRows: [ChangedRow] { accounts.keys.sorted().map { .account($0) } }

    /// Whether no write that changes a lease of this process is in progress.
    var isQuiet: Bool { placed == 0 && storeTasks.count == 0 && !hasRecordings { _ in true } }

    func hasRecordings(where isMeant: (ProviderID) -> Bool) -> Bool {
        attempts.values.contains { $0.lifecycle.isBeingRecorded && isMeant($0.flight.provider) }
    }

    var hasUnrecordedEnds: Bool {
        attempts.values.contains(where: \.isUnrecorded)
    }

    // MARK: Events

    /// Applies an event.
    ///
    /// - Returns: The event's own result, and the effects in the order in which to perform them.
    package mutating func apply<Answer>(
        at now: Moment, _ event: (inout EngineCore) -> Answer
    ) -> (answer: Answer, effects: [Effect]) {
        self.now = now
        return (event(&self), takeEffects())
    }

    /// Lets the lanes that the event touched start calls and claim flights. Returns all effects of the event.
    mutating func takeEffects() -> [Effect] {
        for index in touched.indices where touched[index] {
            touched[index] = false
            fill(at: index)
        }
        updateListening()
        let taken = effects
        effects = []
        return taken
    }

    mutating func emit(_ event: @autoclosure () -> EngineEvent) {
        if isFollowed { effects.append(.event(event())) }
    }

    // MARK: Opening and closing

    /// Opens the core. The process must have been registered before, so that it may hold leases. If a shutdown was
    /// requested during the registration, the core stays closed.
    package mutating func opened(as owner: OwnerID) {
        self.owner = owner
        isUncertain = false
        guard case .closed = phase, suspensions.order != .end else { return }
        phase = .open
        backlogMayExist()
        emit(.registered(owner))
    }

    /// Closes the core for a shutdown or suspension. No more attempts start, and queued flights are returned to the
    /// store.
    package mutating func closed() {
        phase = .closed
        var queued: [QueuedFlight] = []
        for index in lanes.values.indices {
            queued += lanes.values[index].queue.removeAll()
            lanes.values[index].backlog = .possible
        }
        queued += deferred.values.sorted { $0.id < $1.id }
        deferred = [:]
        release(queued)
    }

    mutating func release(_ flights: [QueuedFlight]) {
        if !flights.isEmpty { effects.append(.release(flights)) }
    }

    /// Forgets the registration, because the process holds no leases any more and will deregister from the store.
    package mutating func retired() {
        owner = nil
        unreturned = []
    }

    /// Stops the core from starting attempts, because the store cannot be written. If a call started now, the store
    /// could not record it.
    package mutating func storeFailed(with error: any Error) {
        guard case .open = phase else { return }
        phase = .parked
        emit(.storeFailed(AIServiceError(storing: error)))
    }

    /// Continues after the store has been written again. The ends of attempts that are still unrecorded are recorded
    /// first. If calls started before these ends are recorded, their answers could be billed and lost.
    package mutating func storeRecovered() {
        release(unreturned)
        unreturned = []
        resumeRecordings()
        unpark()
    }

    mutating func resumeRecordings() {
        let resumed = attempts.keys.filter { attempts[$0]?.lifecycle.recordingResumed() == true }
        if !resumed.isEmpty { effects.append(.resumeRecording(resumed.sorted())) }
    }

    /// Opens a parked core when every unrecorded end has been recorded.
    mutating func unpark() {
        guard case .parked = phase, !isUncertain, !hasUnrecordedEnds else { return }
        phase = .open
        emit(.storeRecovered)
        backlogMayExist()
    }

    // MARK: Time

    /// Handles everything that waits for a time that may have come. Call this method after time has passed or the clock
    /// was set.
    ///
    /// - Parameter silenceLeft: A function that returns the time for which the provider of an attempt may still be
    ///   silent. `nil` if this time has passed.
    package mutating func timePassed(silenceLeft: (AttemptKey) -> Duration?) {
        for key in deadlines.popAll(through: now.clock) { deadlineReached(key, silence: silenceLeft(key)) }
        endGraces()
        sweepIfDue()
        touchAll()
    }

    /// Returns the clock's time at which ``timePassed(silenceLeft:)`` must be called next. Returns `nil` if nothing
    /// waits for a time.
    package mutating func wake() -> Duration? {
        var earliest = deadlines.first()
        func consider(_ time: Duration?) {
            if let time { earliest = min(earliest ?? time, time) }
        }
        consider(nextGraceEnd)
        guard case .open = phase else { return earliest }
        if !isSweeping, let date = nextExpiry { consider(now.time(of: date)) }
        if let date = nextLaneDate(after: now.date) { consider(now.time(of: date)) }
        return earliest
    }

    /// Returns the next date at which a lane can continue.
    private func nextLaneDate(after now: Date) -> Date? {
        var earliest: Date?
        func consider(_ date: Date?) {
            if let date, date < .distantFuture { earliest = min(earliest ?? date, date) }
        }
        for index in lanes.values.indices where !isLaneSuspended(at: index) {
            consider(lanes.values[index].due)
            guard lanes.values[index].gate.hasRoom else { continue }
            if let next = lanes.values[index].breaker.next(now: now) {
                // The flight for a probe is leased when the probe is due.
                if lanes.values[index].backlog == .possible || !lanes.values[index].queue.isEmpty { consider(next) }
            } else if !lanes.values[index].queue.isEmpty {
                consider(accounts[lanes.values[index].account]?.nextAdmission)
            }
        }
        return earliest
    }

    /// Starts a sweep of requests whose deadline has passed. Only one sweep runs at a time.
    mutating func sweepIfDue() {
        guard case .open = phase, !isSweeping, let date = nextExpiry, date <= now.date else { return }
        isSweeping = true
        effects.append(.sweep)
    }

    /// Ends a sweep, which ends the requests whose deadline has passed. If the sweep failed, the next renewal of the
    /// registration repeats it. If requests with a passed deadline are left, another sweep follows at once.
    package mutating func swept(isFailed: Bool) {
        isSweeping = false
        if isFailed { nextExpiry = nil }
        sweepIfDue()
    }

    // MARK: The backlog

    /// Marks every lane (provider queue) as possibly having waiting flights in the store. Call this method after a
    /// write that may have left a waiting flight of any provider.
    package mutating func backlogMayExist() {
        for index in lanes.values.indices { lanes.values[index].backlogMayExist() }
        touchAll()
    }

    /// Queues flights that this process has claimed.
    ///
    /// - Parameter putBack: The number of claimed flights that were returned to the store because they cannot be read
    ///   at the moment. More flights may wait after them.
    package mutating func claimed(
        _ flights: [QueuedFlight], putBack: Int = 0, nextDue: Date? = nil, by provider: ProviderID, asked: Int
    ) {
        guard let index = lanes.index(forKey: provider) else { return }
        if let nextDue { lanes.values[index].willBeDue(at: nextDue) }
        lanes.values[index].took(flights.count + putBack)
        // More may wait even if this answer has none: it may answer an older claim.
        let before = lanes.values[index].backlog
        let mayBeMore = before == .asked(more: true) || before == .possible || flights.count + putBack >= asked
        if !flights.isEmpty {
            emit(
                .claimed(
                    Dictionary(flights.map { ($0.id, $0.request.id) }, uniquingKeysWith: { first, _ in first }),
                    of: provider))
        } else if let nextDue {
            emit(.idle(provider, until: nextDue))
        }
        if givesBack(provider) {
            lanes.values[index].backlog = .possible
            return release(flights)
        }
        lanes.values[index].backlog = mayBeMore ? .possible : .none
        for flight in flights { lanes.values[index].queue.append(flight, priority: flight.request.priority) }
        touch(index)
    }

    /// Returns the position in the round of priorities at which the next claim for a provider begins. See
    /// ``ClaimQuery/roundOffset``.
    package func roundOffset(of provider: ProviderID) -> Int { lanes[provider]?.roundOffset ?? 0 }

    /// Handles a claim that failed. If the outcome of the claim is unknown, this process may hold leases that it does
    /// not know of.
    package mutating func claimFailed(by provider: ProviderID, with error: any Error) {
        lanes[provider]?.backlog = .possible
        if error.isUncertain { isUncertain = true }
        storeFailed(with: error)
    }

    // MARK: Permits

    /// Adds the permits that the store granted, and starts the calls that these permits allow.
    package mutating func granted(_ grant: PermitGrant, of account: AccountID) {
        let asker = accounts[account]?.asker
        accounts[account]?.granted(grant, now: now.date)
        if let next = grant.next { emit(.waiting(for: account, until: next)) }
        // The lane that asked sends first, then the others of the account ask, then the first may ask again. No lane
        // starves.
        let asking = asker.flatMap { lanes.index(forKey: $0) }
        if let asking { fill(at: asking, mayAsk: false) }
        for index in lanes.values.indices where lanes.values[index].account == account && index != asking {
            fill(at: index)
        }
        if let asking { fill(at: asking) }
    }

    package mutating func reserveFailed(of account: AccountID, with error: any Error) {
        accounts[account]?.askFailed()
        storeFailed(with: error)
    }

    // MARK: Choosing

    mutating func touch(_ index: Int) { touched[index] = true }

    mutating func touchAll() {
        for index in touched.indices { touched[index] = true }
    }

    /// Starts the flights of a lane that can start now. Requests the permits and the flights that the lane needs.
    /// Changes the lane in place, because a copy of the lane would also copy its queue.
    private mutating func fill(at index: Int, mayAsk: Bool = true) {
        guard case .open = phase, !isLaneSuspended(at: index) else { return }
        lanes.values[index].timePassed(now.date)
        while lanes.values[index].gate.hasRoom, let flight = lanes.values[index].queue.first {
            guard slots[flight.id] == nil else {
                _ = lanes.values[index].queue.popFirst()
                // Claims may be answered out of order. The newer lease is the valid one.
                if deferred[flight.id].map({ $0.key < flight.key }) ?? true { deferred[flight.id] = flight }
                continue
            }
            guard lanes.values[index].breaker.next(now: now.date) == nil else { break }
            let admission = accounts[lanes.values[index].account]?.admit(cost: flight.cost, now: now.date) ?? .admitted
            if admission == .ask, mayAsk { reserve(forLane: index) }
            guard admission == .admitted else { break }
            _ = lanes.values[index].queue.popFirst()
            _ = lanes.values[index].gate.enter()
            begin(flight, in: index, isJournalled: false)
            effects.append(.start(flight))
        }
        let spare = lanes.values[index].takeSpare(now: now.date)
        if !spare.isEmpty {
            lanes.values[index].backlogMayExist()
            release(spare)
        }
        if configuration.scope != .nothing, lanes.values[index].wantsMore(now: now.date) {
            lanes.values[index].backlog = .asked(more: false)
            effects.append(.claim(lanes.values[index].provider, limit: lanes.values[index].room(now: now.date)))
        }
    }

    /// Reserves permits for the calls that can be sent at once. Reserves at most the permits of one second, because
    /// other processes may need permits, too.
    private mutating func reserve(forLane index: Int) {
        let account = lanes.values[index].account
        guard let limit = accounts[account]?.limit else { return }
        accounts[account]?.asked(by: lanes.values[index].provider)
        let block = limit.requestsPerMinute.map { Int(max(1, min($0 / 60, Double(Account.largestBlock)))) }
        // A provider that is probed gets one call.
        let most = lanes.values[index].breaker.isClosed ? block ?? Account.largestBlock : 1
        let costs = lanes.values[index].upcoming.prefix(most).map(\.cost)
        effects.append(.reserve(PermitRequest(account: account, limit: limit, costs: costs)))
    }
}

extension EngineCore.Attempt {
    /// Whether writing the attempt's end to the store has failed so far.
    var isUnrecorded: Bool { lifecycle.recording.map { $0.failures > 0 } ?? false }
}

struct StoreTaskCount: Sendable {
    private(set) var count = 0
    /// The number of these operations that may take or return leases of a provider that needs the network, or start a
    /// call of such a provider.
    private(set) var online = 0

    mutating func began(needsNetwork: Bool) {
        count += 1
        if needsNetwork { online += 1 }
    }

    mutating func ended(needsNetwork: Bool) {
        count -= 1
        if needsNetwork { online -= 1 }
    }
}
