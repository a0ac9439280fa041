import Foundation
import Hablare
import HablareSupport
import HablareTestKit

/// A store of any kind that fails on demand.
final class FaultyStore: ForwardingStore {
    private struct State: Sendable {
        var failure: AIServiceError?
        var fails: @Sendable (StoreWrite) -> Bool = { _ in true }
    }

    let base: any RequestStore
    private let state = Locked(State())

    init(_ base: any RequestStore) {
        self.base = base
    }

    /// Lets commits with a matching write fail from now on, and also claims.
    func fail(on condition: @escaping @Sendable (StoreWrite) -> Bool = { _ in true }) {
        state.withLock { $0 = State(failure: AIServiceError(.storageFull, "The disk is full."), fails: condition) }
    }

    func recover() { state.withLock { $0.failure = nil } }

    func commit(_ writes: [StoreWrite]) throws -> StoreCommit {
        let state = state.withLock { $0 }
        if let failure = state.failure, writes.contains(where: state.fails) { throw failure }
        return try base.commit(writes)
    }

    func claim(_ query: ClaimQuery) throws -> Claim {
        if let failure = state.withLock({ $0.failure }) { throw failure }
        return try base.claim(query)
    }

    /// No signal, so the engine learns of other processes only by looking.
    var signal: (any StoreSignal)? { nil }
}
