import HablareTestKit
import Logging

@testable import Hablare

/// Keeps what is logged, of every level and with its metadata, instead of printing it: a test that makes an engine
/// complain says of what, and a run of all tests prints no errors that are none.
struct LogKeeper: Sendable {
    private struct Handler: LogHandler {
        let kept: Guarded<[String]>
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            kept.withLock { $0.append("\(event.level): \(event.message) \(event.metadata ?? [:]) \(metadata)") }
        }
    }

    private let kept = Guarded<[String]>([])

    /// What was logged so far, each line as `level: message metadata`.
    var lines: [String] { kept.withLock { $0 } }

    var logger: Logger {
        Logger(label: "test") { [kept] _ in Handler(kept: kept) }
    }

    /// Whether a line was logged that begins so.
    func says(_ beginning: String) -> Bool { lines.contains { $0.hasPrefix(beginning) } }
}
