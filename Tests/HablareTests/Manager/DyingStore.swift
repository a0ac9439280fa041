import Foundation
import HablareSupport
import HablareTestKit

@testable import Hablare

/// The store of a process that dies between the journal and the provider. Of all processes with the same fate, the
/// first one that commits the start of an attempt dies. The commit is not acknowledged, the process's lock is released,
/// and it neither writes nor claims any more.
final class DyingStore: ForwardingStore {
    /// Decides once for all processes which one dies.
    final class Fate: Sendable {
        private let decided = Locked(false)

        /// Whether this is the first call.
        func strikes() -> Bool {
            decided.withLock { decided in
                defer { decided = true }
                return !decided
            }
        }
    }

    private struct State: Sendable {
        var lockName: String?
        var isDead = false
    }

    let base: any RequestStore
    private let fate: Fate
    private let state = Locked(State())

    init(_ base: any RequestStore, sharing fate: Fate) {
        self.base = base
        self.fate = fate
    }

    /// Whether this process died.
    var isDead: Bool { state.withLock { $0.isDead } }

    private static let death = AIServiceError(.storageFailed, "This process is dead.")

    func commit(_ writes: [StoreWrite]) throws -> StoreCommit {
        guard !isDead else { throw Self.death }
        let commit = try base.commit(writes)
        for case .registerOwner(let registration) in writes {
            state.withLock { $0.lockName = registration.lockName }
        }
        guard zip(writes, commit.receipts).contains(where: { $0.hasStarted($1) }), fate.strikes() else { return commit }
        let lockName = state.withLock { state in
            state.isDead = true
            return state.lockName
        }
        if let lockName { base.liveness?.release(lockName) }
        throw Self.death
    }

    func claim(_ query: ClaimQuery) throws -> Claim {
        guard !isDead else { throw Self.death }
        return try base.claim(query)
    }
}

extension StoreWrite {
    /// Whether the write journalled an attempt that may be sent, including one that starts with its submission.
    fileprivate func hasStarted(_ receipt: WriteReceipt) -> Bool {
        switch (self, receipt) {
        case (.start, .started(overBudget: nil)): true
        case (.advance(_, let transition, _), .done): transition.new.isExecuting
        case (.submit(let submission), .submitted(let receipt)):
            submission.flight.isExecuting && !receipt.wasPresent && !receipt.hasJoined
        default: false
        }
    }
}
