import Foundation
import Hablare
import HablareAudio

/// What a person, or a program, is told at the end of a narration.
struct NarrationReport: Sendable {
    /// The most failures that are listed one by one.
    private static let listed = 50

    let plan: NarrationPlan
    let files: NarrationFiles
    let progress: Tally
    let end: EngineSession.End<NarrationOutcome>
    /// How many segments have their audio now.
    let finished: Int
    /// The command line, for doing it again.
    let command: String

    var status: CommandStatus {
        switch end {
        case .finished(let outcome): outcome.failures.isEmpty ? .success : .incomplete
        case .stopped(let signal): signal.status
        }
    }

    func print(json: Bool, quiet: Bool, to console: Console) throws {
        if case .finished(let outcome) = end, !outcome.failures.isEmpty { tellFailures(outcome.failures, to: console) }
        if json { return try console.print(JSONText.of(NarrationJSON(self))) }
        guard !quiet else { return }
        switch end {
        case .finished(let outcome):
            if let audio = outcome.audio { try console.print(summary(audio.properties.seconds, console.outputStyle)) }
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
            segments += ", \(TimeText.decimal(progress.rate ?? 0)) segments a second"
        }
        return """
            \(style.bold(files.output.path))
            \(TimeText.clock(seconds)) of audio, \(segments), in \(TimeText.length(progress.elapsed))
            What is heard when: \(files.timeline.path)
            """
    }

    private func tellFailures(_ failures: [NarrationOutcome.Failure], to console: Console) {
        console.note(
            "hablare: \(TimeText.count(failures.count, "segment")) of \(plan.segments.count) failed, so there is no audio file yet; \(finished) are done, and kept."
        )
        for failure in failures.prefix(Self.listed) {
            let reason = failure.error.map { "\($0.reason) [\($0.code)]" } ?? "It was cancelled."
            console.note("  segment \(failure.segment + 1) (\(failure.request.uuidString.lowercased())): \(reason)")
        }
        if failures.count > Self.listed {
            console.note(
                "  … and \(failures.count - Self.listed) more: hablare ps --job \(plan.job) --state failed --state cancelled"
            )
        }
        if failures.contains(where: { $0.error?.code == .timeout }) {
            console.note("Segments that need more time get it with --timeout SECONDS.")
        }
        console.note("To try them again, and only them:\n  \(command)")
    }
}
