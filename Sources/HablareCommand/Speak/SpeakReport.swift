import Foundation
import Hablare

/// What a person, or a program, is told when a text was said.
struct SpeakReport: Sendable {
    let plan: NarrationPlan
    let installed: InstalledProvider
    let target: OutputTarget
    let ended: JobEnd<Void>

    /// The object of `--json`. Every field is always there; `null` where there is nothing to say.
    private struct Object: Encodable {
        let status: String
        let job: String
        @OrNull var output: String?
        let provider: String
        @OrNull var model: String?
        @OrNull var voice: String?
        let segments: Int
        let completed: Int
        let reused: Int
        let made: Int
        let characters: Int
        @OrNull var audioSeconds: Double?
        let failures: [NarrationJSON.Failure]
        let cancelled: [NarrationJSON.Segment]
        let held: [NarrationJSON.Segment]
        let elapsedSeconds: Double
    }

    func print(json: Bool, quiet: Bool, to console: Console) async throws {
        if json { return try await console.print(JSONText.of(object)) }
        guard !quiet, ended.status == .success, let file = target.file, try target.leavesOutputFree else { return }
        let heard = ended.progress.audioSeconds.flatMap { $0 > 0 ? "\(TimeText.clock($0)) of audio" : nil }
        let style = console.outputStyle
        try await console.print(
            ([style.bold(file.path)] + [heard].compactMap(\.self)).joined(separator: "\n"), isStyled: true)
    }

    private var object: Object {
        let (gaps, progress) = (ended.gaps, ended.progress)
        let isWritten = ended.status == .success
        return Object(
            status: ended.word, job: plan.job.rawValue, output: isWritten ? target.file?.path : nil,
            provider: installed.name, model: plan.address.model, voice: plan.parameters["voice"]?.text,
            segments: plan.segments.count, completed: ended.finished, reused: progress.reused, made: progress.made,
            characters: plan.characters, audioSeconds: isWritten ? progress.audioSeconds : nil,
            failures: gaps.failures.map(NarrationJSON.Failure.init),
            cancelled: gaps.cancelled.map(NarrationJSON.Segment.init),
            held: gaps.held.map(NarrationJSON.Segment.init), elapsedSeconds: progress.elapsedSeconds)
    }
}
