import Foundation
import Hablare
import HablareSupport

/// The work of this process on a store, apart from that of other processes: its registrations and the requests that it
/// ended. It counts the engine's events, so that requests without a waiter count, too.
final class OwnWork: Sendable {
    struct Ended: Sendable, Hashable {
        var here: [RequestPhase: Int] = [:]
        /// The number of requests by phase that this process waited for and other processes ended.
        var elsewhere: [RequestPhase: Int] = [:]
        /// The first requests that failed, at most ``Ended/listed``.
        var failed: [UUID] = []
        static let listed = 5

        mutating func note(_ id: UUID, _ end: RequestPhase) {
            if end == .failed, failed.count < Self.listed, !failed.contains(id) { failed.append(id) }
        }

        func count(_ end: RequestPhase) -> Int { here[end, default: 0] + elsewhere[end, default: 0] }
    }

    private struct State: Sendable {
        var owners: Set<OwnerID> = []
        var ended = Ended()
        /// Requests that ended here and whose waits have not returned.
        var own: Set<UUID> = []
        /// Requests whose waits returned and that are attributed to other processes. A wait may read an end from the
        /// store before this process's event of the same end arrives. The event then corrects the attribution.
        var others: [UUID: RequestPhase] = [:]

        mutating func endsHere(_ id: UUID, _ end: RequestPhase) {
            ended.here[end, default: 0] += 1
            ended.note(id, end)
            if let taken = others.removeValue(forKey: id) {
                ended.elsewhere[taken, default: 0] -= 1
            } else {
                own.insert(id)
            }
        }
    }

    private let state = Locked(State())

    var owners: Set<OwnerID> { state.withLock { $0.owners } }

    /// The requests that ended so far. Exact after ``AIRequestManager/eventsTold()``, and once the engine has ended.
    var ended: Ended { state.withLock { $0.ended } }

    func noted(_ event: EngineEvent) {
        switch event {
        case .registered(let owner): state.withLock { _ = $0.owners.insert(owner) }
        case .failed(let id, _, _): state.withLock { $0.endsHere(id, .failed) }
        default:
            guard let settlement = event.settlement, !settlement.finished.isEmpty else { return }
            let end: RequestPhase = if case .completed = settlement.end.outcome { .completed } else { .failed }
            state.withLock { state in
                for id in settlement.finished { state.endsHere(id, end) }
            }
        }
    }

    func waited(for id: UUID, _ end: RequestPhase) {
        state.withLock { state in
            guard state.own.remove(id) == nil else { return }
            state.others[id] = end
            state.ended.elsewhere[end, default: 0] += 1
            state.ended.note(id, end)
        }
    }

    /// Forgets individual requests and keeps the counts. Call it only while no wait is pending.
    func forgetRequests() {
        state.withLock { state in
            state.own = []
            state.others = [:]
        }
    }
}
