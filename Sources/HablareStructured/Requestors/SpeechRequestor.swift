public import Foundation
public import Hablare

/// The settings for speech. Only settings that you set are sent. For a setting that is `nil` or empty, the provider's
/// default applies.
///
/// ```swift
/// let configuration = SpeechConfiguration(
///     voice: "nova", speed: 1.1, format: "mp3", instructions: "Like an old friend.", language: "en", timestamps: true)
/// ```
public struct SpeechConfiguration: Sendable, Hashable {
    /// The name of the voice, as the provider names it. For example, `nova`.
    public var voice: String?
    /// The speed as a multiple of the usual speed, between 0.25 and 4. A provider may accept a smaller range. For
    /// example, 1.25 for speech that is a quarter faster.
    public var speed: Double?
    /// The name of the audio format, as the provider names it, such as `mp3`, `wav` or `mp3_44100_128`.
    public var format: String?
    /// Instructions for the manner of speaking, such as `like an old friend`.
    public var instructions: String?
    /// The language, as a BCP 47 tag such as `de` or `pt-BR`.
    public var language: String?
    /// Whether the provider should report the times at which each word and each sentence is heard. Default: `false`.
    /// For example, `true` to highlight each word while it is heard.
    public var timestamps: Bool
    /// A seed that makes answers repeatable. Not all providers support it. For example, 7 in a test.
    public var seed: Int?
    /// Further parameters for the provider. They are added unchanged to the sent request. For example,
    /// `["stability": 0.4]`.
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

    /// Returns the parameters of the requestor's requests.
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

/// A requestor for speech: the audio of a spoken text.
public struct SpeechRequestor: Requestor, Hashable {
    /// Speech audio, with the times of its words and sentences.
    public struct Output: Sendable, Hashable {
        /// The audio's bytes.
        public var value: Body
        /// The format of the bytes.
        public var format: AudioFormat
        /// The time of each word. Empty if the provider reports no times.
        public var words: [SpokenTime]
        /// The time of each sentence. Empty if the provider reports no times.
        public var sentences: [SpokenTime]
        /// The whole response, with usage, metadata and provider.
        public var response: AIResponseData
    }

    /// The requestor's name.
    public let id: RequestorID
    /// The settings for speech.
    public let configuration: SpeechConfiguration
    private let parameters: [String: ParameterValue]

    /// Creates a requestor.
    ///
    /// - Parameters:
    ///   - id: A name of the form `provider.speech.model`.
    ///   - configuration: The settings for speech. Default: those of the provider.
    /// - Throws: ``/Hablare/AIServiceError`` with code `invalidConfiguration` if the id is not valid for speech. Code
    ///   `invalidRequest` if a setting is out of its range.
    public init(_ id: String, _ configuration: SpeechConfiguration = SpeechConfiguration()) throws(AIServiceError) {
        self.id = try RequestorID(id, of: .speech)
        self.configuration = configuration
        parameters = try configuration.parameters()
    }

    /// Creates a request to speak a prompt's plain text.
    public func request(_ prompt: Prompt, id: UUID) throws(AIServiceError) -> AIRequest {
        try request(prompt, after: nil, before: nil, id: id)
    }

    /// Creates a request to speak a text that is a part of a longer text. The surrounding text tells the service how to
    /// speak the part, so that the parts sound continuous together.
    ///
    /// - Parameters:
    ///   - prompt: The prompt whose plain text is spoken.
    ///   - previous: The text before the prompt, which another request speaks. `nil` if there is none.
    ///   - next: The text after the prompt, which another request speaks. `nil` if there is none.
    ///   - id: The request's UUID. Default: a new UUID.
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` if the text is empty.
    public func request(
        _ prompt: Prompt, after previous: String?, before next: String?, id: UUID = .timeOrdered()
    ) throws(AIServiceError) -> AIRequest {
        let text = prompt.plainText
        guard !text.allSatisfy(\.isWhitespace) else {
            throw AIServiceError(.invalidRequest, "The text to speak is empty. Pass a text that has words.")
        }
        var writer = ParameterWriter()
        try writer.set("previous_text", previous)
        try writer.set("next_text", next)
        return AIRequest(
            id: id, prompt: .text(text), model: self.id.model,
            parameters: parameters.merging(writer.parameters) { _, new in new })
    }

    /// Reads audio from a response.
    @concurrent public func output(of response: AIResponseData) async throws -> Output {
        guard case .audio(let body, let format) = try response.content else {
            throw AIServiceError.wrongKind(try response.content.type, wanted: "sound")
        }
        return Output(
            value: body, format: format, words: try response.wordTimes, sentences: try response.sentenceTimes,
            response: response)
    }
}
