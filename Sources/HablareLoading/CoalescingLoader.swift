public import Hablare
public import Logging

/// Loads values by key: one load for each key however many ask, with memory in front and a ``BlobCache`` behind.
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
/// - Who asks for a key that is being loaded joins that load. Cancelling one caller's task ends that caller's wait at
///   once, and nobody else's; with its last caller the load itself is cancelled.
/// - ``LoaderPolicy/concurrency`` loads are under way at once. What is ``LoadPriority/visible`` begins before what is
///   preloaded, in the order of asking; asking for what waits to be preloaded lifts it.
/// - A failed attempt is followed by others as ``LoaderPolicy/retry`` says, and gives up its place while it waits. A
///   failure is delivered and never kept: the next to ask tries anew.
/// - A failure of the blob cache fails no load. It is counted, and logged when it begins and when it is over.
///
/// The loader may be used from any actor and thread. Its source, its coding and its blob cache run on tasks of its own,
/// never on a caller's actor. It owns these tasks: ``shutdown()`` cancels them and waits for their end. A loader that
/// nobody holds any more cancels them too, but nobody can wait for them then; callers that wait hold it. Keys are hashed
/// and compared under its lock, and must not use it then.
public final class CoalescingLoader<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    let policy: LoaderPolicy<Value>
    let source: LoadSource<Key, Value>
    let clock: EngineClock
    let spawner: TaskSpawner
    let logger: Logger
    let state: Guarded<State>

    /// Creates a loader.
    ///
    /// - Parameters:
    ///   - policy: How it behaves.
    ///   - blobs: Where values are kept that outlive the process. Default: nowhere.
    ///   - seams: What it waits by, and where its tasks run; the rest is not used. Default: the system's.
    ///   - logger: Where failures of the blob cache are told. Keys and values never are.
    ///   - load: Makes the value of a key. Called for one present load of a key at a time, on a task that is cancelled
    ///     when nobody wants the value any more; what it returns or throws then is dropped. While it ignores the
    ///     cancellation it keeps its place, and the key can be asked for anew beside it.
    /// - Throws: ``/Hablare/AIServiceError`` with code ``/Hablare/AIServiceError/Code/invalidConfiguration`` for a policy that cannot be
    ///   meant.
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
        state = Guarded(
            State(core: LoadCore(concurrency: policy.concurrency), memory: Self.emptyMemory(policy)))
    }

    deinit {
        // Preloads, and what has not ended yet: whoever waited would hold the loader.
        for task in state.withLock({ Array($0.tasks.values) }) { task.cancel() }
    }

    static func emptyMemory(_ policy: LoaderPolicy<Value>) -> LeastRecentlyUsed<Key, Value> {
        LeastRecentlyUsed(maximumCount: policy.memoryCount, maximumCost: policy.memoryBytes)
    }

    // MARK: Asking

    /// The value of a key: from memory, from the blob cache, or loaded.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - priority: Who is served first. Default ``LoadPriority/visible``.
    /// - Throws: What the source threw at the last attempt, as it was; `CancellationError` at once when the caller's task
    ///   is cancelled, while the load goes on for others; ``/Hablare/AIServiceError`` with code
    ///   ``/Hablare/AIServiceError/Code/invalidState`` after ``shutdown()``.
    public func load(_ key: Key, priority: LoadPriority = .visible) async throws -> Value {
        try Task.checkCancellation()
        let start = happened { state -> Start in
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

    /// Begins to load what may soon be asked for, after everything that is visible. Returns at once.
    ///
    /// What is in memory is left alone. Values come into memory and the blob cache; failures are told to nobody, and tried
    /// again by whoever asks.
    ///
    /// - Returns: What stops it. Dropping that stops nothing.
    @discardableResult
    public func preload(_ keys: some Sequence<Key>) -> Preload {
        var asks: [(caller: Int, load: Int)] = []
        for key in keys {
            let begun = happened { state -> (caller: Int, load: Int)? in
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
        apply(effects, &state)
        return load
    }

    private func wait(_ caller: Int, _ continuation: CheckedContinuation<Value, any Error>) {
        happened { state in
            guard case .over(let result) = state.asks.updateValue(.waiting(continuation), forKey: caller) else {
                return
            }
            state.asks[caller] = nil
            state.aftermath.answers.append((continuation, result))
        }
    }

    /// A caller does not want its value any more. One that has it already keeps it.
    private func leave(_ caller: Int, _ load: Int) {
        happened { state in
            state.answer(caller, with: .failure(CancellationError()))
            apply(state.core.left(caller, load), &state)
        }
    }

    // MARK: Ending

    /// Ends all loads: nothing is loaded any more, whoever waits is told so, and what is under way is cancelled. Returns
    /// when all of it has ended; cancelling the caller's task does not hurry that. Memory can still be read.
    ///
    /// Not to be called by the source itself, for which it would wait.
    public func shutdown() async {
        let tasks = happened { state -> [Task<Void, Never>] in
            apply(state.core.closed(), &state)
            return Array(state.tasks.values)
        }
        for task in tasks { await task.value }
    }

    // MARK: The lock

    /// Tells the state what happened, and then, without the lock, does what runs code of others.
    func happened<R: Sendable>(_ change: (inout State) -> R) -> R {
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
