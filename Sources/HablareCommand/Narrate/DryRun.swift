import Foundation
import Hablare

/// What a narration would do, without doing it.
struct DryRun: Sendable {
    /// How many characters a voice speaks in a second at its normal speed: espeak-ng's, over the King James Gospel of
    /// Mark (`hablare narrate demo/mark.txt --json`: characters divided by audioSeconds).
    static let charactersPerSecond = 17.5
    /// Words a minute of that speed.
    static let normalRate = 175.0

    let plan: NarrationPlan
    let files: NarrationFiles

    private struct Report: Encodable {
        let dryRun = true
        let job: String
        let output: String
        let timeline: String
        let provider: String
        let segments: Int
        let characters: Int
        let estimatedAudioSeconds: Double
    }

    /// How long the audio would be, roughly, in seconds.
    var estimatedSeconds: Double {
        let rate = plan.parameters["rate"]?.text.flatMap { Double($0) } ?? Self.normalRate
        return Double(plan.characters) / Self.charactersPerSecond * Self.normalRate / max(1, rate)
    }

    func report(json: Bool, quiet: Bool, to console: Console) throws {
        if json {
            let report = Report(
                job: plan.job.rawValue, output: files.output.path, timeline: files.timeline.path,
                provider: plan.provider.rawValue, segments: plan.segments.count, characters: plan.characters,
                estimatedAudioSeconds: estimatedSeconds.rounded())
            return try console.print(JSONText.of(report))
        }
        guard !quiet else { return }
        try console.print(
            """
            \(TimeText.count(plan.segments.count, "segment")), \(TimeText.count(plan.characters, "character")), \
            about \(TimeText.clock(estimatedSeconds)) of audio
            would be written to \(files.output.path)
            """)
    }
}
