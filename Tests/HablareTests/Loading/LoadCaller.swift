import HablareSupport

@testable import Hablare
@testable import HablareLoading

/// A caller that loads a value in a task that can be cancelled.
final class LoadCaller: Sendable {
    private let outcome: Locked<Result<String, any Error>?>
    private let task: Task<Void, Never>

    init(
        _ loader: CoalescingLoader<String, String>, _ key: String, _ priority: LoadPriority = .visible,
        executor: (any TaskExecutor)? = nil
    ) {
        let outcome = Locked<Result<String, any Error>?>(nil)
        self.outcome = outcome
        task = TaskSpawner(executor: executor).start {
            let result: Result<String, any Error>
            do {
                result = .success(try await loader.load(key, priority: priority))
            } catch {
                result = .failure(error)
            }
            outcome.withLock { $0 = result }
        }
    }

    /// Whether the caller has its answer.
    var isAnswered: Bool { outcome.withLock { $0 != nil } }
    /// The caller's answer, if it has one.
    var answer: Result<String, any Error>? { outcome.withLock { $0 } }

    func cancel() { task.cancel() }

    /// Returns the caller's value, and waits for it.
    func value() async throws -> String {
        await task.value
        guard let result = answer else { throw CancellationError() }
        return try result.get()
    }
}
