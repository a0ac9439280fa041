public import GRDB
public import Hablare
public import Logging

/// Brings responses into the app's own data, on the main actor and exactly once.
///
/// Into records of the app's database: a column, a change of a record, a new record. The receipt of the merge is in the
/// same database and written in the same transaction, so a response is in the app's data once, whatever crashes when; asking
/// again is harmless and says so. Into models that live on the main actor: by key path, at most once in a process, and
/// durable where a ``MergeContext`` saves them.
///
/// Contents are read, checked and converted off the main actor, and so is all SQL: on it, only properties are set.
///
/// The app's database must have this library's tables: see ``GRDB/DatabaseMigrator/registerHablareData()``. Make one
/// coordinator for each database and process, at the composition root, and run it (``run()``): it keeps the promises of
/// merges whose responses are still to come.
@MainActor public final class AIDataCoordinator {
    /// How a coordinator behaves.
    public struct Options: Sendable {
        /// Where content is kept that is merged as a file, into a `URL`. Default: nowhere; such merges fail.
        public var files: MergedFiles?
        /// Who is asked by ``AIDataCoordinator/generate(_:from:into:property:rules:)`` where the call names nobody.
        /// Default: nobody.
        public var provider: ProviderID?
        /// How many bytes of content merges may hold in memory at once; others wait for room. What alone has more is let in
        /// alone. Default: 64 MiB.
        public var maximumBytesInFlight: Int

        /// Creates options; the defaults unless given.
        public init(files: MergedFiles? = nil, provider: ProviderID? = nil, maximumBytesInFlight: Int = 64 << 20) {
            self.files = files
            self.provider = provider
            self.maximumBytesInFlight = maximumBytesInFlight
        }
    }

    nonisolated let manager: AIRequestManager
    nonisolated let database: any DatabaseWriter
    nonisolated let options: Options
    nonisolated let seams: EngineSeams
    nonisolated let merger: Merger
    nonisolated let promises: PromiseKeeper
    nonisolated let logger: Logger
    nonisolated let deliveries: Deliveries
    /// What was merged into which model, for as long as the model lives.
    var delivered = ModelReceipts()
    /// What events call the places of models. Asking a key path for its name means looking into the program's symbols.
    var placeNames: [AnyKeyPath: String] = [:]

    /// Creates a coordinator. Reads and writes nothing yet, but for a thread that it starts.
    ///
    /// - Parameters:
    ///   - manager: Whose responses are merged.
    ///   - database: The app's database.
    ///   - targets: What responses may be merged into when they come, also after a restart. Each has a name of its
    ///     own: what is promised to a name that two have is refused, and an error is logged at once.
    ///   - options: How it behaves.
    ///   - seams: Time, identity, threads and metrics: those that the manager was given.
    ///   - logger: Where it logs. Never a prompt or a response.
    public nonisolated init(
        manager: AIRequestManager, database: any DatabaseWriter, targets: [MergeTarget] = [],
        options: Options = Options(), seams: EngineSeams = EngineSeams(), logger: Logger = Logger(label: "hablare.data")
    ) {
        self.manager = manager
        self.database = database
        self.options = options
        self.seams = seams
        merger = Merger(manager: manager, database: database, options: options, seams: seams, logger: logger)
        promises = PromiseKeeper(
            manager: manager, database: database, merger: merger, targets: targets, seams: seams, logger: logger)
        self.logger = logger
        deliveries = Deliveries(TaskSpawner(executor: seams.taskExecutor))
    }

    /// What happens to merges, from now on: one sequence for each reader.
    ///
    /// Ends when the reading task is cancelled, and with the coordinator. A reader who is more than 10,000 events behind
    /// loses the oldest.
    public nonisolated var merges: AsyncStream<MergeEvent> { merger.events.elements() }
}

extension AIDataCoordinator {
    /// Of how many responses it is remembered that they were merged into a model.
    package var rememberedModels: Int { delivered.count }
}
