package import Foundation
import OrderedCollections

/// Decides what the engine does. Pure: an event or a commit's changes go in, effects come out (``apply(at:_:)``). It never
/// waits, reads or writes, and the time is a parameter.
///
/// It owns everything that one process has to know of its work: the lanes of its providers, the attempts under way, all
/// deadlines, the reasons to suspend work, and the requests that someone here watches. The journal hands it the changes of
/// each commit in commit order (``committed(_:of:)``), so that news has one order; ``wake()`` is its one timer.
///
/// Invariants, whatever the order of events: a lane never has more calls under way than its provider's concurrency; a
/// flight is never in two places; every place that was promised is taken or given back; a suspended lane starts nothing and
/// asks for nothing; and while the core is open and something waits that it may take, in a lane that is not suspended,
/// either a flight is under way in that lane, or an effect that will lead to one is outstanding, or ``wake()`` says
/// when time will.
package struct EngineCore: Sendable {
    /// An attempt of this process, with the place that it takes.
    struct Attempt: Sendable {
        let flight: QueuedFlight
        let startedAt: Date
        let timeout: Duration
        /// The probe that it is, which shows whether a provider that failed works again.
        let probe: Breaker.Probe?
        var lifecycle: AttemptLifecycle

        var key: AttemptKey { AttemptKey(flight: flight.id, token: flight.lifecycle.token) }
    }

    enum Phase: Sendable {
        /// Nothing is started: no engine runs, or it shuts down.
        case closed
        case open
        /// The store cannot be written: nothing is started until it can.
        case parked
    }

    package struct Configuration: Sendable {
        package var cancellationGrace: Duration
        package var scope: ClaimScope
        /// Whether other processes may use the store.
        package var isShared: Bool
        /// Whether an account that refuses a call as it would every other is called no more.
        package var suspendsRefusingAccounts: Bool
        /// The most that a provider's wish for a pause is kept to.
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
    /// Whether the process may hold leases that it does not know of, because the outcome of a commit is unknown: it starts
    /// nothing until it has registered again.
    package internal(set) var isUncertain = false
    /// The process's registration while it may hold leases.
    package internal(set) var owner: OwnerID?
    var suspensions = Suspensions()
    var suspendedAccounts: Set<AccountID> = []
    var lanes: OrderedDictionary<ProviderID, Lane>
    var accounts: [AccountID: Account]
    /// The attempts whose providers have not returned, or whose ends are not recorded. A flight may have several: its older
    /// ones were abandoned, or are being recorded.
    var attempts: [AttemptKey: Attempt] = [:]
    /// The attempts that take a place; one of a flight at most.
    var places: [FlightID: AttemptKey] = [:]
    var deadlines = KeyedHeap<AttemptKey, Duration>()
    /// Flights that were retried while their stopped attempt has not ended yet. They queue again when it has.
    var deferred: [FlightID: QueuedFlight] = [:]
    /// Submissions of the commit under way that hold a place.
    var placed = 0
    /// Leases that could not be given back. Tried again when the store was written; they end with the registration.
    var unreturned: [QueuedFlight] = []
    var storeTasks = StoreTaskCount()
    /// When the next request runs out of time, as far as is known here.
    var nextExpiry: Date?
    var isSweeping = false
    package internal(set) var watched = WatchedRequests()
    /// How many readers of streams there are.
    var readers = 0
    /// Whether nothing is announced: the engine was shut down, or rests in the background.
    var isSilent = false
    var isListening = false
    package var isFollowed = false
    /// The lanes that are to be filled at the end of the event.
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

    /// Flights that are queued here or under way.
    package var held: Int { running + deferred.count + lanes.values.reduce(0) { $0 + $1.queue.count } }

    package var running: Int { places.count }

    package var underWay: [AttemptKey] { places.values.sorted() }

    /// How much there is to do, lane by lane.
    var loads: [LaneLoad] { lanes.values.map(\.load) }

    /// Returns whether the load of a lane is another than at the last call.
    mutating func takeLoadChange() -> Bool {
        var hasChanged = false
        for index in lanes.values.indices where lanes.values[index].takeLoadChange() { hasChanged = true }
        return hasChanged
    }

    /// Whether anyone here runs or watches a row, so that its changes are of interest.
    package func isOfInterest(_ row: ChangedRow) -> Bool {
        switch row {
        case .request(let id): watched.contains(id)
        case .flight(let id): places[id] != nil || watched.hasMembers(of: id)
        case .account(let id): accounts[id] != nil
        }
    }

    /// The rows of interest, for a look at all of them.
    package var rowsOfInterest: [ChangedRow] {
        places.keys.sorted().map { .flight($0) } + watched.known.map { .request($0) } + accountRows
    }

    /// The rows of the accounts that may be called.
    package var accountRows: [ChangedRow] { accounts.keys.sorted().map { .account($0) } }

    /// Whether nothing is on its way to the store that names this process as a holder.
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
    /// - Returns: The event's own answer, and its effects in the order in which they are to be carried out.
    package mutating func apply<Answer>(
        at now: Moment, _ event: (inout EngineCore) -> Answer
    ) -> (answer: Answer, effects: [Effect]) {
        self.now = now
        return (event(&self), takeEffects())
    }

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

    /// The process is registered and may hold leases. Where it was to shut down meanwhile, it takes none.
    package mutating func opened(as owner: OwnerID) {
        self.owner = owner
        isUncertain = false
        guard case .closed = phase, suspensions.order != .end else { return }
        phase = .open
        backlogMayExist()
        emit(.registered(owner))
    }

    /// The process shuts down: nothing more is started, what is queued goes back.
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

    /// The process is about to deregister, and holds nothing any more.
    package mutating func retired() {
        owner = nil
        unreturned = []
    }

    /// The store cannot be written: starting anything would send what cannot be recorded.
    package mutating func storeFailed(with error: any Error) {
        guard case .open = phase else { return }
        phase = .parked
        emit(.storeFailed(AIServiceError(storing: error)))
    }

    /// The store was written again: what could not be recorded is recorded first. Before that, more would be paid for
    /// that cannot be kept.
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

    /// Goes on once every end that the store had not taken is recorded.
    mutating func unpark() {
        guard case .parked = phase, !isUncertain, !hasUnrecordedEnds else { return }
        phase = .open
        emit(.storeRecovered)
        backlogMayExist()
    }

    // MARK: Time

    /// Time has passed, or the clock was set: whatever waited for it is looked at.
    ///
    /// - Parameter silenceLeft: How long the provider of an attempt may still be silent, as its output has it; `nil` where
    ///   that is over.
    package mutating func timePassed(silenceLeft: (AttemptKey) -> Duration?) {
        for key in deadlines.popAll(through: now.clock) { deadlineReached(key, silence: silenceLeft(key)) }
        endGraces()
        sweepIfDue()
        touchAll()
    }

    /// When ``timePassed(silenceLeft:)`` is to be called next, by the clock; `nil` when nothing waits for time alone.
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

    /// When a lane can go on by time alone.
    private func nextLaneDate(after now: Date) -> Date? {
        var earliest: Date?
        func consider(_ date: Date?) {
            if let date, date < .distantFuture { earliest = min(earliest ?? date, date) }
        }
        for index in lanes.values.indices where !isLaneSuspended(at: index) {
            consider(lanes.values[index].due)
            guard lanes.values[index].gate.hasRoom else { continue }
            if let next = lanes.values[index].breaker.next(now: now) {
                // What a probe needs is leased when it is due.
                if lanes.values[index].backlog == .possible || !lanes.values[index].queue.isEmpty { consider(next) }
            } else if !lanes.values[index].queue.isEmpty {
                consider(accounts[lanes.values[index].account]?.nextAdmission)
            }
        }
        return earliest
    }

    /// Has the requests ended whose deadline has come. One sweep at a time.
    mutating func sweepIfDue() {
        guard case .open = phase, !isSweeping, let date = nextExpiry, date <= now.date else { return }
        isSweeping = true
        effects.append(.sweep)
    }

    /// The sweep is over. Where it failed, the next renewal does it again; where it did not end all requests whose
    /// deadline has come, another one follows at once.
    package mutating func swept(isFailed: Bool) {
        isSweeping = false
        if isFailed { nextExpiry = nil }
        sweepIfDue()
    }

    // MARK: The backlog

    /// Something was written that may wait for any lane of this process.
    package mutating func backlogMayExist() {
        for index in lanes.values.indices { lanes.values[index].backlogMayExist() }
        touchAll()
    }

    /// The store answered a claim.
    ///
    /// - Parameter putBack: How many were taken besides, and let wait again because they cannot be read: there may be
    ///   more behind them.
    package mutating func claimed(
        _ flights: [QueuedFlight], putBack: Int = 0, nextDue: Date? = nil, by provider: ProviderID, asked: Int
    ) {
        guard let index = lanes.index(forKey: provider) else { return }
        if let nextDue { lanes.values[index].willBeDue(at: nextDue) }
        lanes.values[index].took(flights.count + putBack)
        // Also where more may exist already: this may be the answer to an older question.
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

    /// Which class has its turn when flights of a provider are asked for, see ``ClaimQuery/turn``.
    package func turn(of provider: ProviderID) -> Int { lanes[provider]?.turn ?? 0 }

    package mutating func claimFailed(by provider: ProviderID, with error: any Error) {
        lanes[provider]?.backlog = .possible
        if error.isUncertain { isUncertain = true }
        storeFailed(with: error)
    }

    // MARK: Permits

    package mutating func granted(_ grant: PermitGrant, of account: AccountID) {
        let asker = accounts[account]?.asker
        accounts[account]?.granted(grant, now: now.date)
        if let next = grant.next { emit(.waiting(for: account, until: next)) }
        // The asker sends what it asked for, then the others of the account ask, then it may again: no lane starves.
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

    /// Starts what may be started, and asks for what that takes. In place: a copy of a lane would copy its queue.
    private mutating func fill(at index: Int, mayAsk: Bool = true) {
        guard case .open = phase, !isLaneSuspended(at: index) else { return }
        lanes.values[index].timePassed(now.date)
        while lanes.values[index].gate.hasRoom, let flight = lanes.values[index].queue.first {
            guard places[flight.id] == nil else {
                _ = lanes.values[index].queue.popFirst()
                // Claims may be answered out of order; the newer lease is the one that stands.
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

    /// Asks for what can be sent at once, and for no more than a second's worth: others may want to send, too.
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
    /// Whether the store has failed to take its end.
    var isUnrecorded: Bool { lifecycle.recording.map { $0.failures > 0 } ?? false }
}

struct StoreTaskCount: Sendable {
    private(set) var count = 0
    /// How much of it may hold or give back leases of a provider that needs the network, or begin what does.
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
