import Foundation
import Hablare
import HablareAudio

/// What a person, or a program, is told at the end of a narration.
struct NarrationReport: Sendable {
    let plan: NarrationPlan
    let files: NarrationFiles
    let progress: Tally
    let end: EngineSession.End<NarrationOutcome>
    /// How many segments have their audio now.
    let finished: Int
    /// The command line, for doing it again.
    let command: String
    /// Where the store is, for advice.
    let data: DataOptions

    var status: CommandStatus {
        switch end {
        case .finished(let outcome): outcome.gaps.isEmpty ? .success : .incomplete
        case .stopped(let signal): signal.status
        }
    }

    func print(json: Bool, quiet: Bool, to console: Console) async throws {
        if case .finished(let outcome) = end {
            GapReport(
                gaps: outcome.gaps, total: plan.segments.count, finished: finished, noun: "segment",
                consequence: "so there is no audio file yet", job: plan.job, command: command, data: data
            ).tell(to: console)
        }
        if json { return try await console.print(JSONText.of(NarrationJSON(self))) }
        guard !quiet else { return }
        switch end {
        case .finished(let outcome):
            if let audio = outcome.audio {
                try await console.print(
                    summary(audio.properties.seconds, console.outputStyle), isStyled: true)
            }
        case .stopped:
            console.note(
                """
                Stopped: \(finished) of \(TimeText.count(plan.segments.count, "segment")) done, and kept. To go on:
                  \(command)
                """)
        }
    }

    private func summary(_ seconds: Double, _ style: Style) -> String {
        var segments = TimeText.count(plan.segments.count, "segment")
        if progress.made == 0 {
            segments += ", all made before"
        } else {
            if progress.reused > 0 { segments += " (\(progress.reused) made before)" }
            if let rate = TimeText.rate(progress.rate) { segments += ", \(rate) segments a second" }
        }
        return """
            \(style.bold(files.output.path))
            \(TimeText.clock(seconds)) of audio, \(segments), in \(TimeText.length(progress.elapsed))
            What is heard when: \(style.plain(files.timeline.path))
            """
    }
}
