public import Foundation
import HablareData
public import HablarePersistence
public import HablareWeb
public import Logging
public import ServiceLifecycle
public import SiftCore

/// Sift put together: the database, the trash, the processor and the desk of one library.
///
/// This is the only place that names concrete types. The decoder comes from outside, so that a test passes another.
@MainActor
public struct SiftApplication {
    /// Where Sift keeps its data, and which photos it shows.
    public struct Locations: Sendable {
        /// The directory of the database, the settings and the token of the pages.
        public var data: URL
        /// The absolute path of the folder of photos.
        public var photos: String
        /// The home trash; `nil` for the desktop's.
        public var trash: String?

        /// Creates locations.
        public init(data: URL, photos: String, trash: String? = nil) {
            self.data = data
            self.photos = photos
            self.trash = trash
        }

        /// The directory of the data in an environment: `$XDG_DATA_HOME/sift`, or `~/.local/share/sift`.
        public static func usualData(_ environment: [String: String]) -> URL {
            if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
                return URL(fileURLWithPath: data).appendingPathComponent("sift")
            }
            let home =
                environment["HOME"].map { URL(fileURLWithPath: $0) }
                ?? FileManager.default.homeDirectoryForCurrentUser
            return home.appendingPathComponent(".local/share/sift")
        }
    }

    /// The database.
    public let database: AppDatabase
    /// The library.
    public let library: Library
    /// The processor that records decisions and carries them out.
    public let processor: PhotoBatchProcessor
    /// The desk behind the pages.
    public let desk: LibraryDesk
    /// The service that scans and watches the library.
    public let service: LibraryService
    private let locations: Locations
    /// Keeps a second Sift from the same data while this application is open.
    private let lock: InstanceLock

    /// Opens the data directory and the library. Creates what is missing.
    ///
    /// - Throws: ``SiftCore/PhotoProcessingError`` with code `busy` if another Sift has the data directory open. An error
    ///   with advice if a directory cannot be opened or the database cannot be read.
    public static func open(
        _ locations: Locations, imaging: any PhotoImaging, logger: Logger
    ) async throws -> SiftApplication {
        try FileManager.default.createDirectory(
            at: locations.data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let lock = try InstanceLock(locations.data)
        let settings = try SettingsFile(url: settingsFile(locations)).read()
        let database = try await database(locations)
        let folder = try LibraryFolder.open(locations.photos)
        let now = Date()
        let (library, session) = try await database.write { db in
            let library = try PhotoStore().addLibrary(folder, at: now, in: db)
            return (library, try DecisionStore().beginSession(of: library.id, at: now, in: db))
        }
        let journal = StoredTrashJournal(database)
        let trash = locations.trash.map { Trash(journal: journal, home: Array($0.utf8)) } ?? Trash(journal: journal)
        let waitsForReview = settings.commitMode == .review
        let processor = try await PhotoBatchProcessor(
            database: database, trash: trash, configuration: waitsForReview ? .siftWithReview : .sift, logger: logger)
        let opening = StoredPhotoOpening(database)
        let service = LibraryService(
            library.id, database: database,
            indexer: PhotoIndexer(database: database, imaging: imaging, opening: opening), logger: logger)
        let desk = LibraryDesk(
            library, database: database, processor: processor, service: service,
            loader: try PhotoLoader(imaging: imaging, opening: opening), session: session.id,
            waitsForReview: waitsForReview)
        try await desk.prepare()
        return SiftApplication(
            database: database, library: library, processor: processor, desk: desk, service: service,
            locations: locations, lock: lock)
    }

    /// Opens the database of a data directory.
    public static func database(_ locations: Locations) async throws -> AppDatabase {
        try await AppDatabase.open(
            at: locations.data.appendingPathComponent("sift.sqlite"), migrator: SiftSchema.migrator,
            options: SiftSchema.options)
    }

    /// Returns the server of the pages.
    public func server(_ options: FaceOptions, logger: Logger) throws -> FaceServer {
        let token = try AccessToken.stored(in: locations.data.appendingPathComponent("token").path)
        return FaceServer(
            try SiftFace.make(desk, settingsFile: Self.settingsFile(locations)), options: options, token: token,
            logger: logger)
    }

    /// The services to run, in the order in which they start.
    public var services: [any Service] { [processor, desk, service] }

    private static func settingsFile(_ locations: Locations) -> URL {
        locations.data.appendingPathComponent("settings.json")
    }
}
