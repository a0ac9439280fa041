package import Foundation
import OrderedCollections

/// Lanes that rest: they start nothing and ask for nothing.
extension DispatchCore {
    /// There is a reason to rest: lanes that it concerns start nothing more, and what is queued in them goes back.
    package mutating func suspended(for reason: SuspensionReason) -> [Effect] {
        suspensions.insert(reason)
        var queued: [QueuedFlight] = []
        for index in lanes.values.indices where rests(at: index) {
            queued += lanes.values[index].queue.removeAll()
            lanes.values[index].backlogMayExist()
        }
        for flight in deferred.values.sorted(by: { $0.id < $1.id }) where isResting(flight.provider) {
            queued.append(flight)
            deferred[flight.id] = nil
        }
        return queued.isEmpty ? [] : [.release(queued)]
    }

    /// Whether a provider's lane rests because there is no network.
    package func isOffline(_ provider: ProviderID) -> Bool {
        lanes[provider].map { $0.needsNetwork && suspensions.contains(.offline) } ?? false
    }

    /// A reason to rest is gone. Lanes for which there is no other go on.
    package mutating func resumed(from reason: SuspensionReason, now: Date) -> [Effect] {
        guard suspensions.remove(reason) != nil else { return [] }
        return backlogMayExist(now: now)
    }

    /// Whether a provider's lane rests.
    package func isResting(_ provider: ProviderID) -> Bool {
        guard !suspensions.isEmpty, let index = lanes.index(forKey: provider) else { return false }
        return rests(at: index)
    }

    /// Whether a lane rests. By its place: a copy of a lane retains all that it has.
    func rests(at index: Int) -> Bool {
        guard !suspensions.isEmpty else { return false }
        return suspensions.contains(.background) || lanes.values[index].needsNetwork && suspensions.contains(.offline)
    }

    /// Which class has its turn when flights of a provider are asked for, see ``ClaimQuery/turn``.
    package func turn(of provider: ProviderID) -> Int { lanes[provider]?.turn ?? 0 }

    /// Whether flights that arrive in a provider's lane are given back.
    package func givesBack(_ provider: ProviderID) -> Bool {
        if case .closed = phase { true } else { isResting(provider) }
    }
}
