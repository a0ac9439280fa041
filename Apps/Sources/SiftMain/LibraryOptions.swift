import AppCommand
import ArgumentParser
import Foundation
import Logging
import SiftImaging
import SiftWeb

/// The options that all commands share.
struct DataOptions: ParsableArguments {
    @Option(help: "The directory of Sift's data. Default: $XDG_DATA_HOME/sift or ~/.local/share/sift.")
    var dataDir: String?

    @Option(help: "The home trash. Default: the desktop's.")
    var trash: String?

    /// Returns the locations of folders as a person named them.
    func locations(_ folders: [String]) -> SiftApplication.Locations {
        let environment = ProcessInfo.processInfo.environment
        let data = dataDir.map { URL(fileURLWithPath: $0) } ?? SiftApplication.Locations.usualData(environment)
        let named = folders.isEmpty ? [PicturesFolder.usual(environment)] : folders
        return SiftApplication.Locations(
            // The hint keeps `URL` from asking the volume, which may not answer.
            data: data,
            folders: named.map { URL(filePath: $0, directoryHint: .notDirectory).standardizedFileURL.path },
            trash: trash.map { URL(fileURLWithPath: $0).standardizedFileURL.path })
    }

    /// Opens the application with decoding workers, and closes these afterwards.
    ///
    /// - Parameter warmsUp: Whether the workers start while the application opens, because a photo is shown soon.
    @MainActor
    func withApplication(
        _ folders: [String], warmsUp: Bool = false, _ body: @MainActor (SiftApplication, Logger) async throws -> Void
    ) async throws {
        let locations = locations(folders)
        var logger = Logger(label: "sift") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .notice
        let environment = ProcessInfo.processInfo.environment
        let pool = Self.pool(ThumbnailCache.defaultFolder(environment: environment).map { ThumbnailCache(folder: $0) })
        if warmsUp { pool.warmUp() }
        do {
            try await body(try await open(locations, folders, pool, logger), logger)
        } catch {
            await pool.close()
            throw error
        }
        await pool.close()
    }

    /// Returns workers that decode, which are this program again.
    static func pool(_ thumbnails: ThumbnailCache? = nil) -> ImagingPool {
        ImagingPool(.init(command: .thisExecutable(subcommand: Sift.worker), thumbnails: thumbnails))
    }

    @MainActor
    private func open(
        _ locations: SiftApplication.Locations, _ named: [String], _ pool: ImagingPool, _ logger: Logger
    ) async throws -> SiftApplication {
        do {
            return try await SiftApplication.open(locations, imaging: pool, logger: logger)
        } catch let error as AppStartError where error.code == .folderMissing {
            if named.isEmpty {
                throw AppStartError(
                    error.code,
                    "\(error.message) Sift shows this folder if you name none. Name one: sift serve FOLDER. "
                        + EmptyFolderNote.sample)
            }
            var advice = ""
            if let word = named.first, named.count == 1, !word.contains("/") {
                advice = " If '\(word)' is meant as a command: `sift --help` lists the commands."
            }
            throw AppStartError(error.code, error.message + advice)
        }
    }
}

/// The options of commands on one folder.
struct LibraryOptions: ParsableArguments {
    @OptionGroup var data: DataOptions

    @Argument(help: "The folder of photos. Default: the desktop's folder of pictures.")
    var photos: String?

    private var named: [String] { photos.map { [$0] } ?? [] }

    /// The locations that the options name.
    var locations: SiftApplication.Locations { data.locations(named) }

    /// Opens the application with decoding workers, and closes these afterwards.
    @MainActor
    func withApplication(_ body: @MainActor (SiftApplication, Logger) async throws -> Void) async throws {
        try await data.withApplication(named, body)
    }
}
