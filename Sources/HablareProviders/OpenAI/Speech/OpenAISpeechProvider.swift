import Foundation
import HTTPTypes
public import Hablare

/// Speech by `audio/speech`: text in, sound out, byte by byte as it is made.
///
/// Parameters of a request: `voice` (default `alloy`; a name that begins with `voice_` is one of the account's own), `format`
/// (`mp3`, the default, `wav`, `flac`, `opus`, `aac`, `pcm`; a format of ElevenLabs, such as `mp3_44100_128`, is the one with
/// the same kind of file, see ``SoundFormat/audioFormat``, because the API has no rates, and a request may fall back on it),
/// `speed` (0.25…4), `instructions` (how to speak; not with `tts-1`), `extra`. `previous_text`, `next_text` and `language`
/// are taken and not used: the API has nothing like them.
///
/// The answer's format is that of the sound which came, by its first bytes: not every server that speaks like OpenAI makes
/// all formats, or knows that there are any. It is said when the answer is whole; who reads along has the bytes themselves.
/// Sound that begins like nothing known counts as what was asked for.
///
/// Metadata of an answer: ``/Hablare/AnswerMetadata`` request id, model, voice, and for `pcm` the sample rate: 24,000, 16 bits,
/// one channel, little endian, no header. Usage is the text's Unicode scalars and the sound's bytes: what it cost is known
/// for models with a price by character.
public struct OpenAISpeechProvider: AIServiceProvider, RequestChecking {
    /// The voices that every account has.
    public static let voices = [
        "alloy", "ash", "ballad", "cedar", "coral", "echo", "fable", "marin", "nova", "onyx", "sage", "shimmer",
        "verse",
    ]
    /// The formats, the default first.
    public static let formats = ["mp3", "wav", "flac", "opus", "aac", "pcm"]

    /// The name it is registered under.
    public let id: ProviderID
    /// The model for requests that name none.
    public let model: String
    private let service: OpenAIService
    private let voice: String
    private let timeout: Duration

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: The name it is registered under.
    ///   - service: Where the models are.
    ///   - model: The model for requests that name none.
    ///   - voice: The voice for requests that name none. Default: `alloy`.
    ///   - timeout: How long an attempt may take unless a request says otherwise. Default: 5 minutes.
    public init(
        _ id: ProviderID, service: OpenAIService, model: String, voice: String = "alloy",
        timeout: Duration = .seconds(300)
    ) {
        self.id = id
        self.service = service
        self.model = model
        self.voice = voice
        self.timeout = timeout
    }

    /// `openai`, the base URL, the API, the model and the voice for requests that name none.
    public var instance: ProviderInstance { service.instance("speech \(voice)", model: model) }
    /// ``model``.
    public var defaultModel: String? { model }
    /// Sound.
    public var responseType: ContentType { .audio }
    /// The service's, with the timeout and the API's limit of 4,096 characters.
    public var limits: ProviderLimits { service.limits(timeout: timeout, maximumCharacters: 4096) }
    /// The service's account for speech.
    public var account: AccountID { service.account(of: "speech") }

    /// The text's Unicode scalars; not known where `extra` has a member of which the API's reference does not say that it
    /// leaves the price as it is.
    public func maximumUsage(of request: AIRequest) -> Usage? {
        service.maximumUsage { () throws(AIServiceError) in
            let plan = try plan(of: request)
            return plan.isBounded ? Usage(characters: Int64(plan.text.unicodeScalars.count)) : nil
        }
    }

    /// Has a text spoken once.
    ///
    /// Fails with ``/Hablare/AIServiceError/Code/invalidRequest`` (parameters, a prompt that is not only text) and otherwise
    /// as ``OpenAIChatProvider/generate(_:)``. What came before a failure stays yielded. Cancelling the task ends the
    /// transfer.
    public func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
        await Result(of: call, by: answer)
    }

    /// The call that a request becomes.
    private func plan(of request: AIRequest) throws(AIServiceError) -> OpenAISpeechRequest {
        try OpenAISpeechRequest(request, model: model, voice: voice, of: id)
    }

    private func answer(_ call: ProviderCall) async throws(AIServiceError) -> ProviderAnswer {
        let request = try plan(of: call.request)
        let outgoing = try ServiceRequest.post(
            ["audio", "speech"], json: request.body, accepts: ["audio", "application/octet-stream"])
        let answer = try await service.client.send(outgoing, for: call)
        var byteCount = 0
        var beginning = Data()
        try await answer.forEachPiece { piece in
            byteCount += piece.count
            beginning.append(piece.prefix(MagicBytes.count - beginning.count))
            try await call.yield(piece)
        }
        if let length = answer.fields[.contentLength].flatMap({ Int($0) }), byteCount < length {
            throw answer.brokenOff()
        }
        guard byteCount > 0 else { throw answer.unreadable("no sound") }
        var metadata = [AnswerMetadata.voice: request.voice, AnswerMetadata.model: request.model]
        metadata[AnswerMetadata.requestID] = answer.requestID
        let format = AudioFormat(of: beginning, askedFor: AudioFormat(rawValue: request.format))
        if format.rawValue == "pcm" { metadata[AnswerMetadata.sampleRate] = "24000" }
        let usage = Usage(characters: Int64(request.text.unicodeScalars.count), bytes: Int64(byteCount))
        return ProviderAnswer(streamed: .audio(format), metadata: metadata, usage: service.charged(usage))
    }

    package func check(_ request: AIRequest) throws(AIServiceError) { _ = try plan(of: request) }
}
