import AppCommand
import ArgumentParser
import Foundation
import LecternWeb
import Logging

/// The options that all commands share.
struct DataOptions: ParsableArguments {
    @Option(help: "The directory of Lectern's data. Default: $XDG_DATA_HOME/lectern or ~/.local/share/lectern.")
    var dataDir: String?

    /// The directory.
    var folder: URL {
        dataDir.map { URL(fileURLWithPath: $0) }
            ?? DataDirectory.usual("lectern", environment: ProcessInfo.processInfo.environment)
    }

    /// The logger of the commands.
    static var logger: Logger {
        var logger = Logger(label: "lectern") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .warning
        return logger
    }

    /// Opens the application while a closure runs.
    @MainActor
    func withApplication<R: Sendable>(
        _ body: @MainActor (LecternApplication, Logger) async throws -> R
    ) async throws -> R {
        let logger = Self.logger
        return try await body(try await LecternApplication.open(folder, logger: logger), logger)
    }
}
