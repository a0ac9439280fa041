import ArgumentParser
import Foundation
import Logging
import SiftImaging
import SiftWeb

/// The options that all commands share.
struct LibraryOptions: ParsableArguments {
    @Option(help: "The directory of Sift's data. Default: $XDG_DATA_HOME/sift or ~/.local/share/sift.")
    var dataDir: String?

    @Option(help: "The home trash. Default: the desktop's.")
    var trash: String?

    @Argument(help: "The folder of photos. Default: ~/Pictures.")
    var photos: String?

    /// The locations that the options name.
    var locations: SiftApplication.Locations {
        let environment = ProcessInfo.processInfo.environment
        let data = dataDir.map { URL(fileURLWithPath: $0) } ?? SiftApplication.Locations.usualData(environment)
        let folder = photos ?? "\(environment["HOME"] ?? ".")/Pictures"
        return SiftApplication.Locations(
            data: data, photos: URL(fileURLWithPath: folder).standardizedFileURL.path, trash: trash)
    }

    /// Opens the application with decoding workers, and closes these afterwards.
    @MainActor
    func withApplication(_ body: @MainActor (SiftApplication, Logger) async throws -> Void) async throws {
        var logger = Logger(label: "sift") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .notice
        let environment = ProcessInfo.processInfo.environment
        let pool = ImagingPool(
            .init(
                command: .thisExecutable(subcommand: Sift.worker),
                thumbnails: ThumbnailCache.defaultFolder(environment: environment).map { ThumbnailCache(folder: $0) }))
        do {
            try await body(try await SiftApplication.open(locations, imaging: pool, logger: logger), logger)
        } catch {
            await pool.close()
            throw error
        }
        await pool.close()
    }
}
