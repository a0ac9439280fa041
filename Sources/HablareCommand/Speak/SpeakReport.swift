import Foundation
import Hablare

/// What a person, or a program, is told when a text was said.
struct SpeakReport: Sendable {
    let plan: NarrationPlan
    let installed: InstalledProvider
    let target: OutputTarget
    let ended: JobSession.Ended<[JobGap]>
    /// Where the store is, for advice.
    let data: DataOptions

    private var gaps: [JobGap] {
        if case .finished(let gaps) = ended.end { gaps } else { [] }
    }

    var status: CommandStatus {
        switch ended.end {
        case .finished(let gaps): gaps.isEmpty ? .success : .incomplete
        case .stopped(let signal): signal.status
        }
    }

    /// The object of `--json`. Every field is always there; `null` where there is nothing to say.
    private struct Object: Encodable {
        let status: String
        let job: String
        let output: String?
        let provider: String
        let model: String?
        let voice: String?
        let segments: Int
        let completed: Int
        let reused: Int
        let made: Int
        let characters: Int
        let audioSeconds: Double?
        let failures: [NarrationJSON.Failure]
        let cancelled: [NarrationJSON.Segment]
        let held: [NarrationJSON.Segment]
        let elapsedSeconds: Double

        private enum CodingKeys: String, CodingKey {
            case status, job, output, provider, model, voice, segments, completed, reused, made, characters
            case audioSeconds, failures, cancelled, held, elapsedSeconds
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(status, forKey: .status)
            try container.encode(job, forKey: .job)
            try container.encode(output, forKey: .output)
            try container.encode(provider, forKey: .provider)
            try container.encode(model, forKey: .model)
            try container.encode(voice, forKey: .voice)
            try container.encode(segments, forKey: .segments)
            try container.encode(completed, forKey: .completed)
            try container.encode(reused, forKey: .reused)
            try container.encode(made, forKey: .made)
            try container.encode(characters, forKey: .characters)
            try container.encode(audioSeconds, forKey: .audioSeconds)
            try container.encode(failures, forKey: .failures)
            try container.encode(cancelled, forKey: .cancelled)
            try container.encode(held, forKey: .held)
            try container.encode(elapsedSeconds, forKey: .elapsedSeconds)
        }
    }

    func print(json: Bool, quiet: Bool, to console: Console) async throws {
        GapReport(
            gaps: gaps, total: plan.segments.count, finished: ended.finished, noun: "segment",
            consequence: "so nothing is written yet", job: plan.job, command: ended.command, data: data
        ).tell(to: console)
        if json { return try await console.print(JSONText.of(object)) }
        guard !quiet else { return }
        switch ended.end {
        case .stopped: ended.tellStopped(plan.work, to: console)
        case .finished(let gaps):
            guard gaps.isEmpty, let file = target.file, try target.leavesOutputFree else { return }
            let heard = ended.progress.audioSeconds.flatMap { $0 > 0 ? "\(TimeText.clock($0)) of audio" : nil }
            let style = console.outputStyle
            try await console.print(
                ([style.bold(file.path)] + [heard].compactMap(\.self)).joined(separator: "\n"), isStyled: true)
        }
    }

    private var object: Object {
        let word: String
        switch ended.end {
        case .finished(let gaps): word = gaps.isEmpty ? "completed" : "incomplete"
        case .stopped: word = "stopped"
        }
        let isWritten = word == "completed"
        return Object(
            status: word, job: plan.job.rawValue, output: isWritten ? target.file?.path : nil,
            provider: installed.name, model: plan.address.model, voice: plan.parameters["voice"]?.text,
            segments: plan.segments.count, completed: ended.finished, reused: ended.progress.reused,
            made: ended.progress.made, characters: plan.characters,
            audioSeconds: isWritten ? ended.progress.audioSeconds : nil,
            failures: gaps.failures.map(NarrationJSON.Failure.init),
            cancelled: gaps.cancelled.map(NarrationJSON.Segment.init),
            held: gaps.held.map(NarrationJSON.Segment.init),
            elapsedSeconds: (ended.progress.elapsed * 1000).rounded() / 1000)
    }
}
