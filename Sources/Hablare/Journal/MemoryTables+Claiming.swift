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
        let head = requests[flight.crew.head]
        return [
            ClaimedFlight(
                id: row.flight, lifecycle: flight.lifecycle, request: request, origin: flight.origin.provider,
                triedSince: flight.triedSince, trace: head?.trace, submittedAt: head?.createdAt)
        ]
    }
}
