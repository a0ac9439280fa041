import Foundation
import Hablare
import LecternTexts

/// The requests of a chapter's narration: a job with one request for each piece of each verse.
struct ChapterJob: Sendable {
    let script: ChapterScript
    let voice: NarrationVoice
    let instance: ProviderInstance
    /// The job's key, a hash of everything on which the audio depends.
    let key: JobKey
    /// The position of each segment's first piece in the job.
    let positions: [Int]

    init(_ script: ChapterScript, voice: NarrationVoice, instance: ProviderInstance) {
        self.script = script
        self.voice = voice
        self.instance = instance
        let texts = script.segments.flatMap { [Data(String($0.verse).utf8)] + $0.pieces.map { Data($0.utf8) } }
        key = .hashing(
            voice.identityParts(instance) + [Data(script.text.utf8), Data(script.chapter.description.utf8)] + texts)
        var position = 0
        positions = script.segments.map { segment in
            defer { position += segment.pieces.count }
            return position
        }
    }

    func audioKey(_ index: Int) -> VerseAudioKey {
        VerseAudioKey(script.segments[index], voice: voice, instance: instance)
    }

    /// Returns the request for a piece of a segment.
    func request(_ index: Int, piece: Int, id: UUID, priority: Priority) -> AIRequest {
        let segment = script.segments[index]
        return AIRequest(
            id: id, prompt: .text(segment.pieces[piece]), parameters: voice.requestParameters, priority: priority,
            keepUntilMerged: true,
            metadata: ["text": script.text, "verse": "\(script.chapter).\(segment.verse)"],
            tags: ["lectern", "text \(script.text.prefix(100))"])
    }

    /// Returns segments as runs of neighbours, so that each run can be submitted as one batch.
    static func runs(_ indices: [Int]) -> [Range<Int>] {
        indices.reduce(into: []) { runs, index in
            if let last = runs.last, last.upperBound == index {
                runs[runs.count - 1] = last.lowerBound..<(index + 1)
            } else {
                runs.append(index..<(index + 1))
            }
        }
    }
}
