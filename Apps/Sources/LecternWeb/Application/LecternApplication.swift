import AppCommand
public import Foundation
import Hablare
import HablareData
public import HablarePersistence
public import HablareWeb
public import LecternCore
public import Logging
public import ServiceLifecycle

/// Lectern put together: the database, the texts, the person's data, and the pages.
///
/// This is the only place that names concrete types.
@MainActor
public struct LecternApplication {
    /// The database.
    public let database: AppDatabase
    /// Imports and deletes texts.
    public let library: TextLibrary
    /// The person's marks, plans and history.
    public let personal: PersonalData
    let narration: Narration
    private let listening: ListeningDesk
    private let handouts: HandoutDesk
    private let folder: URL
    private let settings: ReaderSettings
    /// Keeps a second Lectern from the same data while this application is open.
    private let lock: InstanceLock

    /// Opens the data directory. Creates what is missing.
    ///
    /// - Throws: ``AppStartError``, which names the directory and says what to do.
    public static func open(_ folder: URL, logger: Logger) async throws -> LecternApplication {
        do {
            try DataDirectory.create(folder)
        } catch {
            throw AppStartError(creating: folder.path, error, of: "Lectern")
        }
        do {
            let lock = try InstanceLock(folder, app: "lectern")
            let settings = try SettingsFile(folder).read()
            let database = try await database(folder)
            let library = TextLibrary(database, logger: logger)
            try await library.removeLeftovers()
            let personal = try await PersonalData(database: database, logger: logger)
            let narration = try Narration(in: folder, logger: logger)
            let listening = ListeningDesk(
                narrator: narration.narrator, voices: narration.voices, shelf: TextShelf(database), personal: personal)
            let handouts = HandoutDesk(
                in: folder.appendingPathComponent("handouts"), narrator: narration.narrator)
            return LecternApplication(
                database: database, library: library, personal: personal, narration: narration, listening: listening,
                handouts: handouts, folder: folder, settings: settings, lock: lock)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw AppStartError(error, data: folder.path)
        }
    }

    /// Opens the database of a data directory.
    public static func database(_ folder: URL) async throws -> AppDatabase {
        try await AppDatabase.open(
            at: folder.appendingPathComponent("lectern.sqlite"), migrator: LecternSchema.migrator,
            options: LecternSchema.options)
    }

    /// The face of the pages.
    public func face() throws -> Face {
        let file = SettingsFile(folder)
        return try LecternFace.make(
            database: database, library: library, personal: personal, listening: listening, handouts: handouts,
            settings: settings
        ) { try file.write($0) }
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
        let token = try AccessToken.stored(in: folder.appendingPathComponent("token").path)
        return FaceServer(
            try face(), options: LecternFace.options(options), token: token, logger: logger, onStart: onStart)
    }

    /// The services to run, in the order in which they start.
    public var services: [any Service] { [narration.engine, listening, handouts] }
}
