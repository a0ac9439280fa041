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
              lectern serve                   a free port
              lectern serve --port 8650       keep the port, so that open pages recover after a restart

            Ctrl-C ends Lectern. Nothing that was saved is lost.
            """)

    @OptionGroup var data: DataOptions

    @Option(help: "The port. Default: a free one. With a fixed port, open pages recover after a restart.")
    var port = 0

    @Flag(
        help: "Print the link only. Without it, Lectern also opens the browser, if it runs in a terminal of a desktop.")
    var noOpen = false

    mutating func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port must be between 0 and 65535.") }
    }

    mutating func run() async throws {
        var options = FaceOptions()
        options.port = port
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
