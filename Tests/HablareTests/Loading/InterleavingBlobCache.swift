import Foundation
import HablareSupport
import HablareTestKit

@testable import Hablare
@testable import HablareLoading
@testable import HablareSimulation

/// A blob cache in a simulation whose calls interleave with other work, as beside a disk, before and after the
/// operation. Some calls fail, before or after it.
final class InterleavingBlobCache: BlobCache {
    /// The percentage of calls that fail.
    let failures: Int

    private struct State: Sendable {
        var random: SeededGenerator
        /// The number of nested calls in progress.
        var depth = 0
    }

    private let base = InMemoryBlobCache()
    private let scheduler: SimulationScheduler
    private let state: Locked<State>

    init(_ scheduler: SimulationScheduler, failures: Int, seed: UInt64) {
        self.scheduler = scheduler
        self.failures = failures
        state = Locked(State(random: SeededGenerator(seed: seed)))
    }

    /// Returns the stored blob without a call to the cache.
    func stored(_ key: String) -> Data? { base.blob(for: key) }

    func blob(for key: String) throws -> Data? {
        try call { base.blob(for: key) }
    }

    func store(_ blob: Data, for key: String) throws {
        try call { base.store(blob, for: key) }
    }

    func remove(_ key: String) throws {
        try call { base.remove(key) }
    }

    func removeAll() throws {
        try call { base.removeAll() }
    }

    private func call<R>(_ work: () -> R) throws -> R {
        state.withLock { $0.depth += 1 }
        defer { state.withLock { $0.depth -= 1 } }
        letOthersRun()
        if fails { throw LoaderSimulation.Failure() }
        let result = work()
        letOthersRun()
        if fails { throw LoaderSimulation.Failure() }
        return result
    }

    private var fails: Bool { state.withLock { $0.random.percent(Int64(failures)) } }

    /// Runs ready work on this thread within the call, so work that starts here ends before this call does.
    private func letOthersRun() {
        let steps = state.withLock { $0.depth > 3 ? 0 : Int.random(in: 0..<12, using: &$0.random) }
        for _ in 0..<steps {
            if case .nothing = scheduler.step() { return }
        }
    }
}
