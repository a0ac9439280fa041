package import Foundation
import OrderedCollections

/// Requests that are handed over to the lane of their provider while they are being written, so that they need no claim.
extension DispatchCore {
    /// A submission is about to be written: where does it go?
    package mutating func submitting(to provider: ProviderID, cost: Double, now: Date) -> Placement {
        guard case .open = phase, let index = lanes.index(forKey: provider), !rests(at: index) else {
            return .leave
        }
        guard lanes.values[index].backlog == .none, lanes.values[index].breaker.isClosed else {
            // Older work may wait in the store, and nobody overtakes within a class. And what cannot be sent from here
            // may be sent by others.
            lanes.values[index].backlogMayExist()
            return .leave
        }
        if lanes.values[index].isIdle, accounts[lanes.values[index].account]?.admit(cost: cost, now: now) == .admitted {
            _ = lanes.values[index].gate.enter()
            unheard += 1
            lanes.values[index].unheard += 1
            return .start
        }
        guard lanes.values[index].room(now: now) > 0 else {
            lanes.values[index].backlogMayExist()
            return .leave
        }
        lanes.values[index].promised += 1
        unheard += 1
        lanes.values[index].unheard += 1
        return .lease
    }

    /// A submission is on disk as it was placed.
    package mutating func submitted(_ flight: QueuedFlight, as placement: Placement, now: Date) -> [Effect] {
        let wasCancelled = heard(of: flight, for: flight.provider, placed: placement)
        switch placement {
        case .start where wasCancelled:
            leave(flight.provider, unspent: flight.cost)
            return fill(flight.provider, now: now)
        case .lease where wasCancelled:
            lanes[flight.provider]?.promised -= 1
            return fill(flight.provider, now: now)
        case .start:
            guard givesBack(flight.provider) else {
                underWay[flight.id] = Call(
                    provider: flight.provider, token: flight.lifecycle.token, startedAt: now, probe: nil)
                return [.run(flight)]
            }
            leave(flight.provider, unspent: flight.cost)
            return [.release([flight])]
        case .lease:
            lanes[flight.provider]?.promised -= 1
            guard givesBack(flight.provider) else {
                lanes[flight.provider]?.queue.append(flight, priority: flight.request.priority)
                return fill(flight.provider, now: now)
            }
            return [.release([flight])]
        case .leave:
            // Again, now that it is on disk: the store may have answered since it was placed that it has nothing.
            lanes[flight.provider]?.backlogMayExist()
            return fill(flight.provider, now: now)
        }
    }

    /// A place among the calls under way was kept for a call that is not made.
    mutating func leave(_ provider: ProviderID, unspent cost: Double) {
        guard let account = lanes[provider]?.account else { return }
        lanes[provider]?.gate.leave()
        accounts[account]?.returned(cost: cost)
    }

    /// A submission was not written, or was there before: its place is free.
    package mutating func submissionDropped(
        to provider: ProviderID, placement: Placement, cost: Double, now: Date
    ) -> [Effect] {
        _ = heard(of: nil, for: provider, placed: placement)
        switch placement {
        case .start: leave(provider, unspent: cost)
        case .lease: lanes[provider]?.promised -= 1
        case .leave: break
        }
        return fill(provider, now: now)
    }

    /// A request joined a flight: it may be more urgent now; where it is not here, it may wait in the store, and be taken
    /// now that somebody has time for it.
    ///
    /// - Parameter chain: The flight's first provider, and those that its chain may have led it to.
    package mutating func joined(
        _ flight: FlightID, of chain: [ProviderID], priority: Priority, now: Date
    ) -> [Effect] {
        if underWay[flight] != nil || deferred[flight] != nil { return [] }
        for provider in chain where lanes[provider]?.queue.raise(to: priority, where: { $0.id == flight }) == true {
            return fill(provider, now: now)
        }
        for provider in chain { lanes[provider]?.backlogMayExist() }
        return chain.flatMap { fill($0, now: now) }
    }

    /// Something was heard of a submission: was its flight cancelled before?
    private mutating func heard(
        of flight: QueuedFlight?, for provider: ProviderID, placed placement: Placement
    ) -> Bool {
        guard placement != .leave else { return false }
        unheard -= 1
        lanes[provider]?.unheard -= 1
        defer { if unheard == 0 { endedUnheard = [:] } }
        guard let flight, let ended = endedUnheard[flight.id] else { return false }
        return flight.lifecycle.token <= ended
    }

    /// A lease of a flight is over; a submission of which nothing was heard may have been it.
    mutating func leaseEnded(_ flight: FlightID, token: Int64) {
        guard unheard > 0 else { return }
        endedUnheard[flight] = max(endedUnheard[flight] ?? token, token)
    }
}
