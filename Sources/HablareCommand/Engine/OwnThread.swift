import Dispatch
import Hablare
import HablareSupport

/// A thread for work that blocks on a disk or a processor. Threads of the cooperative pool must not block: there may be
/// only one, and the signals need it.
enum OwnThread {
    /// Runs `body` on a thread of its own and waits for its end. `body` may call `shouldContinue` at any time; it returns
    /// `false` once the task is cancelled.
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

/// Calls `body` for every element, `limit` at once. The first error cancels the others.
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

/// Runs all tasks at once until one returns a value or throws, then cancels and awaits the others.
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
    /// Sleeps for a duration. Returns `false` if the task is cancelled first.
    func sleepUnlessCancelled(for duration: Duration) async -> Bool {
        do {
            try await sleep(for: duration)
            return true
        } catch {
            return false
        }
    }
}
