/// A scheduler that decides where the calls of a synchronous store run.
///
/// A store in memory answers at once, so its calls run inline: ``InlineStoreScheduler``. A store on disk blocks, so its
/// calls run one after another in a separate context, never on the main thread: ``QueueStoreScheduler``. An app that
/// has its own queue or executor for a store can use its own conforming type.
///
/// The type is not named `Scheduler`, because Combine's `Scheduler` has a different purpose: time.
public protocol StoreScheduler: Sendable {
    /// Runs a call of a store. Returns the call's result.
    ///
    /// A call that has begun always completes and returns its result, even if the task is cancelled. So a store never
    /// stops in the middle of a call. A waiting call that is cancelled never begins.
    ///
    /// - Throws: The call's error. `CancellationError` if the task was cancelled before the call began.
    func run<Value: Sendable>(_ call: @escaping @Sendable () throws -> Value) async throws -> Value
}
