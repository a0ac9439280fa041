package import Foundation
import OrderedCollections

/// Chooses what runs next. Pure: told what happened, answers with what to do; never waits, reads or writes.
///
/// Invariants, whatever is told in whatever order: a lane never has more flights under way than its provider's
/// concurrency; a flight is never in two places; every place that was promised is taken or given back; a lane that
/// rests starts nothing and asks for nothing; and while the core is open and something waits that it may take, in a
/// lane that does not rest, either a flight is under way in that lane, or an effect that will lead to one is
/// outstanding, or ``wake(after:)`` says when time will.
package struct DispatchCore: Sendable {
    /// A flight under way.
    struct Call: Sendable {
        let provider: ProviderID
        let token: Int64
        let startedAt: Date
        /// The probe that it is, which shows if a provider that failed works again.
        let probe: Breaker.Probe?
    }

    enum Phase: Sendable {
        case closed
        case open
        case parked
    }

    var phase = Phase.closed
    /// Why lanes rest.
    var suspensions: Set<SuspensionReason> = []
    var lanes: OrderedDictionary<ProviderID, Lane>
    var accounts: [AccountID: Account]
    var underWay: [FlightID: Call] = [:]
    /// Flights that came back (retried) while their stopped attempt has not ended yet. They queue again when it has.
    var deferred: [FlightID: QueuedFlight] = [:]
    /// Submissions that hold a promised place and of which nothing was heard since.
    var unheard = 0
    /// Flights of which a lease ended while submissions were unheard of, with that lease's token: one of them may be
    /// theirs, and what was cancelled, or retried since, is not sent, whichever news comes first.
    var endedUnheard: [FlightID: Int64] = [:]

    package init(lanes: [LaneDescription]) {
        self.lanes = OrderedDictionary(
            lanes.map { ($0.provider, Lane($0)) }, uniquingKeysWith: { first, _ in first })
        accounts = Dictionary(
            lanes.map { ($0.account, Account(id: $0.account, limit: $0.rate)) }, uniquingKeysWith: { first, _ in first }
        )
    }

    /// Flights that are queued here or under way.
    package var held: Int { underWay.count + deferred.count + lanes.values.reduce(0) { $0 + $1.queue.count } }

    /// Flights under way.
    package var running: Int { underWay.count }

    /// How much there is to do, lane by lane.
    var loads: [LaneLoad] {
        lanes.values.map { LaneLoad(provider: $0.provider, queued: $0.queue.count, running: $0.gate.inUse) }
    }

    // MARK: Opening and closing

    /// The process is registered and may hold leases.
    package mutating func opened(now: Date) -> [Effect] {
        guard case .closed = phase else { return [] }
        phase = .open
        return backlogMayExist(now: now)
    }

    /// The process shuts down: nothing more is started, what is queued goes back.
    package mutating func closed() -> [Effect] {
        phase = .closed
        var queued: [QueuedFlight] = []
        for provider in lanes.keys {
            queued += lanes[provider]?.queue.removeAll() ?? []
            lanes[provider]?.backlog = .possible
        }
        queued += deferred.values.sorted { $0.id < $1.id }
        deferred = [:]
        return queued.isEmpty ? [] : [.release(queued)]
    }

    /// The store cannot be written: starting anything would send what cannot be recorded.
    package mutating func storeFailed() {
        if case .open = phase { phase = .parked }
    }

    /// The store was written again.
    package mutating func storeRecovered(now: Date) -> [Effect] {
        guard case .parked = phase else { return [] }
        phase = .open
        return backlogMayExist(now: now)
    }

    // MARK: Time

    /// Time has passed, or the clock was set: whatever waited for a date is looked at.
    package mutating func timePassed(now: Date) -> [Effect] {
        var effects: [Effect] = []
        for provider in lanes.keys { effects += fill(provider, now: now) }
        return effects
    }

    /// When ``timePassed(now:)`` is to be called next; `nil` when nothing waits for time alone.
    package func wake(after now: Date) -> Date? {
        guard case .open = phase else { return nil }
        var earliest: Date?
        func consider(_ date: Date?) {
            if let date, date < .distantFuture { earliest = min(earliest ?? date, date) }
        }
        for index in lanes.values.indices where !rests(at: index) {
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

    // MARK: The backlog

    /// Something was written that may wait for this process.
    package mutating func backlogMayExist(now: Date) -> [Effect] {
        var effects: [Effect] = []
        for provider in lanes.keys {
            lanes[provider]?.backlogMayExist()
            effects += fill(provider, now: now)
        }
        return effects
    }

    /// The store answered a claim.
    ///
    /// - Parameter putBack: How many were taken besides, and let wait again because they cannot be read: there may be
    ///   more behind them.
    package mutating func claimed(
        _ flights: [QueuedFlight], putBack: Int = 0, nextDue: Date? = nil, by provider: ProviderID, asked: Int,
        now: Date
    ) -> [Effect] {
        guard let index = lanes.index(forKey: provider) else { return [] }
        if let nextDue { lanes.values[index].willBeDue(at: nextDue) }
        lanes.values[index].took(flights.count + putBack)
        // Also where more may exist already: this may be the answer to an older question.
        let before = lanes.values[index].backlog
        let mayBeMore = before == .asked(more: true) || before == .possible || flights.count + putBack >= asked
        if givesBack(provider) {
            lanes.values[index].backlog = .possible
            return flights.isEmpty ? [] : [.release(flights)]
        }
        lanes.values[index].backlog = mayBeMore ? .possible : .none
        for flight in flights {
            if lanes.values[index].unheard > 0 { leaseEnded(flight.id, token: flight.lifecycle.token - 1) }
            lanes.values[index].queue.append(flight, priority: flight.request.priority)
        }
        return fill(provider, now: now)
    }

    /// A flight of this provider waits in the store again, and may be taken from a date on.
    package mutating func postponed(_ provider: ProviderID, until date: Date, now: Date) -> [Effect] {
        lanes[provider]?.willBeDue(at: date)
        return fill(provider, now: now)
    }

    /// The store could not answer a claim.
    package mutating func claimFailed(by provider: ProviderID) {
        lanes[provider]?.backlog = .possible
        storeFailed()
    }

    // MARK: Permits

    /// The store answered a reservation.
    package mutating func granted(_ grant: PermitGrant, of account: AccountID, now: Date) -> [Effect] {
        let asker = accounts[account]?.asker
        accounts[account]?.granted(grant, now: now)
        let others = lanes.values.filter { $0.account == account && $0.provider != asker }.map(\.provider)
        // The asker sends what it asked for, then the others of the account ask, then it may again: nobody is starved.
        var effects = asker.map { fill($0, mayAsk: false, now: now) } ?? []
        for provider in others { effects += fill(provider, now: now) }
        return effects + (asker.map { fill($0, now: now) } ?? [])
    }

    /// The store could not answer a reservation.
    package mutating func reserveFailed(of account: AccountID) {
        accounts[account]?.askFailed()
        storeFailed()
    }

    // MARK: Flights under way

    /// The call is over, and what came of it says this; its place is not free before it is recorded.
    package mutating func cameBack(_ flight: FlightID, _ end: CallEnd, now: Date) -> [Effect] {
        guard let call = underWay[flight] else { return [] }
        return learn(end, from: call, now: now) + fill(call.provider, now: now)
    }

    /// The attempt is over, or was refused at its start: its place is free.
    package mutating func ended(_ flight: FlightID, _ end: CallEnd = .notSent, now: Date) -> [Effect] {
        guard let call = underWay.removeValue(forKey: flight) else { return [] }
        let provider = call.provider
        lanes[provider]?.gate.leave()
        if end.showsPace { lanes[provider]?.callEnded(after: now.timeIntervalSince(call.startedAt)) }
        if let again = deferred.removeValue(forKey: flight) {
            lanes[provider]?.queue.append(again, priority: again.request.priority)
        }
        return learn(end, from: call, now: now) + fill(provider, now: now)
    }

    private mutating func learn(_ end: CallEnd, from call: Call, now: Date) -> [Effect] {
        guard let account = lanes[call.provider]?.account else { return [] }
        let failing =
            lanes[call.provider]?.breaker.ended(end.health, probe: call.probe, now: now) ?? .unchanged
        if let until = end.pausedUntil { accounts[account]?.pause(until: until, now: now) }
        if let most = end.limits?.concurrency { lanes[call.provider]?.gate.learned(limit: most) }
        let limits = end.limits?.ofAccount
        if limits != nil { accounts[account]?.limitsReported(now: now) }
        guard failing != .unchanged || end.pausedUntil != nil || limits != nil else { return [] }
        return [
            .report(AccountReport(account: account, limits: limits, pausedUntil: end.pausedUntil, failing: failing))
        ]
    }

    /// The attempt could not be journalled, so it was not sent: it is queued again until the store recovers.
    package mutating func startFailed(_ flight: QueuedFlight, now: Date) -> [Effect] {
        storeFailed()
        guard let call = underWay.removeValue(forKey: flight.id) else { return [] }
        let provider = call.provider
        leave(provider, unspent: flight.cost)
        _ = lanes[provider]?.breaker.ended(.unknown, probe: call.probe, now: now)
        let flight = deferred.removeValue(forKey: flight.id) ?? flight
        if givesBack(provider) { return [.release([flight])] }
        lanes[provider]?.queue.append(flight, priority: flight.request.priority)
        return []
    }

    /// The flight's last member was cancelled while the flight's token was the given one. A newer lease, which a retry
    /// led to before this was told, is not touched.
    package mutating func cancelled(_ flight: FlightID, token: Int64, now: Date) -> [Effect] {
        leaseEnded(flight, token: token)
        if let again = deferred[flight], again.lifecycle.token <= token { deferred[flight] = nil }
        if let attempt = underWay[flight] { return attempt.token <= token ? [.stop(flight)] : [] }
        for provider in lanes.keys
        where lanes[provider]?.queue.remove(where: { $0.id == flight && $0.lifecycle.token <= token }) != nil {
            return fill(provider, now: now)
        }
        return []
    }

    // MARK: Choosing

    /// Starts what may be started, and asks for what that takes. In place: a copy of a lane would copy its queue.
    mutating func fill(_ provider: ProviderID, mayAsk: Bool = true, now: Date) -> [Effect] {
        guard case .open = phase, let index = lanes.index(forKey: provider), !rests(at: index) else {
            return []
        }
        var effects: [Effect] = []
        lanes.values[index].timePassed(now)
        while lanes.values[index].gate.hasRoom, let flight = lanes.values[index].queue.first {
            guard underWay[flight.id] == nil else {
                deferred[flight.id] = lanes.values[index].queue.popFirst()
                continue
            }
            guard lanes.values[index].breaker.next(now: now) == nil else { break }
            let admission = accounts[lanes.values[index].account]?.admit(cost: flight.cost, now: now) ?? .admitted
            if admission == .ask, mayAsk { effects += reserve(forLane: index) }
            guard admission == .admitted else { break }
            _ = lanes.values[index].queue.popFirst()
            _ = lanes.values[index].gate.enter()
            underWay[flight.id] = Call(
                provider: provider, token: flight.lifecycle.token, startedAt: now,
                probe: lanes.values[index].breaker.sent())
            effects.append(.start(flight))
        }
        let spare = lanes.values[index].takeSpare(now: now)
        if !spare.isEmpty {
            lanes.values[index].backlogMayExist()
            effects.append(.release(spare))
        }
        if lanes.values[index].wantsMore(now: now) {
            lanes.values[index].backlog = .asked(more: false)
            effects.append(.claim(provider, limit: lanes.values[index].room(now: now)))
        }
        return effects
    }

    /// Asks for what can be sent at once, and for no more than a second's worth: others may want to send, too.
    private mutating func reserve(forLane index: Int) -> [Effect] {
        let account = lanes.values[index].account
        guard let limit = accounts[account]?.limit else { return [] }
        accounts[account]?.asked(by: lanes.values[index].provider)
        let block = limit.requestsPerMinute.map { Int(max(1, min($0 / 60, Double(Account.largestBlock)))) }
        // A provider that is probed gets one call.
        let most = lanes.values[index].breaker.isClosed ? block ?? Account.largestBlock : 1
        let costs = lanes.values[index].upcoming.prefix(most).map(\.cost)
        return [.reserve(PermitRequest(account: account, limit: limit, costs: costs))]
    }
}
