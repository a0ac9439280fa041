import Foundation
public import Logging

/// The entry point to the engine: submits, watches, awaits, cancels and queries requests.
///
/// Everything that the manager acknowledges is on disk. The manager makes no decisions and holds no state except its
/// parts. It is a `Sendable` class and not an actor, so calls from many tasks do not wait for each other.
///
/// An ``EngineService`` executes the requests. If no service runs in this process, the manager still accepts requests.
/// They wait for a process that runs a service. Create one manager per store and process, at the composition root.
///
/// Submitting, cancelling, waiting, watching and reading need no engine. A caller that waits or watches also sees the
/// commits of other processes on the store. This process is notified of these commits through the store's
/// ``RequestStore/signal``, and it looks for them at every ``EngineConfiguration/renewalInterval``. A store without a
/// signal can be used by one process only.
///
/// When the engine of this process is shut down, waits end with ``AIServiceError/Code/suspended``. Wait again when
/// an engine runs again. If a process must keep waiting, do not run an engine in it, or run an engine with the
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
