import Foundation
import Hablare
import HablareStores
import HablareSupport
import HablareTestKit

/// One process's view of a store in memory that outlives it. After its death it neither writes nor claims, and the next
/// process finds its lock free.
final class MortalStore: ForwardingStore {
    /// The state that outlives the processes: the store, and which processes are alive.
    final class Machine: OwnerLiveness {
        private struct State: Sendable {
            var alive: Set<String> = []
            var last = 0
        }

        let store = InMemoryStore()
        let host = "machine"
        private let state = Locked(State())

        func acquire() -> String {
            state.withLock { state in
                state.last += 1
                state.alive.insert("lock-\(state.last)")
                return "lock-\(state.last)"
            }
        }

        func release(_ lockName: String) { state.withLock { _ = $0.alive.remove(lockName) } }
        func gone(among owners: [OwnerRecord], at date: Date) -> Set<OwnerID> {
            let alive = state.withLock { $0.alive }
            return Set(owners.filter { !alive.contains($0.registration.lockName) }.map(\.id))
        }
        func releaseAll() { state.withLock { $0.alive = [] } }
    }

    private let machine: Machine
    private let isDead = Locked(false)

    init(_ machine: Machine) { self.machine = machine }

    var base: any RequestStore { machine.store }
    var liveness: (any OwnerLiveness)? { machine }

    /// Ends the process.
    func die() {
        isDead.withLock { $0 = true }
        machine.releaseAll()
    }

    private func checkAlive() throws {
        if isDead.withLock({ $0 }) { throw AIServiceError(.storageFailed, "This process is dead.") }
    }

    func commit(_ writes: [StoreWrite]) throws -> StoreCommit {
        try checkAlive()
        return machine.store.commit(writes)
    }

    func claim(_ query: ClaimQuery) throws -> Claim {
        try checkAlive()
        return machine.store.claim(query)
    }
}
