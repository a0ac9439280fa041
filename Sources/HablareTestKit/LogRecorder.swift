import Hablare
package import Logging

/// Keeps what is logged, of every level and with its metadata, for whoever wants to know that a secret is not in it.
public struct LogRecorder: Sendable {
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

    /// Creates a recorder of what is said to its own logger.
    package init() {}

    /// Keeps what any logger of the process says that was given no handler of its own. The first use sets up the process's
    /// logging (`LoggingSystem.bootstrap`), which can be done once: for tests that do not set it up themselves.
    public static let process: LogRecorder = {
        let recorder = LogRecorder()
        LoggingSystem.bootstrap { [kept = recorder.kept] _ in Handler(kept: kept) }
        return recorder
    }()

    /// What was logged so far, each line as `level: message metadata`.
    package var lines: [String] { kept.withLock { $0 } }

    /// A logger that it keeps what is said to, and prints nothing.
    package var logger: Logger { Logger(label: "test") { [kept] _ in Handler(kept: kept) } }

    /// Whether a line was logged that begins so.
    package func says(_ beginning: String) -> Bool { lines.contains { $0.hasPrefix(beginning) } }
}
