import Dispatch
import Foundation
import HablareSupport
import HablareTestKit

@testable import Hablare
@testable import HablareLoading

/// A blob cache in memory that fails or blocks on demand.
final class ScriptedBlobCache: BlobCache {
    enum Call: Hashable, Sendable {
        case read(String), store(String), remove(String), removeAll
    }

    private struct State: Sendable {
        var calls: [Call] = []
        var isFailing = false
        var holdsStores = false
        var wasOnMainActor = false
    }

    static let failure = AIServiceError(.storageFull, "There is no space left. Free some.")

    private let blobs = InMemoryBlobCache()
    private let state = Locked(State())
    private let gate = DispatchSemaphore(value: 0)

    /// The calls so far.
    var calls: [Call] { state.withLock { $0.calls } }
    /// Whether a call came from the main actor.
    var wasOnMainActor: Bool { state.withLock { $0.wasOnMainActor } }

    /// Sets whether every call fails from now on.
    func fail(_ isFailing: Bool) { state.withLock { $0.isFailing = isFailing } }

    /// Blocks stores before they write. The loader needs an executor whose threads may be blocked.
    func holdStores() { state.withLock { $0.holdsStores = true } }

    /// Unblocks the stores.
    func releaseStores() {
        state.withLock { $0.holdsStores = false }
        gate.signal()
    }

    /// Returns the stored blob without a recorded call.
    func stored(_ key: String) -> Data? { blobs.blob(for: key) }

    /// Stores a blob without a recorded call.
    func stores(_ blob: Data, for key: String) { blobs.store(blob, for: key) }

    func blob(for key: String) throws -> Data? {
        try note(.read(key))
        return blobs.blob(for: key)
    }

    func store(_ blob: Data, for key: String) throws {
        try note(.store(key))
        // A minute, so that a test that fails earlier still ends.
        if state.withLock({ $0.holdsStores }) { _ = gate.wait(timeout: .now() + 60) }
        blobs.store(blob, for: key)
    }

    func remove(_ key: String) throws {
        try note(.remove(key))
        blobs.remove(key)
    }

    func removeAll() throws {
        try note(.removeAll)
        blobs.removeAll()
    }

    private func note(_ call: Call) throws {
        let isMain = MainQueue.isCurrent
        let isFailing = state.withLock { state in
            state.calls.append(call)
            if isMain { state.wasOnMainActor = true }
            return state.isFailing
        }
        if isFailing { throw Self.failure }
    }
}
