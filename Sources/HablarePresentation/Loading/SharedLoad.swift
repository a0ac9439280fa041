import Hablare
import HablareSupport

/// A load with one result for all callers that wait for it.
///
/// The load's task is cancelled when the last waiting caller is cancelled.
final class SharedLoad<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var waiters: [Waiter<Value>] = []
        var task: Task<Void, Never>?
        /// The number of the current load. The number distinguishes loads, because a cancelled load may end after the
        /// next load has begun.
        var run: Int?
        var lastRun = 0
    }

    private let state = Locked(State())
    private let spawner: TaskSpawner
    private let load: @Sendable @concurrent () async throws -> Value

    init(_ spawner: TaskSpawner, load: @escaping @Sendable @concurrent () async throws -> Value) {
        self.spawner = spawner
        self.load = load
    }

    /// The number of waiting callers.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Waits for the result of the current load, and returns it. If no load is in progress, starts one.
    ///
    /// - Throws: The error of the load. `CancellationError` if the calling task is cancelled.
    func value() async throws -> Value {
        try Task.checkCancellation()
        let waiter = Waiter<Value>()
        state.withLock { state in
            state.waiters.append(waiter)
            guard state.run == nil else { return }
            state.lastRun += 1
            state.run = state.lastRun
            // Started under the lock that `ended` takes, so the load cannot end before its task is stored.
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
