import Hablare
import HablareSupport
import Testing

/// The maximum time to wait for something that needs no time to pass. It exceeds the time on a machine with busy
/// processors (twenty seconds were too few beside two builds), and is below a suite's time limit.
private let timeout = Duration.seconds(150)

/// Lets other tasks run until a condition holds. Otherwise the test fails long before its time limit.
func waitUntil(
    sourceLocation: SourceLocation = #_sourceLocation, _ condition: () throws -> Bool
) async throws {
    let end = ContinuousClock.now + timeout
    while try !condition() {
        try Task.checkCancellation()
        let isInTime = ContinuousClock.now < end
        try #require(isInTime, "It has not come.", sourceLocation: sourceLocation)
        await Task.yield()
    }
}

/// Waits for an operation that needs no time to pass, as ``waitUntil(sourceLocation:_:)`` does.
func soon(
    sourceLocation: SourceLocation = #_sourceLocation, _ operation: @escaping @Sendable () async throws -> Void
) async throws {
    let isOver = Locked(false)
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
            defer { isOver.withLock { $0 = true } }
            try await operation()
        }
        defer { group.cancelAll() }
        try await waitUntil(sourceLocation: sourceLocation) { isOver.withLock { $0 } }
        try await group.next()
    }
}
