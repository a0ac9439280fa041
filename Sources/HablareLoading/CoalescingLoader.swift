public import Hablare
import HablareSupport
public import Logging

/// A loader of values by key. It has a cache in memory, and a ``BlobCache`` behind it. All callers of a key share one
/// load.
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
/// - A caller that asks for a key whose load is in progress joins that load. Cancelling a caller's task ends only that
///   caller's wait, at once. When the last caller leaves, the load is cancelled.
/// - At most ``LoaderPolicy/concurrency`` loads run at once. ``LoadPriority/visible`` loads start before preloads, in
///   the order in which they were requested. A visible request for a key whose preload is queued raises the load's
///   priority.
/// - A failed attempt is retried according to ``LoaderPolicy/retry``. The load uses no slot while it waits for the
///   retry. A failure is delivered to the callers but not cached. The next caller starts a new load.
/// - A failure of the blob cache does not make a load fail. The failure is counted. It is logged when it begins and
///   when it ends.
///
/// The loader may be used from any actor and thread. Its source, coding and blob cache run in its own tasks, never on
/// an actor of a caller. ``shutdown()`` cancels these tasks and waits until they end. Releasing the loader also cancels
/// them, but does not wait for them. Callers that wait keep the loader alive.
///
/// Keys are hashed and compared under the loader's lock. Therefore their `hash(into:)` and `==` must not use the
/// loader.
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
    ///   - policy: The loader's policy.
    ///   - blobs: The store for values that stay after the process ends. Default: none.
    ///   - seams: The clock for waits and the executor for tasks. Other seams are not used. Default: those of the
    ///     system.
    ///   - logger: The logger for failures of the blob cache. Keys and values are never logged.
    ///   - load: A closure that loads the value of a key. The loader makes one call at a time for the current load of a
    ///     key. When no caller wants the value any more, the loader cancels the call's task and discards the result. A
    ///     call that ignores the cancellation keeps its slot. In the meantime, the key can be loaded again.
    /// - Throws: ``/Hablare/AIServiceError`` with code ``/Hablare/AIServiceError/Code/invalidConfiguration`` for an
    ///   invalid policy.
    public init(
        policy: LoaderPolicy<Value> = LoaderPolicy(),
        blobs: BlobStorage<Key, Value>? = nil,
        seams: EngineSeams = EngineSeams(),
        logger: Logger = Logger(label: "hablare.loader"),
        load: @escaping @Sendable (Key) async throws -> Value
    ) throws(AIServiceError) {
        try policy.check()
        self.policy = policy
        self.logger = logger
        source = LoadSource(load: load, blobs: blobs)
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

    /// Returns the value of a key from memory or from the blob cache. If neither has the value, loads it.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - priority: The load's priority in the queue. Default: ``LoadPriority/visible``.
    /// - Throws: The unchanged error of the source's last attempt. `CancellationError` at once if the caller's task is
    ///   cancelled; the load continues for other callers. ``/Hablare/AIServiceError`` with code
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

    /// Starts to load values that may soon be needed. These loads start after all visible loads. Returns at once.
    ///
    /// Keys whose values are in memory are skipped. Loaded values are put into memory and into the blob cache. Failures
    /// are not reported. The next caller of such a key loads it again.
    ///
    /// - Returns: A handle that stops the preload. Discarding the handle does not stop it.
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

    /// Ends the wait of a caller that no longer wants its value. A caller that already has its answer keeps it.
    private func leave(_ caller: Int, _ load: Int) {
        apply { state in
            state.answer(caller, with: .failure(CancellationError()))
            carryOut(state.core.left(caller, load), &state)
        }
    }

    // MARK: Ending

    /// Cancels all loads, fails all waiting callers, and starts no more loads. Returns when everything in progress has
    /// ended. Cancelling the caller's task does not end this wait. Values in memory stay readable.
    ///
    /// Deadlocks if the source calls it, because it waits for the source to finish.
    public func shutdown() async {
        let tasks = apply { state -> [Task<Void, Never>] in
            carryOut(state.core.closed(), &state)
            return Array(state.tasks.values)
        }
        for task in tasks { await task.value }
    }

    // MARK: The lock

    /// Applies an event to the state. Then does the work that runs foreign code, outside the lock.
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
