import Dispatch
import Foundation
import HablareTestKit

@testable import Hablare
@testable import HablareLoading

/// A cache of blobs in memory that fails, or waits, when the test says so.
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
    private let state = Guarded(State())
    private let gate = DispatchSemaphore(value: 0)

    /// What was asked of it.
    var calls: [Call] { state.withLock { $0.calls } }
    /// Whether it was ever called on the main actor.
    var wasOnMainActor: Bool { state.withLock { $0.wasOnMainActor } }

    /// Lets every call fail from now on, or none.
    func fail(_ isFailing: Bool) { state.withLock { $0.isFailing = isFailing } }

    /// Lets stores wait before they write. The loader needs an executor whose threads may be blocked.
    func holdStores() { state.withLock { $0.holdsStores = true } }

    /// Lets them go on.
    func releaseStores() {
        state.withLock { $0.holdsStores = false }
        gate.signal()
    }

    /// What is stored, without asking.
    func stored(_ key: String) -> Data? { blobs.blob(for: key) }

    /// Stores bytes without being asked.
    func stores(_ blob: Data, for key: String) { blobs.store(blob, for: key) }

    func blob(for key: String) throws -> Data? {
        try note(.read(key))
        return blobs.blob(for: key)
    }

    func store(_ blob: Data, for key: String) throws {
        try note(.store(key))
        // A minute: where the test fails before, it ends all the same.
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
