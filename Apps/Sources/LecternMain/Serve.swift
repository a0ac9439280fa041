import AppCommand
import ArgumentParser
import Foundation
import HablareWeb
import LecternWeb
import Logging
import ServiceLifecycle
import UnixSignals

/// Serves the pages until it is interrupted.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the pages in the browser. Prints the link to open.",
        discussion: """
            EXAMPLES:
              lectern serve                   the port of the last time, or a free one if it is taken
              lectern serve --port 8650       always this port

            Ctrl-C ends Lectern. Nothing that was saved is lost. Browsers keep what is read offline for the port.
            """)

    @OptionGroup var data: DataOptions

    @Option(help: "The port. Default: that of the last time if it is free, else a free one.")
    var port = 0

    @Flag(
        help: "Print the link only. Without it, Lectern also opens the browser, if it runs in a terminal of a desktop.")
    var noOpen = false

    mutating func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port must be between 0 and 65535.") }
    }

    mutating func run() async throws {
        let lastPort = LastPort(in: data.folder)
        var options = FaceOptions()
        (options.port, options.preferredPort) = (port, lastPort.read())
        let faceOptions = options
        let program =
            noOpen
            ? nil
            : BrowserOpening.program(
                environment: ProcessInfo.processInfo.environment, isTerminal: isatty(STDOUT_FILENO) == 1)
        let page = data.folder.appendingPathComponent(BrowserOpening.page)
        try await data.withApplication { application, logger in
            let server = try application.server(faceOptions, logger: logger) { link in
                FaceServer.printLine(link)
                lastPort.keep(of: link, logger: logger)
                if let program {
                    BrowserOpening.open(link, of: "Lectern", with: program, page: page, logger: logger)
                }
            }
            try await ServiceGroup(
                services: application.services + [server], gracefulShutdownSignals: [.sigterm, .sigint],
                logger: logger
            ).run()
        }
    }
}
