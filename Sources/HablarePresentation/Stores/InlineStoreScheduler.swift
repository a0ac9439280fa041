/// A scheduler that runs a store's calls at once, in the caller's context. For stores in memory.
public struct InlineStoreScheduler: StoreScheduler {
    /// Creates a scheduler.
    public init() {}

    /// Runs a call at once, unless the task is cancelled.
    ///
    /// - Throws: The call's error. `CancellationError` if the task was already cancelled.
    public func run<Value: Sendable>(_ call: @escaping @Sendable () throws -> Value) async throws -> Value {
        try Task.checkCancellation()
        return try call()
    }
}
