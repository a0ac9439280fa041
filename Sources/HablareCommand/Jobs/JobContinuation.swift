import Foundation
import Hablare
import HablareProviders

/// How a job is gone on with: by the command line that began it, or else by what the store has of it.
struct JobContinuation: Sendable {
    let job: JobKey
    /// The command line, where it finds this job again; `nil` where it makes another one each time, as with `--anew`.
    let command: String?
    let data: DataOptions
    var remark: String?

    var line: String { line(retrying: []) }

    func line(retrying cancelled: [UUID]) -> String {
        let retries = cancelled.map { data.commandLine("retry", $0.text) }
        return command ?? ([retry("--failed")] + retries + [work]).joined(separator: " && ")
    }

    var releasingLine: String { "\(retry("--held")) && \(command ?? work)" }

    var words: String { command == nil ? "go on with (\(line))" : "run the same command again" }

    /// What else is to be known; `nil` where the command line says it all.
    var note: String? {
        guard command == nil else { return remark }
        return "The same command would have others made. These are under: "
            + data.commandLine("ps", "--job", job.rawValue)
    }

    private var work: String { data.commandLine("work") }
    private func retry(_ what: String) -> String { data.commandLine("retry", what, "--job", job.rawValue) }
}

/// The command line that was typed, as advice that can be copied.
struct SameCommand: Sendable, Equatable {
    struct Streams: Sendable, Equatable {
        var readsInput = false
        /// Whether what it makes goes to standard output, and that is no terminal.
        var printsElsewhere = false
    }

    let words: [String]
    let streams: Streams

    var line: String {
        "hablare " + ShellWords.joined(words) + (streams.readsInput ? " < INPUT" : "")
            + (streams.printsElsewhere ? " > OUTPUT" : "")
    }

    var remark: String? {
        let parts = [
            streams.readsInput ? "INPUT is a file with the text that came on standard input" : nil,
            streams.printsElsewhere ? "OUTPUT is the file for what is made" : nil,
        ].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ") + "; pipes will do, too."
    }
}

/// A command line as one would type it: words that a shell would not take as they are stand in quotes.
enum ShellWords {
    static func joined(_ words: [String]) -> String { words.map(ShellWord.quoted).joined(separator: " ") }
}
