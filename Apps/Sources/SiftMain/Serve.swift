import ArgumentParser
import HablareWeb
import Logging
import ServiceLifecycle
import SiftWeb
import UnixSignals

/// Serves the pages until it is interrupted.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the photos in the browser. Prints the link to open.")

    @OptionGroup var library: LibraryOptions

    @Option(help: "The port. Default: a free one. With a fixed port, open pages recover after a restart.")
    var port = 0

    mutating func run() async throws {
        var options = FaceOptions()
        options.port = port
        let faceOptions = options
        try await library.withApplication { application, logger in
            let server = try application.server(faceOptions, logger: logger)
            try await ServiceGroup(
                services: application.services + [server], gracefulShutdownSignals: [.sigterm, .sigint],
                logger: logger
            ).run()
        }
    }
}
