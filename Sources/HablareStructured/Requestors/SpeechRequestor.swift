public import Foundation
public import Hablare

/// How a text is spoken. Only what is set is sent; what is `nil` or empty is as the provider has it.
public struct SpeechConfiguration: Sendable, Hashable {
    /// Whose voice, as the provider names it.
    public var voice: String?
    /// How fast, as a multiple of the usual speed, between 0.25 and 4; providers may take less of that.
    public var speed: Double?
    /// The format of the sound, as the provider names it: `mp3`, `wav`, `mp3_44100_128` …
    public var format: String?
    /// How to speak, in words: `like an old friend`.
    public var instructions: String?
    /// The language, as a BCP 47 tag: `de`, `pt-BR`.
    public var language: String?
    /// Whether to say when each word and sentence is heard. Default `false`.
    public var timestamps: Bool
    /// Makes answers repeat themselves, as far as the provider can.
    public var seed: Int?
    /// What the provider understands beyond: merged into what is sent, as it is.
    public var extra: [String: ParameterValue]

    /// Creates a configuration.
    public init(
        voice: String? = nil, speed: Double? = nil, format: String? = nil, instructions: String? = nil,
        language: String? = nil, timestamps: Bool = false, seed: Int? = nil, extra: [String: ParameterValue] = [:]
    ) {
        self.voice = voice
        self.speed = speed
        self.format = format
        self.instructions = instructions
        self.language = language
        self.timestamps = timestamps
        self.seed = seed
        self.extra = extra
    }

    /// The parameters of its requests.
    func parameters() throws(AIServiceError) -> [String: ParameterValue] {
        var writer = ParameterWriter()
        try writer.set("voice", voice)
        try writer.set("speed", speed, in: 0.25...4)
        try writer.set("format", format)
        try writer.set("instructions", instructions)
        try writer.set("language", language)
        if timestamps { writer.set("timestamps", true) }
        try writer.set("seed", seed, in: Int.min...Int.max)
        writer.setExtra(extra)
        return writer.parameters
    }
}

/// Asks a voice to speak a text.
public struct SpeechRequestor: Requestor, Hashable {
    /// A sound, and what is heard when.
    public struct Output: Sendable, Hashable {
        /// The sound's bytes.
        public var value: Body
        /// Their format.
        public var format: AudioFormat
        /// When each word is heard; empty where the provider does not say.
        public var words: [SpokenTime]
        /// When each sentence is heard; empty where the provider does not say.
        public var sentences: [SpokenTime]
        /// The whole response: usage, metadata, who answered.
        public var response: AIResponseData
    }

    /// Its name.
    public let id: RequestorID
    /// How texts are spoken.
    public let configuration: SpeechConfiguration
    private let parameters: [String: ParameterValue]

    /// Creates a requestor.
    ///
    /// - Parameters:
    ///   - id: `provider.speech.model`.
    ///   - configuration: How texts are spoken. Default: as the provider has it.
    /// - Throws: ``/Hablare/AIServiceError``: `invalidConfiguration` where the id is none for speech; `invalidRequest` where a
    ///   setting is out of its range.
    public init(_ id: String, _ configuration: SpeechConfiguration = SpeechConfiguration()) throws(AIServiceError) {
        self.id = try RequestorID(id, of: .speech)
        self.configuration = configuration
        parameters = try configuration.parameters()
    }

    /// A request to speak a prompt's plain text.
    public func request(_ prompt: Prompt, id: UUID) throws(AIServiceError) -> AIRequest {
        try request(prompt, after: nil, before: nil, id: id)
    }

    /// A request to speak a text that stands between others, so that it sounds as a part of the whole.
    ///
    /// - Parameters:
    ///   - prompt: What is spoken: its plain text.
    ///   - previous: What is spoken before it, in another request; `nil` for nothing.
    ///   - next: What is spoken after it, in another request; `nil` for nothing.
    ///   - id: The request's UUID. Default: a new one.
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` where there is nothing to speak.
    public func request(
        _ prompt: Prompt, after previous: String?, before next: String?, id: UUID = .timeOrdered()
    ) throws(AIServiceError) -> AIRequest {
        let text = prompt.plainText
        guard !text.allSatisfy(\.isWhitespace) else {
            throw AIServiceError(.invalidRequest, "There is nothing to speak: the text is empty. Give it some words.")
        }
        var writer = ParameterWriter()
        try writer.set("previous_text", previous)
        try writer.set("next_text", next)
        return AIRequest(
            id: id, prompt: .text(text), model: self.id.model,
            parameters: parameters.merging(writer.parameters) { _, new in new })
    }

    /// Reads a sound.
    @concurrent public func output(of response: AIResponseData) async throws -> Output {
        guard case .audio(let body, let format) = try response.content else {
            throw AIServiceError.wrongKind(try response.content.type, wanted: "sound")
        }
        return Output(
            value: body, format: format, words: try response.wordTimes, sentences: try response.sentenceTimes,
            response: response)
    }
}
