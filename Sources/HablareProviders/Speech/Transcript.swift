import Foundation
package import Hablare
import HablareJSON

/// Transcribed speech, in a form that is the same for all services.
package struct Transcript: Sendable, Hashable {
    /// The whole text, without surrounding white space. Empty for audio without speech.
    package var text: String
    /// The times of words; empty if the service reports none.
    package var words: [SpokenTime]
    /// The times of segments; empty if the service reports none.
    package var segments: [SpokenTime]
    /// The language, as the service names it.
    package var language: String?
    /// The length of the audio in seconds, if the service reports it.
    package var seconds: Double?

    /// Creates a transcript.
    package init(
        text: String, words: [SpokenTime] = [], segments: [SpokenTime] = [], language: String? = nil,
        seconds: Double? = nil
    ) {
        self.text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        self.words = words
        self.segments = segments
        self.language = language
        self.seconds = seconds
    }

    /// The maximum length of audio that a server may report, in seconds: ten years. A longer length is an error of the
    /// server.
    private static let longest = 3e8

    /// The length of the audio in milliseconds; 0 if it is unknown.
    var milliseconds: Int64 {
        guard let seconds, (0...Self.longest).contains(seconds) else { return 0 }
        return Int64((seconds * 1000).rounded())
    }

    /// The times and the language as an answer's metadata.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidResponse`` for a time that is not a number.
    func metadata() throws(AIServiceError) -> [String: String] {
        var metadata: [String: String] = [:]
        metadata[AnswerMetadata.wordTimes] = try SpokenTime.metadata(words)
        metadata[AnswerMetadata.segmentTimes] = try SpokenTime.metadata(segments)
        metadata[AnswerMetadata.language] = language
        if milliseconds > 0 { metadata[AnswerMetadata.audioSeconds] = "\(Double(milliseconds) / 1000)" }
        return metadata
    }
}

extension Transcript {
    /// Joins the times of words into segments. A segment has the length of a subtitle.
    ///
    /// A segment ends in these cases:
    ///
    /// - after a sentence;
    /// - before a pause of a second;
    /// - before another speaker;
    /// - before it would have more than 84 characters (two subtitle lines of 42 characters);
    /// - before it would take more than 7 seconds.
    ///
    /// - Parameter words: The times of words. The words include their punctuation.
    package static func segments(of words: [SpokenTime]) -> [SpokenTime] {
        var segments: [SpokenTime] = []
        for word in words where !word.text.allSatisfy(\.isWhitespace) {
            let text = word.text.trimmingCharacters(in: .whitespacesAndNewlines)
            if var last = segments.last, last.isContinued(by: word, text) {
                last.text += " " + text
                last.end = max(last.end, word.end)
                segments[segments.count - 1] = last
            } else {
                segments.append(SpokenTime(text: text, start: word.start, end: word.end, speaker: word.speaker))
            }
        }
        return segments
    }
}

extension SpokenTime {
    fileprivate func isContinued(by word: SpokenTime, _ next: String) -> Bool {
        guard speaker == word.speaker, word.start - end < 1, word.end - start <= 7,
            text.count + 1 + next.count <= 84, let last = text.last
        else { return false }
        return !".!?。!?…".contains(last)
    }
}

extension ParameterValue {
    /// Returns the times in a list of objects that have a text, a start and an end in seconds. Entries without a text,
    /// or with times that are not numbers, are left out, so that the rest of a billed transcript is still used.
    ///
    /// - Parameters:
    ///   - name: The name of the member with the text.
    ///   - speaker: The name of the member with the speaker. Default: none.
    func spokenTimes(_ name: String, speaker: String? = nil) -> [SpokenTime] {
        elements.compactMap { entry in
            guard let text = entry[member: name]?.string, let start = entry[member: "start"]?.number,
                let end = entry[member: "end"]?.number, start.isFinite, end.isFinite
            else { return nil }
            return SpokenTime(
                text: text.trimmingCharacters(in: .whitespacesAndNewlines), start: max(0, start), end: max(start, end),
                speaker: speaker.flatMap { entry[member: $0]?.string })
        }
    }
}
