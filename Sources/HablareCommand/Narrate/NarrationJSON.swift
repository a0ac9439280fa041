import Foundation
import Hablare
import HablareAudio

/// The JSON object at the end of `narrate --json`. Every field is always there; `null` where there is nothing to say.
struct NarrationJSON: Encodable, Sendable {
    struct Failure: Encodable, Sendable {
        let segment: Int
        let id: String
        let code: String
        let message: String

        init(_ gap: JobGap, _ error: AIServiceError) {
            segment = gap.index
            id = gap.request.text
            code = error.code.rawValue
            message = error.reason
        }
    }

    struct Segment: Encodable, Sendable {
        let segment: Int
        let id: String

        init(_ gap: JobGap) {
            segment = gap.index
            id = gap.request.text
        }
    }

    /// `completed`, `incomplete` (segments failed, were cancelled, are held or wait) or `stopped` (by a signal).
    let status: String
    let job: String
    /// The audio file; `null` when there is none yet.
    @OrNull var output: String?
    @OrNull var timeline: String?
    let segments: Int
    /// Segments that have their audio; `reused` of them from before, `made` in this run.
    let completed: Int
    let reused: Int
    let made: Int
    let failures: [Failure]
    /// Segments that somebody cancelled.
    let cancelled: [Segment]
    /// Segments of which nobody knows whether their last attempt was carried out, and billed.
    let held: [Segment]
    let characters: Int
    @OrNull var audioSeconds: Double?
    let elapsedSeconds: Double
    @OrNull var segmentsPerSecond: Double?

    init(_ report: NarrationReport) {
        let (ended, audio) = (report.ended, report.audio)
        status = ended.word
        job = report.plan.job.rawValue
        output = audio?.url.path
        timeline = audio == nil ? nil : report.files.timeline.path
        segments = report.plan.segments.count
        completed = ended.finished
        reused = ended.progress.reused
        made = ended.progress.made
        failures = ended.gaps.failures.map(Failure.init)
        cancelled = ended.gaps.cancelled.map(Segment.init)
        held = ended.gaps.held.map(Segment.init)
        characters = report.plan.characters
        audioSeconds = audio?.properties.seconds
        elapsedSeconds = ended.progress.elapsedSeconds
        segmentsPerSecond = ended.progress.rate.map { ($0 * 100).rounded() / 100 }
    }
}
