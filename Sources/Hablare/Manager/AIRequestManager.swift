import Foundation
public import Logging

/// The entry point to the engine: submits, watches, awaits, cancels and queries requests.
///
/// When the manager acknowledges an operation, its result is on disk. The manager is a facade: its parts make all
/// decisions and hold all state. It is a `Sendable` class and not an actor, so calls from many tasks do not wait for
/// each other.
///
/// An ``EngineService`` executes the requests. If no service runs in this process, the manager still accepts requests.
/// They wait until a process runs a service. Create one manager for each store in a process, where you create your
/// app's other long-lived objects.
///
/// You can submit, cancel, wait for, watch and read requests without a running engine. If another process on the store
/// changes a request, a caller in this process that waits for or watches the request is notified. The store's
/// ``RequestStore/signal`` announces these changes. The manager also looks for changes at every
/// ``EngineConfiguration/renewalInterval``. Only one process may use a store that has no signal.
///
/// When the engine of this process is shut down, functions that wait for an outcome throw
/// ``AIServiceError/Code/suspended``. Call them again when an engine runs again. If callers in a process must be able
/// to wait at any time, run no engine in that process. Or run an engine with the scope ``ClaimScope/nothing``, which
/// calls no provider.
public final class AIRequestManager: Sendable {
    let store: any RequestStore
    package let registry: ProviderRegistry
    let configuration: EngineConfiguration
    package let seams: EngineSeams
    package let logger: Logger
    let observer: EngineObserver
    package let journal: Journal
    let answers: AnswerCache
    let engine: Engine

    /// Creates a manager. Starts one thread, which writes to the store, and nothing else.
    ///
    /// - Parameters:
    ///   - store: The store that keeps the requests.
    ///   - providers: The providers that execute requests.
    ///   - configuration: The options of the engine.
    ///   - seams: The clock, the source of UUIDs, the threads, and the destinations of metrics and spans. Default: the
    ///     system's clock, UUIDs and threads, and the bootstrapped metrics and tracing systems.
    ///   - logger: The engine's logger. It never receives prompts, responses or credentials.
    public init(
        store: any RequestStore,
        providers: ProviderRegistry,
        configuration: EngineConfiguration = EngineConfiguration(),
        seams: EngineSeams = EngineSeams(),
        logger: Logger = Logger(label: "hablare")
    ) {
        self.store = store
        self.registry = providers
        self.configuration = configuration
        var seams = seams
        if let date = store.date { seams.date = date }
        self.seams = seams
        self.logger = logger
        let observer = EngineObserver(seams, registry: providers)
        self.observer = observer
        let journal = Journal(store: store, driver: seams.makeCommitDriver(), meters: observer.meters?.journal)
        answers = AnswerCache(configuration.cache, isShared: store.signal != nil)
        let chunks = ChunkHub()
        let parts = AttemptTask.Parts(
            journal: journal, content: store.content, registry: providers,
            streams: AttemptStream.Seams(
                journal: journal, content: store.content, hub: chunks, clock: seams.clock,
                spawner: TaskSpawner(executor: seams.taskExecutor)),
            configuration: configuration, seams: seams, observer: observer, logger: logger)
        self.journal = journal
        engine = Engine(
            parts: parts, store: store, answers: answers, chunks: chunks, registry: providers,
            configuration: configuration, seams: seams)
        journal.start(notifying: engine)
    }
}
