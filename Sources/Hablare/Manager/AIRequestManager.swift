import Foundation
public import Logging

/// The entry point to the engine: submits, watches, awaits, cancels and queries requests.
///
/// Everything that it acknowledges is on disk. The manager is a façade: it makes no decisions and holds no state except
/// its parts. It is therefore a `Sendable` class and not an actor, and calls from many tasks do not wait for each
/// other.
///
/// An ``EngineService`` executes the requests. Without one, requests are accepted and wait for a process that runs one.
/// Create one manager per store and process, at the composition root.
///
/// Submitting, cancelling, waiting, watching and reading need no engine. A caller that waits or watches also sees the
/// commits of other processes on the store. It learns of those commits through the store's ``RequestStore/signal`` and
/// at every ``EngineConfiguration/renewalInterval``. A store without a signal can be used by one process only.
///
/// After an engine has run here and was shut down, waits end with ``AIServiceError/Code/suspended``. They can be
/// started again when an engine runs again. If a process must keep waiting, run no engine in it, or run one with the
/// scope ``ClaimScope/nothing``, which calls no provider.
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

    /// Creates a manager and its parts. Starts the journal's thread and nothing else.
    ///
    /// - Parameters:
    ///   - store: The store that keeps the requests.
    ///   - providers: The providers that execute requests.
    ///   - configuration: The options of the engine.
    ///   - seams: The clock, the source of UUIDs, the threads, and the destinations of metrics and spans. Default:
    ///     those of the system.
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
