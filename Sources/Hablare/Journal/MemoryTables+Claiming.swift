import Foundation

extension MemoryTables {
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
