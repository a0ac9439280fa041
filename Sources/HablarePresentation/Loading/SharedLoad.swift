import Hablare

/// One load for all who ask while it is under way.
///
/// Its task belongs to those who wait: it is cancelled when the last of them was.
final class SharedLoad<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var waiters: [Waiter<Value>] = []
        var task: Task<Void, Never>?
        /// The load that is under way, by number: a cancelled one may come back after the next one began.
        var run: Int?
        var lastRun = 0
    }

    private let state = Guarded(State())
    private let spawner: TaskSpawner
    private let load: @Sendable @concurrent () async throws -> Value

    init(_ spawner: TaskSpawner, load: @escaping @Sendable @concurrent () async throws -> Value) {
        self.spawner = spawner
        self.load = load
    }

    /// How many wait.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// What the load that is under way brings, or else one that begins now.
    ///
    /// - Throws: What the load throws; `CancellationError` when the calling task is cancelled.
    func value() async throws -> Value {
        try Task.checkCancellation()
        let waiter = Waiter<Value>()
        state.withLock { state in
            state.waiters.append(waiter)
            guard state.run == nil else { return }
            state.lastRun += 1
            state.run = state.lastRun
            // Started under the lock, which its end needs: so it cannot end before it is known here.
            state.task = spawner.start { [load, run = state.lastRun, self] in
                let result: Result<Value, any Error>
                do { result = .success(try await load()) } catch { result = .failure(error) }
                ended(run, with: result)
            }
        }
        return try await withTaskCancellationHandler {
            try await waiter.value()
        } onCancel: {
            leave(waiter)
        }
    }

    private func leave(_ waiter: Waiter<Value>) {
        state.withLock { state in
            let count = state.waiters.count
            state.waiters.removeAll { $0 === waiter }
            guard state.waiters.isEmpty, count > 0 else { return }
            state.task?.cancel()
            state.task = nil
            state.run = nil
        }
    }

    private func ended(_ run: Int, with result: Result<Value, any Error>) {
        let waiters = state.withLock { state -> [Waiter<Value>] in
            guard state.run == run else { return [] }
            defer { state.waiters = [] }
            state.run = nil
            state.task = nil
            return state.waiters
        }
        for waiter in waiters { waiter.resume(with: result) }
    }
}
