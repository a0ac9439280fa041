public import Foundation
public import Logging

/// Opens the start link in the person's browser.
///
/// The link is a secret, and the arguments of a process are not. So the browser is given a page in the data directory
/// that leads to the link, and that only its owner may read.
public enum BrowserOpening {
    /// The name of the page in the data directory.
    public static let page = "open.html"

    /// Returns the program that opens pages, or nil where no browser should be opened: standard output is not a
    /// terminal, or there is no desktop.
    public static func program(environment: [String: String], isTerminal: Bool) -> String? {
        guard isTerminal else { return nil }
        #if os(macOS)
        return environment["SSH_CONNECTION"] == nil ? "open" : nil
        #else
        let desktop = ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0]?.isEmpty == false }
        return desktop ? "xdg-open" : nil
        #endif
    }

    /// Opens a link, and does not wait. A failure is logged: the link is printed anyway.
    ///
    /// - Parameters:
    ///   - link: The start link.
    ///   - app: The app's name as people read it.
    ///   - program: The program that opens pages.
    ///   - page: The file of the page that leads to the link. An earlier one is replaced.
    ///   - logger: The logger.
    public static func open(_ link: String, of app: String, with program: String, page: URL, logger: Logger) {
        do {
            let text = """
                <!doctype html>
                <html lang="en">
                <head><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=\(link)"><title>\(app)</title></head>
                <body><p><a href="\(link)">Open \(app)</a></p></body>
                </html>

                """
            try write(text, to: page.path)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = [program, page.path]
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
        } catch {
            logger.notice("The browser cannot be opened. Open the link yourself")
        }
    }

    /// Writes a new file that only its owner may read.
    private static func write(_ text: String, to path: String) throws {
        guard unlink(path) == 0 || errno == ENOENT else { throw CocoaError(.fileWriteUnknown) }
        let descriptor = Foundation.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
        try FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).write(contentsOf: Data(text.utf8))
    }
}
