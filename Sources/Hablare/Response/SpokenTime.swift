/// When a word or a sentence is spoken.
public struct SpokenTime: Sendable, Hashable, Codable {
    /// What is spoken. A word has no punctuation around it.
    public var text: String
    /// When it begins, in seconds from the beginning of the sound.
    public var start: Double
    /// When it ends, in seconds from the beginning of the sound.
    public var end: Double

    /// Creates a time.
    public init(text: String, start: Double, end: Double) {
        self.text = text
        self.start = start
        self.end = end
    }

    /// Times as the text of ``AnswerMetadata/wordTimes``: a JSON list of objects with `text`, `start` and `end`,
    /// in seconds and whole milliseconds. `nil` for none.
    package static func metadata(_ times: [SpokenTime]) throws(AIServiceError) -> String? {
        try AnswerMetadata.text(
            of: times.map { SpokenTime(text: $0.text, start: rounded($0.start), end: rounded($0.end)) })
    }

    private static func rounded(_ seconds: Double) -> Double { (seconds * 1000).rounded() / 1000 }
}

extension AIResponseData {
    /// When each word is spoken, in order; empty where the provider did not say.
    ///
    /// - Throws: ``AIServiceError/Code/invalidResponse`` where the metadata is none of a provider's making.
    public var wordTimes: [SpokenTime] {
        get throws(AIServiceError) { try list(in: AnswerMetadata.wordTimes) }
    }

    /// When each sentence is spoken, in order; empty where the provider did not say.
    ///
    /// - Throws: ``AIServiceError/Code/invalidResponse`` where the metadata is none of a provider's making.
    public var sentenceTimes: [SpokenTime] {
        get throws(AIServiceError) { try list(in: AnswerMetadata.sentenceTimes) }
    }
}
