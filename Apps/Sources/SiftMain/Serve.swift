import AppCommand
import ArgumentParser
import Foundation
import HablareWeb
import Logging
import ServiceLifecycle
import SiftWeb
import UnixSignals

/// Serves the pages until it is interrupted.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the photos in the browser. Prints the link to open.",
        discussion: """
            EXAMPLES:
              sift serve                      show the desktop's folder of pictures
              sift serve ~/Pictures /mnt/card show two folders
              sift serve --port 8640 ~/Pictures
                                              take this port, or fail

            Ctrl-C ends Sift. No decision is lost.
            """)

    @OptionGroup var data: DataOptions

    @Option(
        help: "The port. Default: the one of the last run if it is free, so that open pages recover; else a free one.")
    var port = 0

    @Flag(help: "Print the link only. Without it, Sift also opens the browser, if it runs in a terminal of a desktop.")
    var noOpen = false

    @Argument(help: "The folders of photos. Default: the desktop's folder of pictures.")
    var photos: [String] = []

    mutating func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port must be between 0 and 65535.") }
    }

    mutating func run() async throws {
        let lastPort = LastPort(in: data.locations(photos).data)
        var options = FaceOptions()
        (options.port, options.preferredPort) = (port, lastPort.read())
        let faceOptions = options
        let program =
            noOpen
            ? nil
            : BrowserOpening.program(
                environment: ProcessInfo.processInfo.environment, isTerminal: isatty(STDOUT_FILENO) == 1)
        let page = data.locations(photos).data.appendingPathComponent(BrowserOpening.page)
        try await data.withApplication(photos, warmsUp: true) { application, logger in
            let server = try application.server(faceOptions, logger: logger) { link in
                FaceServer.printLine(link)
                lastPort.keep(of: link, logger: logger)
                if let program {
                    BrowserOpening.open(link, of: "Sift", with: program, page: page, logger: logger)
                }
            }
            let notes = application.libraries.map {
                EmptyFolderNote($0, in: application, isNamed: !photos.isEmpty)
            }
            try await ServiceGroup(
                services: application.services + notes + [server], gracefulShutdownSignals: [.sigterm, .sigint],
                logger: logger
            ).run()
        }
    }
}
