import Foundation
import Hablare
import HablareTestKit

/// A store that refuses to be written from a moment on: a disk that is full.
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
