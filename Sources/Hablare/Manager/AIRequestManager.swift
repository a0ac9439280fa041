import Foundation
public import Logging

/// The front door of the engine: submit slow work, watch it, wait for it, cancel it, ask about it.
///
/// Whatever it acknowledges is on disk. A façade: it decides nothing and holds no state but its parts, so it is a
/// `Sendable` class and not an actor, and calls from many tasks do not queue up behind each other.
///
/// Work is executed while an ``EngineService`` runs; without one, requests are accepted and wait for a process in which one
/// does. Make one manager per store and process, at the composition root.
///
/// To submit, cancel, wait, watch and read needs no engine. A caller who waits or watches hears of what other processes on
/// the store commit, as long as it does so, by the store's ``RequestStore/signal`` and at every
/// ``EngineConfiguration/renewalInterval``; a store without a signal is of one process. Where an engine has run here and
/// was shut down, waits end with ``AIServiceError/Code/suspended``, and may be begun again when one runs again; a process
/// that is to go on listening has no engine, or one of the scope ``ClaimScope/nothing``, which calls no provider.
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

    /// Creates a manager and its parts. Starts the journal's thread, nothing else.
    ///
    /// - Parameters:
    ///   - store: Where requests live.
    ///   - providers: Who does the work.
    ///   - configuration: How the engine behaves.
    ///   - seams: Time, identity, threads, metrics and spans; the system's unless replaced.
    ///   - logger: Where the engine logs. Never prompts, responses or credentials.
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
        journal.start(telling: engine)
    }
}
