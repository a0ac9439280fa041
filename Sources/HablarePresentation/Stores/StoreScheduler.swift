/// A scheduler that decides where the calls of a synchronous store run.
///
/// A store in memory answers at once, so its calls run in the caller's context: ``InlineStoreScheduler``. A store on
/// disk blocks, so its calls run one after another in a separate context, never on the main thread:
/// ``QueueStoreScheduler``. If your app has its own queue or executor for a store, write a type that conforms to this
/// protocol.
///
/// The protocol is not named `Scheduler`, because Combine's `Scheduler` is something else: a scheduler in time.
public protocol StoreScheduler: Sendable {
    /// Runs a call of a store. Returns the call's result.
    ///
    /// If the task is cancelled while the call runs, the call still completes and its result is returned. So a store
    /// never stops in the middle of a call. If the task is cancelled while the call waits, the call never begins.
    ///
    /// - Throws: The call's error. `CancellationError` if the task was cancelled before the call began.
    func run<Value: Sendable>(_ call: @escaping @Sendable () throws -> Value) async throws -> Value
}
