import Foundation

extension MemoryTables {
    /// The responses that a policy may give up, the oldest first.
    private var unprotected: [(place: PrunePlan.Place, bytes: Int64)] {
        let protected = Set(requests.values.lazy.filter { $0.isProtected && !$0.isEvicted }.map(\.flight))
        return responses.compactMap { flight, response in
            guard case .success(let content) = response.result, !protected.contains(flight) else { return nil }
            return (PrunePlan.Place(receivedAt: response.receivedAt, flight: flight), content.keptByteCount)
        }.sorted { $0.place < $1.place }
    }

    func prunePlan(_ retention: Retention, at date: Date) -> PrunePlan {
        var plan = PrunePlan(retention, at: date)
        for response in unprotected.reversed() { plan.consider(response.place, bytes: response.bytes) }
        return plan
    }

    mutating func prune(through last: PrunePlan.Place, limit: Int) -> WriteReceipt {
        let candidates = unprotected.prefix { $0.place <= last }
        var pruned = Pruned(isComplete: candidates.count < limit)
        for (place, bytes) in candidates.prefix(max(0, limit)) {
            responses[place.flight] = responses[place.flight]?.evicted()
            streams[place.flight] = nil
            cached[place.flight] = nil
            pruned.count += 1
            pruned.bytes += bytes
        }
        return .pruned(pruned)
    }

    mutating func pin(_ id: UUID, _ isPinned: Bool) -> WriteReceipt {
        guard requests[id] != nil else { return .unknownRequest }
        requests[id]?.isPinned = isPinned
        return .done
    }

    mutating func merged(_ id: UUID) -> WriteReceipt {
        guard requests[id] != nil else { return .unknownRequest }
        requests[id]?.awaitsMerge = false
        return .done
    }
}

extension MemoryTables.RequestRow {
    /// Whether its response is kept whatever its age and the store's limits.
    fileprivate var isProtected: Bool { isPinned || awaitsMerge || job != nil }
}
