import OrderedCollections

/// Chooses what runs next. Pure: told what happened, answers with what to do; never waits, reads or writes.
///
/// Invariants, whatever is told in whatever order: a lane never has more flights under way than its provider's
/// concurrency; a flight is never in two places; every place that was promised is taken or given back; and while the
/// core is open and something waits that it may take, either a flight is under way in that lane or an effect that
/// will lead to one is outstanding.
package struct DispatchCore: Sendable {
    /// What the shell is to do.
    package enum Effect: Sendable {
        /// Journal the attempt, then run it.
        case start(QueuedFlight)
        /// Run the attempt that its submission has journalled.
        case run(QueuedFlight)
        /// Ask the store for waiting flights, then tell ``DispatchCore/claimed(_:by:asked:)``.
        case claim(ProviderID, limit: Int)
        /// End the attempt: nobody wants its outcome.
        case stop(FlightID)
        /// Give unsent leases back to the store.
        case release([QueuedFlight])
    }

    /// How a submission is to be written.
    package enum Placement: Sendable, Hashable {
        /// Executing its first attempt: a place among the calls under way is kept for it.
        case start
        /// Leased: a place in the window is kept for it.
        case lease
        /// Waiting: it is for the store to keep.
        case leave
    }

    private enum Phase: Sendable {
        case closed
        case open
        case parked
    }

    private var phase = Phase.closed
    private var lanes: OrderedDictionary<ProviderID, Lane>
    private var underWay: [FlightID: (provider: ProviderID, token: Int64)] = [:]
    /// Flights that came back (retried) while their stopped attempt has not ended yet. They queue again when it has.
    private var deferred: [FlightID: QueuedFlight] = [:]
    /// Submissions that hold a promised place and of which nothing was heard since.
    private var unheard = 0
    /// Flights that were cancelled while submissions were unheard of: one of them may be theirs.
    private var cancelledUnheard: Set<FlightID> = []

    package init(lanes: [(provider: ProviderID, concurrency: Int)]) {
        self.lanes = OrderedDictionary(
            lanes.map { ($0.provider, Lane(concurrency: $0.concurrency)) }, uniquingKeysWith: { first, _ in first })
    }

    /// Flights that are queued here or under way.
    package var held: Int { underWay.count + deferred.count + lanes.values.reduce(0) { $0 + $1.queue.count } }

    /// Flights under way.
    package var running: Int { underWay.count }

    // MARK: Opening and closing

    /// The process is registered and may hold leases.
    package mutating func opened() -> [Effect] {
        guard case .closed = phase else { return [] }
        phase = .open
        return backlogMayExist()
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
    package mutating func storeRecovered() -> [Effect] {
        guard case .parked = phase else { return [] }
        phase = .open
        return backlogMayExist()
    }

    // MARK: Submissions

    /// A submission is about to be written: where does it go?
    package mutating func submitting(to provider: ProviderID) -> Placement {
        guard case .open = phase, var lane = lanes[provider] else { return .leave }
        defer { lanes[provider] = lane }
        guard lane.backlog == .none else {
            // Older work may wait in the store, and nobody overtakes within a class.
            lane.backlogMayExist()
            return .leave
        }
        if lane.queue.isEmpty, lane.promised == 0, lane.gate.enter() {
            unheard += 1
            return .start
        }
        guard lane.room > 0 else {
            lane.backlogMayExist()
            return .leave
        }
        lane.promised += 1
        unheard += 1
        return .lease
    }

    /// A submission is on disk as it was placed.
    package mutating func submitted(_ flight: QueuedFlight, as placement: Placement) -> [Effect] {
        let wasCancelled = heard(of: flight.id, placed: placement)
        switch placement {
        case .start where wasCancelled:
            lanes[flight.provider]?.gate.leave()
            return fill(flight.provider)
        case .lease where wasCancelled:
            lanes[flight.provider]?.promised -= 1
            return fill(flight.provider)
        case .start:
            guard case .closed = phase else {
                underWay[flight.id] = (flight.provider, flight.lifecycle.token)
                return [.run(flight)]
            }
            lanes[flight.provider]?.gate.leave()
            return [.release([flight])]
        case .lease:
            lanes[flight.provider]?.promised -= 1
            guard case .closed = phase else {
                lanes[flight.provider]?.queue.append(flight, priority: flight.request.priority)
                return fill(flight.provider)
            }
            return [.release([flight])]
        case .leave:
            // Again, now that it is on disk: the store may have answered since it was placed that it has nothing.
            lanes[flight.provider]?.backlogMayExist()
            return fill(flight.provider)
        }
    }

    /// A submission was not written, or was there before: its place is free.
    package mutating func submissionDropped(to provider: ProviderID, placement: Placement) -> [Effect] {
        _ = heard(of: nil, placed: placement)
        switch placement {
        case .start: lanes[provider]?.gate.leave()
        case .lease: lanes[provider]?.promised -= 1
        case .leave: break
        }
        return fill(provider)
    }

    /// Something was heard of a submission: was its flight cancelled before?
    private mutating func heard(of flight: FlightID?, placed placement: Placement) -> Bool {
        guard placement != .leave else { return false }
        unheard -= 1
        defer { if unheard == 0 { cancelledUnheard = [] } }
        return flight.map(cancelledUnheard.contains) ?? false
    }

    // MARK: The backlog

    /// Something was written that may wait for this process.
    package mutating func backlogMayExist() -> [Effect] {
        var effects: [Effect] = []
        for provider in lanes.keys {
            lanes[provider]?.backlogMayExist()
            effects += fill(provider)
        }
        return effects
    }

    /// The store answered a claim.
    package mutating func claimed(_ flights: [QueuedFlight], by provider: ProviderID, asked: Int) -> [Effect] {
        guard var lane = lanes[provider] else { return [] }
        // Also where more may exist already: this may be the answer to an older question.
        let mayBeMore = lane.backlog == .asked(more: true) || lane.backlog == .possible
        lane.backlog = mayBeMore || flights.count >= asked ? .possible : .none
        if case .closed = phase {
            lane.backlog = .possible
            lanes[provider] = lane
            return flights.isEmpty ? [] : [.release(flights)]
        }
        for flight in flights { lane.queue.append(flight, priority: flight.request.priority) }
        lanes[provider] = lane
        return fill(provider)
    }

    /// The store could not answer a claim.
    package mutating func claimFailed(by provider: ProviderID) {
        lanes[provider]?.backlog = .possible
        storeFailed()
    }

    // MARK: Flights under way

    /// The attempt is over, or was refused at its start: its place is free.
    package mutating func ended(_ flight: FlightID) -> [Effect] {
        guard let provider = underWay.removeValue(forKey: flight)?.provider else { return [] }
        lanes[provider]?.gate.leave()
        if let again = deferred.removeValue(forKey: flight) {
            lanes[provider]?.queue.append(again, priority: again.request.priority)
        }
        return fill(provider)
    }

    /// The attempt could not be journalled, so it was not sent: it is queued again until the store recovers.
    package mutating func startFailed(_ flight: QueuedFlight) -> [Effect] {
        storeFailed()
        guard let provider = underWay.removeValue(forKey: flight.id)?.provider else { return [] }
        lanes[provider]?.gate.leave()
        let flight = deferred.removeValue(forKey: flight.id) ?? flight
        if case .closed = phase { return [.release([flight])] }
        lanes[provider]?.queue.append(flight, priority: flight.request.priority)
        return []
    }

    /// The flight's last member was cancelled while the flight's token was the given one. A newer lease, which a retry
    /// led to before this was told, is not touched.
    package mutating func cancelled(_ flight: FlightID, token: Int64) -> [Effect] {
        if let again = deferred[flight], again.lifecycle.token <= token { deferred[flight] = nil }
        if let attempt = underWay[flight] { return attempt.token <= token ? [.stop(flight)] : [] }
        for provider in lanes.keys
        where lanes[provider]?.queue.remove(where: { $0.id == flight && $0.lifecycle.token <= token }) != nil {
            return fill(provider)
        }
        // Its submission may be on its way here: what was cancelled is not sent, whichever news comes first.
        if unheard > 0 { cancelledUnheard.insert(flight) }
        return []
    }

    // MARK: Choosing

    private mutating func fill(_ provider: ProviderID) -> [Effect] {
        guard case .open = phase, var lane = lanes[provider] else { return [] }
        var effects: [Effect] = []
        while lane.gate.hasRoom, let flight = lane.queue.popFirst() {
            guard underWay[flight.id] == nil else {
                deferred[flight.id] = flight
                continue
            }
            _ = lane.gate.enter()
            underWay[flight.id] = (provider, flight.lifecycle.token)
            effects.append(.start(flight))
        }
        // Asked for early, at half a window, so that the lane does not run dry during the commit.
        if lane.backlog == .possible, lane.room >= max(1, lane.window / 2) {
            lane.backlog = .asked(more: false)
            effects.append(.claim(provider, limit: lane.room))
        }
        lanes[provider] = lane
        return effects
    }
}
