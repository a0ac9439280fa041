import Foundation
import Hablare

/// What a person, or a program, is told when pictures were made.
struct ImageReport: Sendable {
    /// What came of it.
    struct Outcome: Sendable {
        let gaps: [JobGap]
        /// Those that were made and written, in order.
        let made: [MadePicture]
    }

    let work: JobWork
    let provider: String
    let ended: JobSession.Ended<Outcome>
    let target: OutputTarget
    /// Whether the same command has others made.
    let isAnew: Bool
    /// Where the store is, for advice.
    let data: DataOptions

    var status: CommandStatus {
        switch ended.end {
        case .finished(let outcome): outcome.gaps.isEmpty ? .success : .incomplete
        case .stopped(let signal): signal.status
        }
    }

    private var outcome: Outcome {
        if case .finished(let outcome) = ended.end { outcome } else { Outcome(gaps: [], made: []) }
    }

    func print(json: Bool, quiet: Bool, to console: Console) async throws {
        let goOn = isAnew ? data.commandLine("work") : ended.command
        GapReport(
            gaps: outcome.gaps, total: work.count, finished: ended.finished, noun: work.noun,
            consequence: "and the others are written", job: work.job, command: ended.command, data: data
        ).tell(to: console)
        if json { return try await console.print(JSONText.of(outcome.made)) }
        guard !quiet else { return }
        if case .stopped = ended.end {
            console.note(
                """
                Stopped: \(ended.finished) of \(TimeText.count(work.count, work.noun)) done, and kept. To go on:
                  \(goOn)
                """)
            if isAnew {
                console.note("What is made then is under: \(data.commandLine("ps", "--job", work.job.rawValue))")
            }
            return
        }
        guard try target.leavesOutputFree, !outcome.made.isEmpty else { return }
        let style = console.outputStyle
        try await console.print(
            outcome.made.compactMap(\.file).map { style.bold($0) }.joined(separator: "\n"), isStyled: true)
    }
}
