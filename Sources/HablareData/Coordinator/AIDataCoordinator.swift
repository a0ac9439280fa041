public import GRDB
public import Hablare
public import Logging

/// A coordinator that merges responses into the app's own data, exactly once.
///
/// You can merge a response into the app's database: as a column's value, as a change of a record, or as a new record.
/// The same transaction writes a receipt, a row that records the merge. So a response is merged only once, even if the
/// process crashes. If you repeat a call, it returns ``MergeOutcome/alreadyMerged(_:)``.
///
/// You can also merge a response into a model on the main actor, by a key path. Such a merge happens at most once in a
/// process. It is durable only if a ``MergeContext`` saves the model.
///
/// Content is read, checked and converted off the main actor. All SQL also runs off the main actor. Only properties are
/// set on the main actor.
///
/// The app's database must have this library's tables. See ``GRDB/DatabaseMigrator/registerHablareData()``. Create one
/// coordinator for each database and process when the app starts. Call ``run()``, so that the coordinator merges
/// promised responses when they arrive.
@MainActor public final class AIDataCoordinator {
    /// The options of a coordinator.
    ///
    /// ```swift
    /// let options = AIDataCoordinator.Options(
    ///     files: MergedFiles(folder: folder), provider: "writer", maximumBytesInFlight: 16 << 20)
    /// ```
    public struct Options: Sendable {
        /// The folder for content that is merged as a file, into a property of type `URL`. Default: none. Without a
        /// folder, such merges fail. For example, use `MergedFiles(folder: folder)` if models have the URL of a
        /// picture.
        public var files: MergedFiles?
        /// The provider for ``AIDataCoordinator/generate(_:from:into:property:rules:)`` if the call does not name one.
        /// Default: none. For example, use `"writer"` in an app with a single provider.
        public var provider: ProviderID?
        /// The maximum number of bytes of content that merges may hold in memory at the same time. Default: 64 MiB. For
        /// example, use `16 << 20` (16 MiB) on a watch.
        ///
        /// Further merges wait. If a single merge exceeds the limit, it runs alone.
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
    /// The names of properties, for events. They are cached, because finding the name of a key path needs a search in
    /// the program's symbols.
    var propertyNames: [AnyKeyPath: String] = [:]

    /// Creates a coordinator. It starts a thread, and does not read or write the database yet.
    ///
    /// - Parameters:
    ///   - manager: The manager of the requests.
    ///   - database: The app's database.
    ///   - targets: The targets for responses that arrive later, even after a restart. Each target needs a unique name.
    ///     If several targets share a name, an error is logged at once, and later methods that promise a merge into a
    ///     target with this name throw ``MergeError/Code/ambiguousTarget``.
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

    /// A stream of the events of merges from now on. Each read of this property returns a separate stream.
    ///
    /// The stream ends when the reading task is cancelled or the coordinator is released. If a reader is more than
    /// 10,000 events behind, it loses the oldest events.
    public nonisolated var merges: AsyncStream<MergeEvent> { merger.events.elements() }
}

extension AIDataCoordinator {
    /// The number of merges into models whose receipts are kept.
    package var rememberedModels: Int { delivered.count }
}
