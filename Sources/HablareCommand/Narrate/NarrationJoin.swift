import Foundation
import Hablare
import HablareAudio
import HablareSpeech

struct NarrationJoin: Sendable {
    let plan: NarrationPlan
    let files: NarrationFiles
    let manager: AIRequestManager
    let data: DataOptions

    /// Writes the audio and the timeline. Each file gets its name only when it is complete.
    @concurrent func run(_ ids: [UUID]) async throws -> JoinedAudio {
        let joiner = try AudioJoiner(
            output: try OutputDestination(files.output).url,
            container: try AudioContainer(fileExtension: files.output.pathExtension))
        defer { joiner.cancel() }
        for (index, id) in ids.enumerated() {
            try Task.checkCancellation()
            do {
                guard let response = try await manager.response(for: id), let source = try AudioSource(response) else {
                    throw AIServiceError(.contentMissing, "The audio is missing.")
                }
                try joiner.append(source)
            } catch let error as AIServiceError {
                guard let problem = error.contentProblem else { throw error }
                throw try await unusable(ids, from: index, problem)
            } catch let error as AudioError where error.sourceIndex != nil {
                throw try await unusable(ids, from: index, error.message)
            }
        }
        let joined = try joiner.finish()
        try write(joined)
        return joined
    }

    private func write(_ joined: JoinedAudio) throws {
        let clips = zip(plan.segments, joined.parts).map { segment, part in
            Timeline.Clip(segment: segment, startFrame: part.startFrame, frameCount: part.frameCount)
        }
        let timeline = try Timeline(
            audioFile: files.output.lastPathComponent, sampleRate: joined.properties.sampleRate,
            frameCount: joined.properties.frameCount, clips: clips)
        do {
            try timeline.json().write(to: try OutputDestination(files.timeline).url, options: .atomic)
        } catch let error as CocoaError {
            throw CommandFailure(
                .inputOutput, "\(files.timeline.path) cannot be written: \(error.localizedDescription)")
        }
    }

    /// Returns the failure for a segment whose audio cannot be joined, together with later segments that cannot be
    /// read.
    private func unusable(_ ids: [UUID], from first: Int, _ reason: String) async throws -> CommandFailure {
        var found = [(index: first, id: ids[first])]
        for (index, id) in ids.enumerated().dropFirst(first + 1) {
            try Task.checkCancellation()
            if try await !isReadable(id) { found.append((index: index, id: id)) }
        }
        return CommandFailure(unusable: "The audio", of: "segment", found, total: ids.count, reason, data)
    }

    private func isReadable(_ id: UUID) async throws -> Bool {
        do {
            guard let response = try await manager.response(for: id), let source = try AudioSource(response) else {
                return false
            }
            return try AudioInspector().properties(of: source).frameCount > 0
        } catch is AudioError {
            return false
        } catch let error as AIServiceError where error.contentProblem != nil {
            return false
        }
    }
}
