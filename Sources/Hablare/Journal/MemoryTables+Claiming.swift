import Foundation

extension MemoryTables {
    /// Takes the flight of one request, where it waits for the provider in the class and somebody has time left.
    ///
    /// Its tickets stay in the queues: whoever draws one finds that the flight does not wait.
    mutating func takeFlight(of id: UUID, _ priority: Priority, _ query: ClaimQuery) -> [ClaimedFlight] {
        guard let row = requests[id], row.lifecycle.state == .live, var flight = flights[row.flight],
            flight.provider == query.provider, flight.priority == priority, let request = request(for: flight),
            request.deadline.map({ $0 > query.now }) ?? true
        else { return [] }
        do throws(FlightLifecycle.Refusal) {
            try flight.lifecycle.leased(by: query.owner)
        } catch {
            return []  // it runs, backs off or is held
        }
        flights[row.flight] = flight
        return [taken(row.flight, flight, for: request)]
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
