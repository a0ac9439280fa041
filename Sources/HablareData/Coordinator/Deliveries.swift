import Hablare
import HablareSupport

/// The tasks that wait for responses to merge into models. When the coordinator is released, the tasks are cancelled.
final class Deliveries: Sendable {
    private struct State: Sendable {
        var tasks: [Int: Task<Void, Never>] = [:]
        var last = 0
        /// The tasks that ended before they were recorded.
        var ended: Set<Int> = []
    }

    private let spawner: TaskSpawner
    private let state = Locked(State())

    init(_ spawner: TaskSpawner) {
        self.spawner = spawner
    }

    deinit {
        for task in state.withLock({ Array($0.tasks.values) }) { task.cancel() }
    }

    /// Starts a task. Returns its number for ``cancel(_:)``.
    func start(_ work: @escaping @Sendable @concurrent () async -> Void) -> Int {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        let task = spawner.start { [weak self] in
            await work()
            self?.ended(number)
        }
        state.withLock { state in
            if state.ended.remove(number) == nil { state.tasks[number] = task }
        }
        return number
    }

    func cancel(_ number: Int) {
        state.withLock { $0.tasks[number] }?.cancel()
    }

    private func ended(_ number: Int) {
        state.withLock { state in
            if state.tasks.removeValue(forKey: number) == nil { state.ended.insert(number) }
        }
    }
}
