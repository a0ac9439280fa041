/// Runs the calls of a store where the caller runs, at once: for stores in memory.
public struct InlineStoreScheduler: StoreScheduler {
    /// Creates a scheduler.
    public init() {}

    /// Runs a call at once, unless the task is cancelled.
    ///
    /// - Throws: What the call throws; `CancellationError` where the task was cancelled before.
    public func run<Value: Sendable>(_ call: @escaping @Sendable () throws -> Value) async throws -> Value {
        try Task.checkCancellation()
        return try call()
    }
}
