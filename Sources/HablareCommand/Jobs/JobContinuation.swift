import Foundation
import Hablare

/// How a job is gone on with: by the command line that began it, or where that would begin another job, by what the
/// store has of it.
struct JobContinuation: Sendable {
    let job: JobKey
    /// The command line, where it finds this job again; `nil` where it makes another one each time, as with `--anew`:
    /// what is paid for would be asked for, and paid for, once more.
    let command: String?
    /// Where the store is.
    let data: DataOptions
    /// What else is to be known of ``command``; `nil` where it says it all.
    var remark: String?

    /// Has made what waits, and tries again what failed.
    var line: String { line(retrying: []) }

    /// The same, and tries again what was cancelled.
    func line(retrying cancelled: [UUID]) -> String {
        let retries = cancelled.map { data.commandLine("retry", $0.text) }
        return command ?? ([retry("--failed")] + retries + [work]).joined(separator: " && ")
    }

    /// Has made what is held.
    var releasingLine: String { "\(retry("--held")) && \(command ?? work)" }

    /// What to do, in words, once something else is done.
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
