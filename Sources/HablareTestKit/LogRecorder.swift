import Hablare
import HablareSupport
package import Logging

/// Records log messages of all levels, with their metadata. A test uses it to check that no secret is logged.
public struct LogRecorder: Sendable {
    private struct Handler: LogHandler {
        let kept: Locked<[String]>
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

    private let kept = Locked<[String]>([])

    /// Creates a recorder. It has a logger of its own.
    package init() {}

    /// The recorder of all loggers in the process that were created without their own log handler. The first use of
    /// this property calls `LoggingSystem.bootstrap`, which is possible only once in a process. Therefore use it only
    /// in tests that do not call `LoggingSystem.bootstrap` themselves.
    public static let process: LogRecorder = {
        let recorder = LogRecorder()
        LoggingSystem.bootstrap { [kept = recorder.kept] _ in Handler(kept: kept) }
        return recorder
    }()

    /// The recorded messages, each in the form `level: message metadata`.
    package var lines: [String] { kept.withLock { $0 } }

    /// A logger that records its messages and prints nothing.
    package var logger: Logger { Logger(label: "test") { [kept] _ in Handler(kept: kept) } }

    /// Returns whether a recorded message begins with a text.
    package func says(_ beginning: String) -> Bool { lines.contains { $0.hasPrefix(beginning) } }
}
