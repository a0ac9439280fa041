public import Foundation
public import Logging

/// The port on which an application served its data last. A page belongs to its port: with the same one, a page that stayed open
/// recovers after a restart, sends what it kept meanwhile, and finds what the browser keeps for it.
public struct LastPort: Sendable {
    private let file: URL

    /// Creates the file's value for a data folder.
    public init(in data: URL) { file = data.appendingPathComponent("port") }

    /// Returns the port; 0 if it is not known.
    public func read() -> Int {
        do {
            let text = try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
            guard let port = Int(text), (1...65_535).contains(port) else { return 0 }
            return port
        } catch {
            return 0
        }
    }

    /// Keeps the port of a link. A failure is logged: only the next start needs the port.
    public func keep(of link: String, logger: Logger) {
        guard let port = URLComponents(string: link)?.port, port != read() else { return }
        do {
            try Data("\(port)\n".utf8).write(to: file, options: .atomic)
        } catch {
            logger.notice("The port cannot be kept for the next start. Open pages will need the new link")
        }
    }
}
