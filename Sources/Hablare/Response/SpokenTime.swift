/// The time at which a word, a sentence or a segment is spoken.
public struct SpokenTime: Sendable, Hashable, Codable {
    /// The text that is spoken. A word has no punctuation around it.
    public var text: String
    /// The time at which the text begins, in seconds from the beginning of the audio.
    public var start: Double
    /// The time at which the text ends, in seconds from the beginning of the audio.
    public var end: Double
    /// The label of the speaker, as the service gives it, such as `A` or `speaker_0`. `nil` if the service does not
    /// distinguish speakers.
    public var speaker: String?

    /// Creates a time.
    public init(text: String, start: Double, end: Double, speaker: String? = nil) {
        self.text = text
        self.start = start
        self.end = end
        self.speaker = speaker
    }

    /// Returns times as the text of ``AnswerMetadata/wordTimes``, or `nil` if there are no times. The text is a JSON
    /// list of objects with `text`, `start` and `end`. The times are in seconds, rounded to milliseconds.
    package static func metadata(_ times: [SpokenTime]) throws(AIServiceError) -> String? {
        try AnswerMetadata.text(
            of: times.map {
                SpokenTime(text: $0.text, start: rounded($0.start), end: rounded($0.end), speaker: $0.speaker)
            })
    }

    private static func rounded(_ seconds: Double) -> Double { (seconds * 1000).rounded() / 1000 }
}

extension AIResponseData {
    /// The times at which each word is spoken, in order. Empty if the provider did not report the times.
    ///
    /// - Throws: ``AIServiceError/Code/invalidResponse`` if the metadata is not in the form that providers write.
    public var wordTimes: [SpokenTime] {
        get throws(AIServiceError) { try list(in: AnswerMetadata.wordTimes) }
    }

    /// The times at which each segment of transcribed speech is spoken, in order. A segment is a few words long, like a
    /// subtitle. Empty if the provider did not report segments.
    ///
    /// - Throws: ``AIServiceError/Code/invalidResponse`` if the metadata is not in the form that providers write.
    public var segmentTimes: [SpokenTime] {
        get throws(AIServiceError) { try list(in: AnswerMetadata.segmentTimes) }
    }

    /// The times at which each sentence is spoken, in order. Empty if the provider did not report the times.
    ///
    /// - Throws: ``AIServiceError/Code/invalidResponse`` if the metadata is not in the form that providers write.
    public var sentenceTimes: [SpokenTime] {
        get throws(AIServiceError) { try list(in: AnswerMetadata.sentenceTimes) }
    }
}
