public import Hablare
import HablareSupport
public import Logging

/// Loads values by key, and keeps them in memory and in a ``BlobCache``. If several callers ask for the same key at the
/// same time, they share one load.
///
/// ```swift
/// let images = try CoalescingLoader<URL, Data>(
///     blobs: BlobStorage(cache, coding: .data, name: \.absoluteString)
/// ) { url in
///     try await download(url)
/// }
/// let data = try await images.load(url)
/// ```
///
/// - If the load of a key is in progress, a new caller for this key joins the load. If a caller's task is cancelled,
///   only the wait of this caller ends, at once. When no caller waits any more, the load is cancelled.
/// - At most ``LoaderPolicy/concurrency`` loads run at the same time. Loads with the priority ``LoadPriority/visible``
///   start before preloads, in the order in which they were requested. If a preload of a key is queued and a visible
///   caller asks for the key, the load becomes visible.
/// - With a ``LoadCost``, the running loads also need at most the bytes of a ``LoadBudget`` by prediction. A load that
///   needs more runs alone. While a load waits for memory, it counts towards ``LoaderPolicy/concurrency``.
/// - After a failed attempt, ``LoaderPolicy/retry`` decides whether the load tries again. While the load waits for the
///   next attempt, other loads may run in its place. A failure is delivered to the waiting callers and is not kept. The
///   next caller starts a new load.
/// - A failure of the blob cache does not make a load fail. It is counted (``LoaderStatistics/blobFailures``). The
///   first failure in a row is logged, and the end of the failures is logged, too.
///
/// You may use the loader from any actor and thread. Its source, coding and blob cache run in its own tasks, never on
/// an actor of a caller. ``shutdown()`` cancels these tasks and waits until they end. Releasing the loader also cancels
/// the tasks, but does not wait for them. While callers wait, the loader is not released.
///
/// The loader hashes and compares keys while it holds its lock. Therefore `hash(into:)` and `==` of the key type must
/// not use the loader.
public final class CoalescingLoader<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    let policy: LoaderPolicy<Value>
    let source: LoadSource<Key, Value>
    let clock: EngineClock
    let spawner: TaskSpawner
    let logger: Logger
    let state: Locked<State>

    /// Creates a loader.
    ///
    /// - Parameters:
    ///   - policy: The options of the loader.
    ///   - blobs: The store in which values stay when the process ends. Default: none.
    ///   - cost: The memory that each load needs while it runs, and the budget that bounds it. Default: none; only
    ///     ``LoaderPolicy/concurrency`` bounds the loads.
    ///   - seams: The clock for waits and the executor for tasks. The other seams are ignored. Default: those of the
    ///     system.
    ///   - logger: The logger for failures of the blob cache. Keys and values are never logged.
    ///   - load: A closure that loads the value of a key. For each key, the loader makes at most one call at a time for
    ///     callers that wait. When no caller waits for the value any more, the loader cancels the task of the call, and
    ///     ignores the result. If the closure ignores the cancellation, the call counts towards
    ///     ``LoaderPolicy/concurrency`` until it returns. Meanwhile the same key may be loaded again.
    /// - Throws: ``/Hablare/AIServiceError`` with code ``/Hablare/AIServiceError/Code/invalidConfiguration`` for an
    ///   invalid policy.
    public init(
        policy: LoaderPolicy<Value> = LoaderPolicy(),
        blobs: BlobStorage<Key, Value>? = nil,
        cost: LoadCost<Key>? = nil,
        seams: EngineSeams = EngineSeams(),
        logger: Logger = Logger(label: "hablare.loader"),
        load: @escaping @Sendable (Key) async throws -> Value
    ) throws(AIServiceError) {
        try policy.check()
        self.policy = policy
        self.logger = logger
        source = LoadSource(load: load, blobs: blobs, cost: cost)
        clock = seams.clock
        spawner = TaskSpawner(executor: seams.taskExecutor)
        state = Locked(
            State(core: LoadCore(concurrency: policy.concurrency), memory: Self.emptyMemory(policy)))
    }

    deinit {
        // Only preloads and cancelled attempts that have not ended are left, because a waiting caller holds the loader.
        for task in state.withLock({ Array($0.tasks.values) }) { task.cancel() }
    }

    static func emptyMemory(_ policy: LoaderPolicy<Value>) -> LeastRecentlyUsed<Key, Value> {
        LeastRecentlyUsed(maximumCount: policy.memoryCount, maximumCost: policy.memoryBytes)
    }

    // MARK: Asking

    /// Returns the value of a key from memory or from the blob cache. If none of the two has the value, loads it.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - priority: The load's priority in the queue. Default: ``LoadPriority/visible``.
    /// - Throws: The error of the source's last attempt, unchanged. `CancellationError` at once if the caller's task is
    ///   cancelled. The load continues for other callers. ``/Hablare/AIServiceError`` with code
    ///   ``/Hablare/AIServiceError/Code/invalidState`` after ``shutdown()``.
    public func load(_ key: Key, priority: LoadPriority = .visible) async throws -> Value {
        try Task.checkCancellation()
        let start = apply { state -> Start in
            if let value = state.held(key) {
                state.statistics.hits += 1
                return .found(value)
            }
            state.lastCaller += 1
            let caller = state.lastCaller
            state.asks[caller] = .begun
            return .asked(caller, load: ask(for: key, by: caller, priority, &state))
        }
        switch start {
        case .found(let value): return value
        case .asked(let caller, let load):
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { wait(caller, $0) }
            } onCancel: {
                leave(caller, load)
            }
        }
    }

    private enum Start: Sendable {
        case found(Value)
        case asked(Int, load: Int)
    }

    /// Starts to load values that may be needed soon. These loads start after all visible loads. The method returns at
    /// once.
    ///
    /// Keys whose values are in memory are skipped. Loaded values are put into memory and into the blob cache. Failures
    /// are not reported. When a caller asks for such a key later, it is loaded again.
    ///
    /// - Returns: A handle that stops the preload. If you discard the handle, the preload continues.
    @discardableResult
    public func preload(_ keys: some Sequence<Key>) -> Preload {
        var asks: [(caller: Int, load: Int)] = []
        for key in keys {
            let begun = apply { state -> (caller: Int, load: Int)? in
                guard state.held(key) == nil else { return nil }
                state.lastCaller += 1
                return (state.lastCaller, ask(for: key, by: state.lastCaller, .preload, &state))
            }
            if let begun { asks.append(begun) }
        }
        return Preload { [weak self, asks] in
            for (caller, load) in asks { self?.leave(caller, load) }
        }
    }

    private func ask(for key: Key, by caller: Int, _ priority: LoadPriority, _ state: inout State) -> Int {
        let (load, isShared, effects) = state.core.asked(for: key, by: caller, priority)
        if isShared { state.statistics.shared += 1 }
        carryOut(effects, &state)
        return load
    }

    private func wait(_ caller: Int, _ continuation: CheckedContinuation<Value, any Error>) {
        apply { state in
            guard case .over(let result) = state.asks.updateValue(.waiting(continuation), forKey: caller) else {
                return
            }
            state.asks[caller] = nil
            state.aftermath.answers.append((continuation, result))
        }
    }

    /// Ends the wait of a caller whose task was cancelled. If the caller already has its result, nothing changes.
    private func leave(_ caller: Int, _ load: Int) {
        apply { state in
            state.answer(caller, with: .failure(CancellationError()))
            carryOut(state.core.left(caller, load), &state)
        }
    }

    // MARK: Ending

    /// Cancels all loads, lets the waiting callers fail, and prevents further loads. Returns when all tasks of the
    /// loader have ended. If the caller's task is cancelled, the method waits nevertheless. Values in memory stay
    /// readable.
    ///
    /// Do not call this method from the source: it waits for the source to return, so the two would wait for ever.
    public func shutdown() async {
        let tasks = apply { state -> [Task<Void, Never>] in
            carryOut(state.core.closed(), &state)
            return Array(state.tasks.values)
        }
        for task in tasks { await task.value }
    }

    // MARK: The lock

    /// Applies an event to the state while the lock is held. After that, does the work that runs code of other modules,
    /// without the lock.
    func apply<R: Sendable>(_ change: (inout State) -> R) -> R {
        var aftermath: Aftermath?
        let result = state.withLock { state -> R in
            let result = change(&state)
            if !state.aftermath.isEmpty {
                aftermath = state.aftermath
                state.aftermath = Aftermath()
            }
            return result
        }
        aftermath?.perform()
        return result
    }
}
