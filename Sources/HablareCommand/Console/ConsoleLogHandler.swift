import Foundation
import Logging

/// Writes a log to the console's standard error. Who logs something does not wait for its reader.
struct ConsoleLogHandler: LogHandler {
    let label: String
    let console: Console
    /// The date that a line begins with.
    let date: @Sendable () -> Date

    var logLevel = Logger.Level.debug
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    init(label: String, console: Console, date: @escaping @Sendable () -> Date) {
        self.label = label
        self.console = console
        self.date = date
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var all = metadata
        all.merge(metadataProvider?.get() ?? [:]) { $1 }
        all.merge(event.metadata ?? [:]) { $1 }
        if let error = event.error { all["error.message"] = "\(error)" }
        let words = all.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value) " }.joined()
        console.log("\(TimeText.stamp(date())) \(event.level) \(label): \(words)[\(event.source)] \(event.message)")
    }
}
