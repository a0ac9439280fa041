import GRDB
public import Hablare
public import HablarePersistence
public import Logging
public import ServiceLifecycle

/// Keeps the store in step with one library: scans it, watches it, scans it again after changes, and indexes its
/// photos.
public final class LibraryService: Service {
    /// The activity of the service at one time.
    public enum Activity: Sendable, Hashable {
        /// A scan runs.
        case scanning(LibraryScanner.Progress)
        /// The photos are indexed in the background.
        case indexing
        /// Nothing is to be done until the library changes.
        case watching
        /// The library cannot be read. It is tried again.
        case failed(PhotoProcessingError)
    }

    /// The pause after a change before the library is scanned again: 500 ms. Copying a folder is one scan.
    static let quietTime: Duration = .milliseconds(500)
    /// The time between two attempts at a library that cannot be read: 2 s.
    static let retryDelay: Duration = .seconds(2)
    /// The pause before photos are indexed again after a failure: 10 s.
    static let indexRetryDelay: Duration = .seconds(10)
    /// The time between two scans of a library of which not every folder is watched: 60 s.
    static let pollingInterval: Duration = .seconds(60)

    /// The rest after a scan, as a multiple of the scan's own time: 4. Sift's own moves are changes too, and must not
    /// keep a slow volume busy all the time.
    static let rest = 4

    private let library: LibraryID
    private let database: AppDatabase
    private let scanner: LibraryScanner
    private let indexer: PhotoIndexer?
    private let clock: EngineClock
    private let logger: Logger
    private let makeWatch: @Sendable (LibraryFolder) -> LibraryWatch
    private let feed = Feed<Activity>()

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - library: The library.
    ///   - database: Sift's database.
    ///   - indexer: Indexes the photos. Default: none.
    ///   - seams: The clock and dates. Default: those of the system.
    ///   - logger: The logger. Default: `sift.library`.
    public convenience init(
        _ library: LibraryID, database: AppDatabase, indexer: PhotoIndexer? = nil, seams: EngineSeams = EngineSeams(),
        logger: Logger = Logger(label: "sift.library")
    ) {
        self.init(
            library, database: database, indexer: indexer, seams: seams, logger: logger,
            makeWatch: { LibraryWatch($0) })
    }

    /// Creates a service with a watch of the caller's.
    init(
        _ library: LibraryID, database: AppDatabase, indexer: PhotoIndexer? = nil, seams: EngineSeams,
        logger: Logger = Logger(label: "sift.library"), makeWatch: @escaping @Sendable (LibraryFolder) -> LibraryWatch
    ) {
        self.makeWatch = makeWatch
        self.library = library
        self.database = database
        self.indexer = indexer
        self.logger = logger
        clock = seams.clock
        scanner = LibraryScanner(database: database, seams: seams)
    }

    /// The activities of the service from now on. Each reader gets each activity.
    public var activities: AsyncStream<Activity> { feed.elements() }

    /// Runs until a graceful shutdown, or until the task is cancelled. A scan that the database cannot store is repeated
    /// after 2 s, and indexing that fails after 10 s.
    ///
    /// - Throws: Errors other than those of the folder and the database.
    public func run() async throws {
        do {
            try await cancelWhenGracefulShutdown { try await self.keep() }
        } catch is CancellationError {
            return
        }
    }

    private func keep() async throws {
        while true {
            do {
                try await followFolder()
            } catch let error as PhotoProcessingError {
                logger.notice("A library cannot be read", metadata: ["code": "\(error.code.rawValue)"])
                feed.send(.failed(error))
                try await clock.sleep(for: Self.retryDelay)
            } catch let error as DatabaseError {
                // A full data folder must not end the program: decisions say so themselves, and space may come back.
                logger.warning("A scan could not be stored", metadata: ["code": "\(error.resultCode)"])
                try await clock.sleep(for: Self.retryDelay)
            }
        }
    }

    /// Scans and watches until the folder cannot be read any more.
    private func followFolder() async throws {
        let id = library
        guard let library = try await database.read({ try PhotoStore().library(id, in: $0) }) else {
            throw PhotoProcessingError(.photoGone)
        }
        let folder = try await BlockingWork.reading(clock: clock) { try LibraryFolder.open(library.path) }
        let watch = makeWatch(folder)
        let changes = watch.changes()
        let due = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let unindexed = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in changes { due.continuation.yield() } }
            group.addTask { [self] in for await _ in unindexed.stream { try await index() } }
            defer { group.cancelAll() }
            var earliest = try await scan(watch)
            unindexed.continuation.yield()
            group.addTask { [clock] in
                while true {
                    try await clock.sleep(for: Self.pollingInterval)
                    // The kernel may run out of watches at any scan.
                    if !watch.isComplete { due.continuation.yield() }
                }
            }
            for await _ in due.stream {
                try await clock.sleep(for: max(Self.quietTime, earliest - clock.now))
                earliest = try await scan(watch)
                unindexed.continuation.yield()
            }
            group.cancelAll()
            try await group.waitForAll()
        }
        try Task.checkCancellation()
    }

    /// Scans the library. Returns the earliest time of the next scan.
    private func scan(_ watch: LibraryWatch) async throws -> Duration {
        let (id, start) = (library, clock.now)
        guard let library = try await database.read({ try PhotoStore().library(id, in: $0) }) else {
            throw PhotoProcessingError(.photoGone)
        }
        try await scanner.scan(
            library, progress: { [feed] in if !$0.isComplete { feed.send(.scanning($0)) } },
            visited: { watch.add($0) })
        let end = clock.now
        feed.send(.watching)
        return end + (end - start) * Self.rest
    }

    /// Indexes the photos until none is left. A failure, such as a full data folder, must not end the program: nothing
    /// that a person decides depends on the index.
    private func index() async throws {
        guard let indexer else { return }
        feed.send(.indexing)
        while true {
            do {
                try await indexer.readHeaders(of: library)
                try await indexer.computeFeatures(of: library)
                break
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                logger.warning("The photos cannot be indexed now. Sift tries again", metadata: ["cause": "\(error)"])
                try await clock.sleep(for: Self.indexRetryDelay)
            }
        }
        feed.send(.watching)
    }
}
