import Foundation
import Hablare

struct JobEnd<Value: Sendable>: Sendable {
    struct Outcome: Sendable {
        let gaps: [JobGap]
        let value: Value
    }

    let end: EngineSession.End<Outcome>
    let work: JobWork
    let progress: Tally
    let finished: Int
    let continuation: JobContinuation
    /// The ids of the stored requests, by their places in the job.
    let ids: [Int: UUID]

    /// The requests without an answer, in order; empty if a signal stopped the job before they were read.
    var gaps: [JobGap] {
        if case .finished(let outcome) = end { outcome.gaps } else { [] }
    }

    var value: Value? {
        if case .finished(let outcome) = end { outcome.value } else { nil }
    }

    var status: CommandStatus {
        end.signal?.status ?? (gaps.isEmpty ? .success : .incomplete)
    }

    /// The fields of `--json` for every job. The number `completed` includes the segments that were reused (`reused`)
    /// and the segments that were made in this run (`made`).
    var object: JSONObject {
        func segment(_ gap: JobGap) -> JSONObject { ["segment": gap.index, "id": gap.request.text] }
        return [
            "status": word, "job": work.job.rawValue, "segments": work.count, "completed": finished,
            "reused": progress.reused, "made": progress.made,
            "failures": gaps.failures.map { gap, error in
                [
                    "segment": gap.index, "id": gap.request.text, "code": error.code.rawValue,
                    "message": error.reason,
                ] as JSONObject
            },
            "cancelled": gaps.cancelled.map(segment), "held": gaps.held.map(segment),
            "elapsedSeconds": progress.elapsedSeconds,
        ]
    }

    /// The word for the end of the job: `completed`, `incomplete` (segments failed, were cancelled, are held or wait)
    /// or `stopped` (by a signal).
    private var word: String {
        end.signal != nil ? "stopped" : gaps.isEmpty ? "completed" : "incomplete"
    }

    func tell(_ consequence: String, isQuiet: Bool, to console: Console) {
        switch end {
        case .finished(let outcome):
            let report = GapReport(
                gaps: outcome.gaps, total: work.count, finished: finished, noun: work.noun, consequence: consequence,
                continuation: continuation)
            for line in report.lines { console.note(line) }
        case .stopped:
            if !isQuiet {
                console.note(
                    """
                    Stopped: \(finished) of \(TimeText.count(work.count, work.noun)) done and kept. To continue:
                      \(continuation.line)
                    """)
            }
            // If the same command does not find the job again, the note is the user's only way to it.
            if let note = continuation.note, !isQuiet || continuation.command == nil { console.note(note) }
        }
    }
}
