public import Foundation
public import Hablare
package import LecternTexts

/// The voice of an export, and what speaks with it.
public struct ExportVoice: Sendable {
    /// The narrator.
    public var narrator: ChapterNarrator
    /// The voice.
    public var voice: NarrationVoice
    /// Whether the number of each verse is spoken.
    public var speaksNumbers: Bool

    /// Creates the voice of an export.
    public init(_ narrator: ChapterNarrator, voice: NarrationVoice = .espeak, speaksNumbers: Bool = false) {
        self.narrator = narrator
        self.voice = voice
        self.speaksNumbers = speaksNumbers
    }

    /// Returns an estimate of what an export costs. Show it before a paid voice exports.
    ///
    /// - Throws: ``ExportError``, and the errors of the database and of the audio store.
    @concurrent public func cost(
        of export: TextExport, prices: PriceTable = .shipped, at date: Date
    ) async throws -> NarrationCost {
        var cost = NarrationCost()
        for id in try await export.parts().flatMap(\.chapters) {
            try Task.checkCancellation()
            let script = script(of: try await export.chapter(id), text: export.text.id)
            cost.add(try await narrator.cost(of: script, by: voice, prices: prices, at: date))
        }
        return cost
    }

    func script(of chapter: Chapter, text: String) -> ChapterScript {
        ChapterScript(chapter, of: text, speaksNumbers: speaksNumbers, limit: narrator.limit(of: voice))
    }

    /// The number of chapters that are narrated at a time, so that no core waits for the last verse of a chapter: 3.
    static let window = 3

    /// Passes chapters with their speech on, in their order. Speech is made ahead for the chapters that follow.
    func forEachChapter(
        _ chapters: [ChapterID], of export: TextExport, _ receive: (ChapterSpeech) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: (Int, ChapterSpeech).self) { group in
            var (started, next) = (0, 0)
            var waiting: [Int: ChapterSpeech] = [:]
            while next < chapters.count {
                while started < chapters.count, started < next + Self.window {
                    let (index, id) = (started, chapters[started])
                    started += 1
                    group.addTask { (index, try await speech(of: export.chapter(id), text: export.text.id)) }
                }
                guard let (index, speech) = try await group.next() else { return }
                waiting[index] = speech
                while let speech = waiting.removeValue(forKey: next) {
                    next += 1
                    try await receive(speech)
                }
            }
        }
    }

    /// Returns the audio of a chapter and its timeline. The audio is made if it is missing.
    package func speech(of chapter: Chapter, text: String) async throws -> ChapterSpeech {
        let script = script(of: chapter, text: text)
        let narration = try await narrator.narrate(script, by: voice, for: .ahead)
        return try await BlockingAudioWork.run { [audio = narrator.audio] in
            var speech = EncodedSpeech()
            var durations: [Int?] = []
            for segment in narration.audio {
                // A small cache may have removed the first verses already: a chapter has to fit into it.
                guard let segment else {
                    durations.append(nil)
                    continue
                }
                guard let verse = try audio.speech(for: segment.key) else {
                    throw ExportError(
                        code: .silent,
                        message: "The audio cache is too small for \(chapter.id). Make it larger, and export again.")
                }
                speech.append(verse)
                durations.append(verse.milliseconds)
            }
            return ChapterSpeech(
                chapter: chapter, speech: speech, timeline: ChapterTimeline(script, durations: durations),
                problems: narration.problems)
        }
    }
}

/// A chapter with its audio.
package struct ChapterSpeech: Sendable {
    let chapter: Chapter
    package let speech: EncodedSpeech
    package let timeline: ChapterTimeline
    package let problems: [NarrationProblem]
}

/// The result of an export.
public struct ExportReport: Sendable, Hashable {
    /// The number of chapters.
    public var chapters = 0
    /// The duration of the audio in milliseconds; 0 without audio.
    public var milliseconds = 0
    /// The verses that the voice could not read. They are in the text, but not in the audio.
    public var problems: [NarrationProblem] = []
}
