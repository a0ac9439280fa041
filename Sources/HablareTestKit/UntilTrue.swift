/// Waits until a condition holds, and lets other tasks run meanwhile.
///
/// The wait ends early if the task is cancelled, as that of a test is at its time limit. A condition that never holds
/// therefore fails a test with a time limit, and does not hang it.
///
/// ```swift
/// await untilTrue { model.isReady }
/// ```
///
/// - Parameter condition: Returns whether the wait is over. It is called again and again, so keep it cheap.
/// - Throws: The errors of `condition`.
public func untilTrue(_ condition: () async throws -> Bool) async rethrows {
    while try await !condition() {
        if Task.isCancelled { return }
        await Task.yield()
    }
}
