import Foundation
import Hablare
import HablareProviders

/// The way to continue a job: the command line that began the job, or else commands for its stored requests.
struct JobContinuation: Sendable {
    let job: JobKey
    /// The command line, if it finds this job again; `nil` if it begins another job each time
    /// (``JobWork/isNewEachTime``).
    let command: String?
    let data: DataOptions
    var remark: String?

    var line: String { line(retrying: []) }

    func line(retrying cancelled: [UUID]) -> String {
        let retries = cancelled.map { data.commandLine("retry", $0.text) }
        return command ?? ([retry("--failed")] + retries + [work]).joined(separator: " && ")
    }

    var releasingLine: String { "\(retry("--held")) && \(command ?? work)" }

    var words: String { command == nil ? "continue with (\(line))" : "run the same command again" }

    /// Additional advice; `nil` if the command line is enough.
    var note: String? {
        guard command == nil else { return remark }
        return "The same command would make new ones. To list these: "
            + data.commandLine("ps", "--job", job.rawValue)
    }

    private var work: String { data.commandLine("work") }
    private func retry(_ what: String) -> String { data.commandLine("retry", what, "--job", job.rawValue) }
}

/// The command line that the user typed, as advice that the user can copy.
struct SameCommand: Sendable, Equatable {
    struct Streams: Sendable, Equatable {
        var readsInput = false
        /// Whether the output goes to standard output, and standard output is not a terminal.
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
            streams.readsInput ? "INPUT is a file with the text from standard input" : nil,
            streams.printsElsewhere ? "OUTPUT is the output file" : nil,
        ].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ") + "; pipes also work."
    }
}

/// A command line for a shell. Words that the shell would change are quoted.
enum ShellWords {
    static func joined(_ words: [String]) -> String { words.map(ShellWord.quoted).joined(separator: " ") }
}
