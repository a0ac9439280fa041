import Foundation
import Hablare
import HablareAudio

/// What a person, or a program, is told at the end of a narration.
struct NarrationReport: Sendable {
    /// The most segments of a kind that are listed one by one.
    private static let listed = 50

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
        if case .finished(let outcome) = end, !outcome.gaps.isEmpty { tellGaps(of: outcome, to: console) }
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

    // MARK: Gaps

    private func tellGaps(of outcome: NarrationOutcome, to console: Console) {
        let (failures, cancelled, held) = (outcome.failures, outcome.cancelled, outcome.held)
        var counts: [String] = []
        if !failures.isEmpty { counts.append("\(failures.count) failed") }
        if !cancelled.isEmpty { counts.append("\(cancelled.count) \(Self.were(cancelled.count)) cancelled") }
        if !held.isEmpty { counts.append("\(held.count) \(held.count == 1 ? "is" : "are") held") }
        console.note(
            "hablare: Of \(TimeText.count(plan.segments.count, "segment")), \(counts.joined(separator: ", ")), "
                + "so there is no audio file yet; \(finished) \(finished == 1 ? "is" : "are") done, and kept."
        )
        list("Failed:", failures.map { ($0.gap, "\($0.error.reason) [\($0.error.code)]") }, .failed, to: console)
        if failures.contains(where: { $0.error.code == .timeout }) {
            console.note("Segments that need more time get it with --timeout SECONDS.")
        }
        list("Cancelled:", cancelled.map { ($0, nil) }, .cancelled, to: console)
        list(
            "Held, because nobody knows whether their last attempt was carried out, and billed:",
            held.map { ($0, nil) }, .held, to: console)
        if !failures.isEmpty || !cancelled.isEmpty {
            let those = [failures.isEmpty ? nil : "failed", cancelled.isEmpty ? nil : "was cancelled"]
            console.note(
                "To try what \(those.compactMap(\.self).joined(separator: " or ")) again, and only that:\n  \(command)")
        }
        if !held.isEmpty {
            let retry = data.commandLine("retry", "--held", "--job", plan.job.rawValue)
            console.note(
                """
                What is held is not made again without your word, because it may be paid for twice. To have it made:
                  \(retry) && \(command)
                """)
        }
    }

    private func list(
        _ heading: String, _ gaps: [(gap: NarrationOutcome.Gap, reason: String?)], _ state: StateOption,
        to console: Console
    ) {
        guard !gaps.isEmpty else { return }
        console.note(heading)
        for (gap, reason) in gaps.prefix(Self.listed) {
            console.note("  segment \(gap.segment + 1) (\(gap.request.text))" + (reason.map { ": \($0)" } ?? ""))
        }
        guard gaps.count > Self.listed else { return }
        let all = data.commandLine("ps", "--job", plan.job.rawValue, "--state", state.rawValue)
        console.note("  … and \(gaps.count - Self.listed) more: \(all)")
    }

    private static func were(_ count: Int) -> String { count == 1 ? "was" : "were" }
}
