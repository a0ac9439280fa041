/// Decides where the calls of a synchronous store run, so that nobody else has to.
///
/// A store in memory answers in no time: its calls run inline, ``InlineStoreScheduler``. A store on disk makes its caller wait:
/// its calls run one after the other on a context of its own, never on the main thread, ``QueueStoreScheduler``. An app that
/// has a queue or an executor for its store already, conforms a type of its own.
///
/// Named after the store because Combine has a `Scheduler`, which is about time.
public protocol StoreScheduler: Sendable {
    /// Runs a call of a store and answers with what it returns.
    ///
    /// A call that has begun is carried out, and its result returned, also where the task is cancelled meanwhile: a store never
    /// stops half-way. One that has to wait for its turn and is cancelled before, is never carried out.
    ///
    /// - Throws: What the call throws; `CancellationError` where the task was cancelled before the call began.
    func run<Value: Sendable>(_ call: @escaping @Sendable () throws -> Value) async throws -> Value
}
