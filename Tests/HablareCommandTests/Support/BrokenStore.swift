import Foundation
import Hablare
import HablareTestKit

/// A store that refuses writes from some moment on, like a full disk.
final class BrokenStore: ForwardingStore {
    let base: any RequestStore
    private let isFull: @Sendable ([StoreWrite]) -> Bool

    init(_ base: any RequestStore, isFull: @escaping @Sendable ([StoreWrite]) -> Bool) {
        self.base = base
        self.isFull = isFull
    }

    func commit(_ writes: [StoreWrite]) throws -> StoreCommit {
        guard !isFull(writes) else { throw AIServiceError(.storageFull, "The disk is full. Free some space.") }
        return try base.commit(writes)
    }
}
