import AppCommand
public import Foundation
import Hablare
import HablareData
import HablareLoading
public import HablarePersistence
import HablareSQLite
public import HablareWeb
public import Logging
public import ServiceLifecycle
public import SiftCore

/// Sift put together: the database, the trash, the processor, and a desk for each folder of photos.
///
/// This is the only place that names concrete types. The decoder comes from outside, so that a test passes another.
@MainActor
public struct SiftApplication {
    /// Where Sift keeps its data, and which photos it shows.
    public struct Locations: Sendable {
        /// The directory of the database, the settings and the token of the pages.
        public var data: URL
        /// The absolute paths of the folders of photos, at least one. The first one is shown first.
        public var folders: [String]
        /// The home trash; `nil` for the desktop's.
        public var trash: String?

        /// Creates locations of one folder.
        public init(data: URL, photos: String, trash: String? = nil) {
            self.init(data: data, folders: [photos], trash: trash)
        }

        /// Creates locations of several folders.
        public init(data: URL, folders: [String], trash: String? = nil) {
            self.data = data
            self.folders = folders
            self.trash = trash
        }

        /// The directory of the data in an environment: `$XDG_DATA_HOME/sift`, or `~/.local/share/sift`.
        public static func usualData(_ environment: [String: String]) -> URL {
            DataDirectory.usual("sift", environment: environment)
        }
    }

    /// One folder of photos, open. Its photos, decisions, history and sessions are its own.
    public struct OpenLibrary: Sendable {
        /// The library.
        public let library: Library
        /// The desk behind its pages.
        public let desk: LibraryDesk
        /// The service that scans and watches it.
        public let service: LibraryService
    }

    /// The database.
    public let database: AppDatabase
    /// The processor that records the decisions of all libraries and carries them out.
    public let processor: PhotoBatchProcessor
    /// The libraries, in the order of ``Locations/folders``. There is at least one.
    public let libraries: [OpenLibrary]
    /// Computes what suggestions need, in the background.
    private let engine: AIRequestManager
    private let sessions: SessionService
    private let locations: Locations
    /// Keeps a second Sift from the same data while this application is open.
    private let lock: InstanceLock

    /// The first library.
    public var library: Library { libraries[0].library }
    /// The desk of the first library.
    public var desk: LibraryDesk { libraries[0].desk }

    /// Opens the data directory and the libraries. Creates what is missing.
    ///
    /// - Throws: ``AppStartError``, which names the folder or the directory and says what to do.
    public static func open(
        _ locations: Locations, imaging: any PhotoImaging, logger: Logger
    ) async throws -> SiftApplication {
        // The folders first: a wrong name must leave nothing behind.
        let folders = try await Self.folders(locations)
        try await checkTrash(locations, folders)
        do {
            try DataDirectory.create(locations.data)
        } catch {
            throw AppStartError(creating: locations.data.path, error, of: "Sift")
        }
        do {
            return try await open(locations, folders, imaging, logger)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw AppStartError(error, data: locations.data.path)
        }
    }

    private static func open(
        _ locations: Locations, _ folders: [LibraryFolder], _ imaging: any PhotoImaging, _ logger: Logger
    ) async throws -> SiftApplication {
        let lock = try InstanceLock(locations.data, app: "sift")
        let settings = try settings(locations)
        let database = try await database(locations)
        let now = Date()
        let records = try await recording(database) {
            try await database.write { db in
                try folders.map { folder in
                    let library = try PhotoStore().addLibrary(folder, at: now, in: db)
                    return (library, try DecisionStore().beginSession(of: library.id, at: now, in: db))
                }
            }
        }
        let journal = StoredTrashJournal(database)
        let trash = locations.trash.map { Trash(journal: journal, home: Array($0.utf8)) } ?? Trash(journal: journal)
        let waitsForReview = settings.commitMode == .review
        let activity = PersonActivity()
        let processor = try await PhotoBatchProcessor(
            database: database, trash: trash, configuration: waitsForReview ? .siftWithReview : .sift,
            activity: activity, logger: logger)
        let opening = StoredPhotoOpening(database)
        // All decodes of the process share one budget of memory.
        let budget = try LoadBudget()
        let loader = try PhotoLoader(imaging: imaging, opening: opening, budget: budget, activity: activity)
        let engine = AIRequestManager(
            store: try SQLiteStore(directory: locations.data.appendingPathComponent("engine")),
            providers: try ProviderRegistry([PhotoAnalyst(imaging: imaging, opening: opening, budget: budget)]),
            configuration: PhotoAnalyst.engineConfiguration, logger: logger)
        let indexer = PhotoIndexer(
            database: database, imaging: imaging, opening: opening, engine: engine, activity: activity)
        let libraries = records.map { library, session in
            let service = LibraryService(library.id, database: database, indexer: indexer, logger: logger)
            return OpenLibrary(
                library: library,
                desk: LibraryDesk(
                    library, database: database, processor: processor, service: service, loader: loader,
                    session: session.id, waitsForReview: waitsForReview),
                service: service)
        }
        for library in libraries { try await recording(database) { try await library.desk.prepare() } }
        return SiftApplication(
            database: database, processor: processor, libraries: libraries, engine: engine,
            sessions: SessionService(records.map(\.1.id), database: database, logger: logger), locations: locations,
            lock: lock)
    }

    /// Opens the folders. Refuses a folder that lies inside another one: its photos would be shown twice.
    private static func folders(_ locations: Locations) async throws -> [LibraryFolder] {
        var found: [LibraryFolder] = []
        for path in locations.folders {
            let folder: LibraryFolder
            do {
                folder = try await LibraryFolder.opened(path)
            } catch let error as PhotoProcessingError {
                throw AppStartError(error, folder: path)
            }
            let inside = folder.path + [UInt8(ascii: "/")]
            for other in found {
                let outside = other.path + [UInt8(ascii: "/")]
                guard inside.starts(with: outside) || outside.starts(with: inside) else { continue }
                let name = String(decoding: other.path, as: UTF8.self)
                throw AppStartError(
                    .foldersOverlap,
                    folder.path == other.path
                        ? "The folder '\(path)' is named twice. Name each folder once."
                        : "The folders '\(name)' and '\(path)' lie inside each other. Name only the outer one.")
            }
            found.append(folder)
        }
        return found
    }

    /// Refuses a trash inside a folder of photos: the next scan would find each trashed photo and count it as restored.
    private static func checkTrash(_ locations: Locations, _ folders: [LibraryFolder]) async throws {
        let home = locations.trash.map { Array($0.utf8) } ?? Trash.usualHome()
        let trash = String(decoding: home, as: UTF8.self)
        for folder in folders {
            do {
                guard try await Trash.isScanned(home, with: folder) else { continue }
            } catch let error as PhotoProcessingError {
                throw AppStartError(error, folder: trash)
            }
            let name = String(decoding: folder.path, as: UTF8.self)
            throw AppStartError(
                .trashInFolder,
                "The trash '\(trash)' lies inside the folder of photos '\(name)', so Sift would show trashed photos "
                    + "as if they were restored. Pass --trash with a directory outside of the folder.")
        }
    }

    private static func settings(_ locations: Locations) throws -> SiftSettings {
        let file = settingsFile(locations)
        do {
            return try SettingsFile(url: file).read()
        } catch {
            throw AppStartError(settings: file.path)
        }
    }

    /// Gives advice about an error of the database.
    private static func recording<R: Sendable>(
        _ database: AppDatabase, _ body: () async throws -> R
    ) async throws -> R {
        do {
            return try await body()
        } catch {
            throw AppDatabaseError(describing: error, of: database) ?? error
        }
    }

    /// Opens the database of a data directory.
    public static func database(_ locations: Locations) async throws -> AppDatabase {
        try await AppDatabase.open(
            at: locations.data.appendingPathComponent("sift.sqlite"), migrator: SiftSchema.migrator,
            options: SiftSchema.options)
    }

    /// Returns the server of the pages.
    ///
    /// - Parameters:
    ///   - options: The address, the port and the limits.
    ///   - logger: The logger.
    ///   - onStart: Called with the link to open when the server listens. Default: prints it.
    public func server(
        _ options: FaceOptions, logger: Logger, onStart: @escaping @Sendable (String) -> Void = FaceServer.printLine
    ) throws -> FaceServer {
        let token = try AccessToken.stored(in: locations.data.appendingPathComponent("token").path)
        return FaceServer(
            try SiftFace.make(
                desk, with: libraries.dropFirst().map(\.desk), settingsFile: Self.settingsFile(locations)),
            options: options, token: token, logger: logger, onStart: onStart)
    }

    /// The services to run, in the order in which they start.
    public var services: [any Service] {
        [sessions, processor, EngineService(engine)]
            + libraries.flatMap { [$0.desk as any Service, $0.service] }
    }

    private static func settingsFile(_ locations: Locations) -> URL {
        locations.data.appendingPathComponent("settings.json")
    }
}
