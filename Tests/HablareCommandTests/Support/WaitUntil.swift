import Hablare
import Testing

/// How long a test waits for what needs no time to pass. More than it takes on a machine whose processors are given to
/// others (twenty seconds were too few beside two builds), and less than a suite's limit of time.
private let patience = Duration.seconds(150)

/// Lets others run until something is so. Where it does not come, the test fails long before its time is over.
func waitUntil(
    sourceLocation: SourceLocation = #_sourceLocation, _ condition: () throws -> Bool
) async throws {
    let end = ContinuousClock.now + patience
    while try !condition() {
        try Task.checkCancellation()
        let isInTime = ContinuousClock.now < end
        try #require(isInTime, "It has not come.", sourceLocation: sourceLocation)
        await Task.yield()
    }
}

/// Waits for what needs no time to pass, as ``waitUntil(sourceLocation:_:)`` does.
func soon(
    sourceLocation: SourceLocation = #_sourceLocation, _ operation: @escaping @Sendable () async throws -> Void
) async throws {
    let isOver = Guarded(false)
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
