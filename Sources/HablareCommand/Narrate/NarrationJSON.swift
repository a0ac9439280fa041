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

    /// `completed`, `incomplete` (segments failed, were cancelled or are held) or `stopped` (by a signal).
    let status: String
    let job: String
    /// The audio file; `null` when there is none yet.
    let output: String?
    let timeline: String?
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
    let audioSeconds: Double?
    let elapsedSeconds: Double
    let segmentsPerSecond: Double?

    init(_ report: NarrationReport) {
        var outcome = NarrationOutcome()
        switch report.end {
        case .finished(let finished):
            outcome = finished
            status = finished.gaps.isEmpty ? "completed" : "incomplete"
        case .stopped:
            status = "stopped"
        }
        job = report.plan.job.rawValue
        output = outcome.audio?.url.path
        timeline = outcome.audio == nil ? nil : report.files.timeline.path
        segments = report.plan.segments.count
        completed = report.finished
        reused = report.progress.reused
        made = report.progress.made
        failures = outcome.gaps.failures.map(Failure.init)
        cancelled = outcome.gaps.cancelled.map(Segment.init)
        held = outcome.gaps.held.map(Segment.init)
        characters = report.plan.characters
        audioSeconds = outcome.audio?.properties.seconds
        elapsedSeconds = (report.progress.elapsed * 1000).rounded() / 1000
        segmentsPerSecond = report.progress.rate.map { ($0 * 100).rounded() / 100 }
    }

    private enum CodingKeys: String, CodingKey {
        case status, job, output, timeline, segments, completed, reused, made, failures, cancelled, held
        case characters, audioSeconds, elapsedSeconds, segmentsPerSecond
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(status, forKey: .status)
        try container.encode(job, forKey: .job)
        try container.encode(output, forKey: .output)
        try container.encode(timeline, forKey: .timeline)
        try container.encode(segments, forKey: .segments)
        try container.encode(completed, forKey: .completed)
        try container.encode(reused, forKey: .reused)
        try container.encode(made, forKey: .made)
        try container.encode(failures, forKey: .failures)
        try container.encode(cancelled, forKey: .cancelled)
        try container.encode(held, forKey: .held)
        try container.encode(characters, forKey: .characters)
        try container.encode(audioSeconds, forKey: .audioSeconds)
        try container.encode(elapsedSeconds, forKey: .elapsedSeconds)
        try container.encode(segmentsPerSecond, forKey: .segmentsPerSecond)
    }
}
