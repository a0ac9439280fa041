import Dispatch
import Hablare
import HablareSupport

/// A separate thread for work that blocks on a disk or a processor. The threads of Swift's concurrency must not block:
/// there may be only one of them, and the signals need it.
enum OwnThread {
    /// Runs `body` on a separate thread and waits for its end. `body` may call `shouldContinue` at any time. This
    /// closure returns `false` after the task was cancelled.
    static func run<Value: Sendable>(
        _ body: @escaping @Sendable (_ shouldContinue: () -> Bool) throws -> Value
    ) async throws -> Value {
        let isCancelled = Locked(false)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue(label: "hablare.blocking").async {
                    continuation.resume(with: Result { try body { !isCancelled.withLock { $0 } } })
                }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
    }
}

/// Calls `body` for every element, with at most `limit` calls at the same time. The first error cancels the other
/// calls.
func forEachConcurrently<Element: Sendable>(
    _ elements: some Sequence<Element>, limit: Int, _ body: @escaping @Sendable (Element) async throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        var running = 0
        for element in elements {
            if running >= limit {
                try await group.next()
                running -= 1
            }
            try Task.checkCancellation()
            group.addTask { try await body(element) }
            running += 1
        }
        try await group.waitForAll()
    }
}

/// Runs all tasks at the same time until one of them returns a value or throws. Then cancels the others and waits for
/// them.
func firstValue<Value: Sendable>(of tasks: [@Sendable () async throws -> Value?]) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
        defer { group.cancelAll() }
        for task in tasks { group.addTask { try await task() } }
        while let value = try await group.next() {
            if let value { return value }
        }
        throw CancellationError()
    }
}

extension EngineClock {
    /// Sleeps for a duration. Returns `false` if the task is cancelled during this time.
    func sleepUnlessCancelled(for duration: Duration) async -> Bool {
        do {
            try await sleep(for: duration)
            return true
        } catch {
            return false
        }
    }
}
