import Foundation
import OrderedCollections

/// Who works on the store.
extension MemoryTables {
    var ownerRecords: [OwnerRecord] {
        let registered = owners.map { OwnerRecord(id: $0.key, registration: $0.value) }
        // Also holders that have no row: whoever sees one retires it, and its leases are broken.
        let unknown = Set(flights.values.compactMap(\.lifecycle.owner)).filter { owners[$0] == nil }.map { owner in
            OwnerRecord(
                id: owner,
                registration: OwnerRegistration(
                    host: "", processID: 0, lockName: "", expiresAt: Date(timeIntervalSince1970: 0)))
        }
        return (registered + unknown).sorted { $0.id < $1.id }
    }

    func registration(of owner: OwnerID) -> OwnerRegistration? { owners[owner] }

    mutating func retire(_ owner: OwnerID, at date: Date) -> WriteReceipt {
        owners[owner] = nil
        let held = flights.filter { $0.value.lifecycle.owner == owner }.sorted { $0.key < $1.key }
        for (id, row) in held {
            var flight = row
            let token = flight.lifecycle.token
            let lost = flight.lifecycle.leaseBroken(row.unknownOutcome, mayRestart: mayRestart(id, row))
            if let lost {
                record(
                    AttemptRecord(
                        attempt: lost, token: token, outcome: .lost, billing: .maybeBilled,
                        startedAt: flight.startedAt ?? date, endedAt: date),
                    of: id)
            }
            flights[id] = flight
            enqueue(id, flight)
            if flight.lifecycle.state == .settled(.failed) {
                for member in members(of: flight).settled(as: .failed) {
                    finish(member.id, member.lifecycle, at: date, error: .streamInterrupted)
                }
            }
        }
        return .broken(flights: held.count)
    }
}
