public import GRDB
public import Hablare
public import Logging

/// A coordinator that merges responses into the app's own data, exactly once.
///
/// A response can be merged into a record of the app's database: as a column's value, as a change of a record, or as a
/// new record. The same transaction writes a receipt of the merge. So a response is merged once, even if the process
/// crashes. A repeated call returns ``MergeOutcome/alreadyMerged(_:)``.
///
/// A response can also be merged into a model on the main actor, by a key path. Such a merge happens at most once in a
/// process. It is durable only if a ``MergeContext`` saves the model.
///
/// Content is read, checked and converted off the main actor. All SQL also runs off the main actor. Only properties are
/// set on the main actor.
///
/// The app's database must have this library's tables. See ``GRDB/DatabaseMigrator/registerHablareData()``. Create one
/// coordinator for each database and process, at the composition root. Run it (``run()``), so that it merges promised
/// responses when they arrive.
@MainActor public final class AIDataCoordinator {
    /// The options of a coordinator.
    ///
    /// ```swift
    /// let options = AIDataCoordinator.Options(
    ///     files: MergedFiles(folder: folder), provider: "writer", maximumBytesInFlight: 16 << 20)
    /// ```
    public struct Options: Sendable {
        /// The folder for content that is merged as a file, into a `URL`. Default: none. Without a folder, such merges
        /// fail. For example, `MergedFiles(folder: folder)` if models have the URL of a picture.
        public var files: MergedFiles?
        /// The provider for ``AIDataCoordinator/generate(_:from:into:property:rules:)`` if the call does not name one.
        /// Default: none. For example, `"writer"` in an app with a single provider.
        public var provider: ProviderID?
        /// The maximum number of bytes of content that merges may hold in memory at once. Further merges wait. A single
        /// merge that exceeds the limit runs alone. Default: 64 MiB. For example, `16 << 20` (16 MiB) on a watch.
        public var maximumBytesInFlight: Int

        /// Creates options. Default: the defaults of the properties.
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
    /// The receipts of merges into models. A receipt is kept while its model exists.
    var delivered = ModelReceipts()
    /// The names of properties in events. They are cached, because the name of a key path is found by a search in the
    /// program's symbols.
    var propertyNames: [AnyKeyPath: String] = [:]

    /// Creates a coordinator. It starts a thread, and reads and writes nothing yet.
    ///
    /// - Parameters:
    ///   - manager: The manager of the requests.
    ///   - database: The app's database.
    ///   - targets: The targets for responses that arrive later, even after a restart. Each target needs a unique name.
    ///     If several targets share a name, an error is logged at once, and a promise to that name is refused.
    ///   - options: The options.
    ///   - seams: The clock, the source of UUIDs, the threads and the metrics. Pass the same seams as to the manager.
    ///   - logger: The logger. Its entries never contain a prompt or a response.
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

    /// The events of merges from now on. Each reader gets a separate sequence.
    ///
    /// The sequence ends when the reading task is cancelled or the coordinator is released. A reader that is more than
    /// 10,000 events behind loses the oldest events.
    public nonisolated var merges: AsyncStream<MergeEvent> { merger.events.elements() }
}

extension AIDataCoordinator {
    /// The number of merges into models whose receipts are kept.
    package var rememberedModels: Int { delivered.count }
}
