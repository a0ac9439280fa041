import Foundation
import Hablare

/// What a narration would do, without doing it.
struct DryRun: Sendable {
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

    func report(json: Bool, quiet: Bool, to console: Console) async throws {
        if json {
            let report = Report(
                job: plan.job.rawValue, output: files.output.path, timeline: files.timeline.path,
                provider: plan.provider.rawValue, segments: plan.segments.count, characters: plan.characters,
                estimatedAudioSeconds: plan.estimatedSeconds.rounded())
            return try await console.print(JSONText.of(report))
        }
        guard !quiet else { return }
        if let doubt = files.doubt(about: plan.estimatedSeconds) { console.note(doubt) }
        try await console.print(
            """
            \(TimeText.count(plan.segments.count, "segment")), \(TimeText.count(plan.characters, "character")), \
            about \(TimeText.clock(plan.estimatedSeconds)) of audio
            would be written to \(files.output.path)
            """)
    }
}
