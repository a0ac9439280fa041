import Hablare

/// One load for all who ask while it is under way.
///
/// Its task belongs to those who wait: it is cancelled when the last of them was.
final class SharedLoad<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var waiters: [Int: CheckedContinuation<Value, any Error>] = [:]
        /// Who was cancelled before they could wait.
        var cancelled: Set<Int> = []
        var task: Task<Void, Never>?
        /// The load that is under way, by number: a cancelled one may come back after the next one began.
        var run: Int?
        var last = 0

        mutating func nextNumber() -> Int {
            last += 1
            return last
        }
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
        let number = state.withLock { $0.nextNumber() }
        // A cancellation that came after the result left its number behind.
        defer { state.withLock { _ = $0.cancelled.remove(number) } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait($0, as: number) }
        } onCancel: {
            leave(number)
        }
    }

    private func wait(_ continuation: CheckedContinuation<Value, any Error>, as number: Int) {
        let isCancelled = state.withLock { state in
            if state.cancelled.remove(number) != nil { return true }
            state.waiters[number] = continuation
            guard state.run == nil else { return false }
            let run = state.nextNumber()
            state.run = run
            // Started under the lock, which its end needs: so it cannot end before it is known here.
            state.task = spawner.start { [load, self] in
                let result: Result<Value, any Error>
                do { result = .success(try await load()) } catch { result = .failure(error) }
                ended(run, with: result)
            }
            return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
    }

    private func leave(_ number: Int) {
        let continuation = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            guard let continuation = state.waiters.removeValue(forKey: number) else {
                state.cancelled.insert(number)
                return nil
            }
            if state.waiters.isEmpty {
                state.task?.cancel()
                state.task = nil
                state.run = nil
            }
            return continuation
        }
        continuation?.resume(throwing: CancellationError())
    }

    private func ended(_ run: Int, with result: Result<Value, any Error>) {
        let waiters = state.withLock { state -> [Int: CheckedContinuation<Value, any Error>] in
            guard state.run == run else { return [:] }
            defer { state.waiters = [:] }
            state.run = nil
            state.task = nil
            return state.waiters
        }
        for continuation in waiters.values { continuation.resume(with: result) }
    }
}
