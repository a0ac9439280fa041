import Foundation
package import Hablare

extension StoreMachine {
    // MARK: Moves

    mutating func advance(_ id: FlightID, _ transition: FlightTransition, at date: Date) throws(Rows.Failure)
        -> WriteReceipt
    {
        guard var flight = try rows.flight(id) else { return .refused(.staleToken) }
        guard flight.lifecycle == transition.old else { return .refused(flight.lifecycle.refusal(of: transition)) }
        flight.move(to: transition.new)
        if transition.new.isExecuting {
            flight.startedAt = date
            flight.triedSince = flight.triedSince ?? date
        }
        try rows.write(flight, of: id)
        changes.append(.flight(id, transition.new))
        return .done
    }

    mutating func remember(_ memory: ResumeHandleWrite) throws(Rows.Failure) -> WriteReceipt {
        guard var flight = try rows.flight(memory.flight) else { return .refused(.staleToken) }
        do throws(FlightLifecycle.Refusal) {
            try memory.apply(to: &flight.lifecycle)
        } catch {
            return .refused(error)
        }
        try rows.write(flight, of: memory.flight)
        try rows.write(handle: memory.handle, of: memory.flight)
        return .done
    }

    // MARK: Output

    mutating func append(_ group: ChunkGroup) throws(Rows.Failure) -> WriteReceipt {
        switch try add(group) {
        case .success(let isNew):
            if isNew { changes.append(.appended(group.flight)) }
            return .done
        case .failure(let refusal): return .refused(refusal)
        }
    }

    /// Adds the chunks of a group that the store does not have yet, if the flight accepts them. Returns whether there
    /// were such chunks.
    private mutating func add(_ group: ChunkGroup) throws(Rows.Failure) -> Result<Bool, FlightLifecycle.Refusal> {
        guard let flight = try rows.flight(group.flight) else { return .failure(.staleToken) }
        let journalled = try journalled(of: group)
        if let refusal = flight.lifecycle.refusal(of: group, journalled: journalled) { return .failure(refusal) }
        guard let missing = group.missing(after: journalled) else { return .success(false) }
        try rows.append(missing)
        return .success(true)
    }

    private mutating func journalled(of group: ChunkGroup) throws(Rows.Failure) -> Int {
        guard let output = try rows.output(of: group.flight), output.generation == group.generation else { return 0 }
        return output.chunks
    }

    // MARK: Ends

    mutating func settle(_ end: AttemptEnd) throws(Rows.Failure) -> WriteReceipt {
        if let data = end.answer, case .success(let content) = data.result,
            let reference = content.body?.reference, try !rows.hasContent(reference)
        {
            return .contentMissing(reference)
        }
        // Refused if the store already has them or another process holds the lease.
        if let remainder = end.remainingChunks { _ = try add(remainder) }
        guard var flight = try rows.flight(end.flight) else { return .refused(.staleToken) }
        let ending = AttemptEnding(end, flight: flight.lifecycle, members: try rows.members(of: end.flight))
        if let entry = ending.record, try record(entry, of: end.flight, flight), end.isReserved {
            try settleReservations(of: end.flight, by: entry)
        }
        guard let settlement = ending.settlement else { return ending.receipt }
        flight.move(to: ending.flight)
        if let next = ending.diversion {
            flight.provider = next.target.provider
            flight.model = next.target.model
            try rows.note(next.account, of: next.target.provider)
        }
        if let response = ending.response, end.entersCache, case .success(let content) = response.result {
            flight.usedAt = response.receivedAt
            flight.answerBytes = content.keptByteCount
        }
        try rows.write(flight, of: end.flight)
        for member in ending.finished {
            try finish(member.id, member.lifecycle, at: end.endedAt, error: ending.error)
        }
        if let response = ending.response ?? ending.kept { try rows.write(response, of: end.flight) }
        if !ending.flight.isSettled, !ending.finished.isEmpty { try membersChanged(of: end.flight) }
        if end.isStreaming, ending.flight.state == .settled(.completed) {
            // These chunks complete the stream, whichever process holds the lease.
            if let remainder = end.remainingChunks {
                let journalled = try journalled(of: remainder)
                if remainder.first <= journalled, let missing = remainder.missing(after: journalled) {
                    try rows.append(missing)
                }
            }
            try rows.outputCompleted(of: end.flight, generation: end.lifecycle.generation)
        }
        changes.append(.settled(settlement))
        return ending.receipt
    }
}

// MARK: - Claims

extension StoreMachine where Rows: ClaimableRows {
    package mutating func claim(_ query: ClaimQuery) throws(Rows.Failure) -> Claim {
        let nextDue = try endBackoffs(of: query.provider, now: query.now)
        var claimed: [Priority: [ClaimedFlight]] = [:]
        var remainder = max(0, query.limit)
        for (priority, share) in query.shares {
            claimed[priority] = try take(share, of: priority, query)
            remainder -= claimed[priority]?.count ?? 0
        }
        for priority in Priority.allCases where remainder > 0 {
            let more = try take(remainder, of: priority, query)
            claimed[priority, default: []] += more
            remainder -= more.count
        }
        return Claim(flights: Priority.allCases.flatMap { claimed[$0] ?? [] }, nextDue: nextDue)
    }

    /// Makes flights waiting whose backoff has ended. Returns the earliest end of the remaining backoffs.
    private mutating func endBackoffs(of provider: ProviderID, now: Date) throws(Rows.Failure) -> Date? {
        for id in try rows.backingOff(for: provider, until: now, limit: ClaimQuery.maximumWoken) {
            guard var flight = try rows.flight(id) else { continue }
            do throws(FlightLifecycle.Refusal) {
                try flight.lifecycle.backoffEnded()
            } catch {
                continue  // unreachable: the flight backs off
            }
            try rows.write(flight, of: id)
        }
        return try rows.earliestBackoff(for: provider).map { max($0, now) }
    }

    private mutating func take(_ count: Int, of priority: Priority, _ query: ClaimQuery) throws(Rows.Failure)
        -> [ClaimedFlight]
    {
        var claimed: [ClaimedFlight] = []
        var last: FlightID?
        while claimed.count < count {
            let wanted = count - claimed.count
            let page = try rows.waiting(for: query.provider, priority, in: query.scope, after: last, limit: wanted)
            for id in page {
                last = id
                guard var flight = try rows.flight(id) else { continue }
                let deadline = try rows.members(of: id).lastDeadline
                // A flight whose members are all due is not claimed. The sweep of deadlines ends it.
                if let deadline, deadline <= query.now { continue }
                do throws(FlightLifecycle.Refusal) {
                    try flight.lifecycle.leased(by: query.owner)
                } catch {
                    continue  // unreachable: the flight waits
                }
                try rows.write(flight, of: id)
                claimed.append(try rows.claimed(flight, id, deadline: deadline))
            }
            if page.count < wanted { break }
        }
        return claimed
    }
}
