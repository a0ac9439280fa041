import Foundation
import HeapModule

extension MemoryTables {
    mutating func claim(_ query: ClaimQuery) -> Claim {
        let nextDue = endBackoffs(of: query.provider, now: query.now)
        var claimed: [Priority: [ClaimedFlight]] = [:]
        var rest = max(0, query.limit)
        for (priority, share) in query.shares {
            claimed[priority] = take(share, of: priority, query)
            rest -= claimed[priority]?.count ?? 0
        }
        for priority in Priority.allCases where rest > 0 {
            let more = take(rest, of: priority, query)
            claimed[priority, default: []] += more
            rest -= more.count
        }
        return Claim(flights: Priority.allCases.flatMap { claimed[$0] ?? [] }, nextDue: nextDue)
    }

    /// Lets the flights wait whose back-off is over, and answers when the next one's is.
    private mutating func endBackoffs(of provider: ProviderID, now: Date) -> Date? {
        var woken = 0
        while let first = backoffs[provider]?.min {
            guard var flight = flights[first.id], flight.lifecycle.state == .backingOff(until: first.date) else {
                backoffs[provider]?.removeMin()
                continue
            }
            guard first.date <= now else { return first.date }
            guard woken < ClaimQuery.maximumWoken else { return now }
            woken += 1
            backoffs[provider]?.removeMin()
            do throws(FlightLifecycle.Refusal) {
                try flight.lifecycle.backoffEnded()
            } catch {
                continue  // unreachable: it backs off
            }
            flights[first.id] = flight
            enqueue(first.id, flight)
        }
        return nil
    }

    private mutating func take(_ count: Int, of priority: Priority, _ query: ClaimQuery) -> [ClaimedFlight] {
        let key: QueueKey
        switch query.scope {
        case .everything: key = QueueKey(provider: query.provider, job: nil, priority: priority)
        case .job(let job): key = QueueKey(provider: query.provider, job: job, priority: priority)
        case .request(let id): return takeFlights(of: ClaimScope.requests(of: id), count, priority, query)
        }
        var claimed: [ClaimedFlight] = []
        // What is out of time is taken by nobody, and waits for the sweep that ends it.
        var outOfTime: [FlightID] = []
        defer { for id in outOfTime { queues[key]?.insert(id) } }
        while claimed.count < count, let id = queues[key]?.popMin() {
            guard var flight = flights[id], let request = request(for: flight), flight.provider == query.provider,
                flight.priority == priority, key.job.map(flight.crew.jobs.contains) ?? true
            else { continue }  // the ticket is of another provider, of a more urgent time, or of a job that left
            if let deadline = request.deadline, deadline <= query.now {
                outOfTime.append(id)
                continue
            }
            do throws(FlightLifecycle.Refusal) {
                try flight.lifecycle.leased(by: query.owner)
            } catch {
                continue  // the ticket is stale: somebody drew its twin from the other queue, or it was cancelled
            }
            flights[id] = flight
            claimed.append(taken(id, flight, for: request))
        }
        return claimed
    }

    /// Puts a flight where its state says that it is to be found.
    mutating func enqueue(_ id: FlightID, _ flight: FlightRow) {
        if case .backingOff(let until) = flight.lifecycle.state {
            backoffs[flight.provider, default: Heap()].insert(Alarm(date: until, number: id.rawValue, id: id))
        }
        guard flight.lifecycle.state == .waiting else { return }
        for job in [nil] + flight.crew.jobs.map(Optional.some) {
            let key = QueueKey(provider: flight.provider, job: job, priority: flight.priority)
            queues[key, default: Heap()].insert(id)
        }
    }

    /// Takes flights of some requests, the oldest first, where they wait for the provider in the class and somebody has
    /// time left.
    ///
    /// Their tickets stay in the queues: whoever draws one finds that the flight does not wait.
    mutating func takeFlights(
        of ids: [UUID], _ count: Int, _ priority: Priority, _ query: ClaimQuery
    ) -> [ClaimedFlight] {
        let live = ids.compactMap { requests[$0] }.filter { $0.lifecycle.state == .live }
        var claimed: [ClaimedFlight] = []
        for id in Set(live.map(\.flight)).sorted() where claimed.count < count {
            if let flight = takeFlight(id, priority, query) { claimed.append(flight) }
        }
        return claimed
    }

    private mutating func takeFlight(
        _ id: FlightID, _ priority: Priority, _ query: ClaimQuery
    ) -> ClaimedFlight? {
        guard var flight = flights[id], flight.provider == query.provider, flight.priority == priority,
            let request = request(for: flight), request.deadline.map({ $0 > query.now }) ?? true
        else { return nil }
        do throws(FlightLifecycle.Refusal) {
            try flight.lifecycle.leased(by: query.owner)
        } catch {
            return nil  // it runs, backs off or is held
        }
        flights[id] = flight
        return taken(id, flight, for: request)
    }

    /// A flight as whoever took it is given it.
    func taken(_ id: FlightID, _ flight: FlightRow, for request: AIRequest) -> ClaimedFlight {
        let head = requests[flight.crew.head]
        return ClaimedFlight(
            id: id, lifecycle: flight.lifecycle, request: request, origin: flight.origin.provider,
            triedSince: flight.triedSince, trace: head?.trace, submittedAt: head?.createdAt,
            remembered: flight.handle.map { handle in
                let kept = streams[id].flatMap { $0.generation == flight.lifecycle.generation ? $0.ends : nil }
                return RememberedWork(handle: handle, keptChunks: kept?.count ?? 0, keptBytes: kept?.last ?? 0)
            })
    }
}
