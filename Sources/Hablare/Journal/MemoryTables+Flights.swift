import Foundation
import OrderedCollections

/// What those who hold flights do with them.
extension MemoryTables {
    mutating func advance(_ id: FlightID, _ transition: FlightTransition, at date: Date) -> WriteReceipt {
        guard var flight = flights[id] else { return .refused(.staleToken) }
        guard flight.lifecycle == transition.old else {
            return .refused(flight.lifecycle.refusal(of: transition))
        }
        flight.lifecycle = transition.new
        if transition.new.isExecuting {
            flight.startedAt = date
            flight.triedSince = flight.triedSince ?? date
        }
        flights[id] = flight
        enqueue(id, flight)
        return .done
    }

    mutating func remember(_ memory: AttemptMemory) -> WriteReceipt {
        guard var flight = flights[memory.flight] else { return .refused(.staleToken) }
        do throws(FlightLifecycle.Refusal) {
            try memory.apply(to: &flight.lifecycle)
        } catch {
            return .refused(error)
        }
        flight.handle = memory.handle
        flights[memory.flight] = flight
        return .done
    }

    mutating func settle(_ end: AttemptEnd) -> WriteReceipt {
        guard var flight = flights[end.flight] else { return .refused(.staleToken) }
        let isRestTaken = end.rest.map { append($0) == .done } ?? true
        let ending = AttemptEnding(end, flight: flight.lifecycle, members: members(of: flight))
        if let line = ending.record, record(line, of: end.flight), end.isReserved {
            settleReservations(of: end.flight, by: line)
        }
        if case .refused = ending.receipt { return ending.receipt }
        flight.lifecycle = ending.flight
        if let next = ending.diversion {
            flight.provider = next.hop.provider
            flight.model = next.hop.model
            flight.request?.model = next.hop.model
            accountsOfProviders[next.hop.provider] = next.account
        }
        flights[end.flight] = flight
        for member in ending.finished { finish(member.id, member.lifecycle, at: end.endedAt, error: ending.error) }
        if !ending.flight.isSettled { muster(end.flight, anew: true) }
        if let response = ending.response {
            responses[end.flight] = response
            if end.entersCache { enterCache(end.flight, response) }
        }
        if end.isStreaming, flight.lifecycle.state == .settled(.completed) {
            if !isRestTaken, let rest = end.rest { add(rest) }
            streamCompleted(end.flight, generation: end.lifecycle.generation)
        }
        return ending.receipt
    }

    /// Enters an attempt; answers whether its line is the ledger's, or an earlier one stays.
    @discardableResult
    mutating func record(_ attempt: AttemptRecord, of id: FlightID) -> Bool {
        var records = ledger[id] ?? []
        var attempt = attempt
        attempt.provider = flights[id]?.provider
        attempt.model = flights[id]?.model
        if let index = records.firstIndex(where: { $0.attempt == attempt.attempt }) {
            guard attempt.replaces(records[index]) else { return false }
            // Whom it was for does not change, though the flight may have moved on to another one.
            (attempt.provider, attempt.model) = (records[index].provider, records[index].model)
            records.remove(at: index)
        }
        records.append(attempt)
        ledger[id] = records
        return true
    }
}
