import Foundation
import Hablare
import HablareSupport

/// The work of this process on a store, separate from the work of other processes: the ids under which this process is
/// registered as an owner of requests, and the requests that it ended. It counts the engine's events, so requests for
/// which nothing waits are also counted.
final class OwnWork: Sendable {
    struct Ended: Sendable, Hashable {
        var here: [RequestPhase: Int] = [:]
        /// For each phase, the number of requests that this process waited for and that other processes ended.
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
        /// The requests that ended in this process, and whose waits have not returned yet.
        var own: Set<UUID> = []
        /// The requests whose waits have returned, and that are counted for other processes. A wait may read the end of
        /// a request from the store before this process receives its own event about the same end. The event then
        /// corrects the count.
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

    /// The requests that ended so far. Exact after ``AIRequestManager/eventsTold()``, and after the engine has ended.
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

    /// Forgets the individual requests and keeps the counts. Call this method only while no wait is pending.
    func forgetRequests() {
        state.withLock { state in
            state.own = []
            state.others = [:]
        }
    }
}
