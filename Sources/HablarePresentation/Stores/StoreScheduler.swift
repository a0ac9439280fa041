/// A scheduler that decides where the calls of a synchronous store run.
///
/// A store in memory answers immediately, so its calls run inline: ``InlineStoreScheduler``. A store on disk blocks, so
/// its calls run one after another in their own context, never on the main thread: ``QueueStoreScheduler``. An app with
/// its own queue or executor for a store can conform its own type.
///
/// The name differs from Combine's `Scheduler`, which concerns time.
public protocol StoreScheduler: Sendable {
    /// Runs a call of a store and returns its result.
    ///
    /// A call that has begun always completes and returns its result, even if the task is cancelled meanwhile. A store
    /// never stops half-way. A waiting call that is cancelled never begins.
    ///
    /// - Throws: The call's error; `CancellationError` if the task was cancelled before the call began.
    func run<Value: Sendable>(_ call: @escaping @Sendable () throws -> Value) async throws -> Value
}
