import Foundation
import HTTPTypes
public import Hablare

/// A provider that speaks texts with the API `audio/speech`. It streams the sound while the service generates it.
///
/// Parameters of a request:
/// - `voice`: default `alloy`. A name that begins with `voice_` is one of the account's own voices.
/// - `format`: `mp3` (the default), `wav`, `flac`, `opus`, `aac`, `pcm`. The names of ElevenLabs' formats, such as
///   `mp3_44100_128`, are also accepted, so that this provider can be the fallback of a request to ElevenLabs. Such a
///   name selects the same kind of file (see ``SoundFormat/audioFormat``). Its rates are ignored, because the API has
///   no rates.
/// - `speed`: 0.25 to 4.
/// - `instructions`: the manner of speaking. The model `tts-1` does not accept them.
/// - `previous_text`, `next_text` and `language`: accepted and ignored, because the API has no equivalent.
/// - `extra`: additional members of the body, sent unchanged.
///
/// The format of the answer is found from the first bytes of the sound, because some compatible servers cannot make all
/// formats, or do not know the parameter. The format is reported when the answer is complete. A reader of the stream
/// can find it from the bytes. If the format of the first bytes is unknown, the requested format is assumed.
///
/// An answer's metadata (``/Hablare/AnswerMetadata``) has the request id, the model and the voice. For `pcm`, it also
/// has the sample rate: 24,000. `pcm` has 16 bits, one channel, little endian, and no header. The usage is the number
/// of Unicode scalars in the text and the number of bytes of the sound. The cost is known for models that have a price
/// per character.
public struct OpenAISpeechProvider: AIServiceProvider, RequestChecking {
    /// The voices that every account has.
    public static let voices = [
        "alloy", "ash", "ballad", "cedar", "coral", "echo", "fable", "marin", "nova", "onyx", "sage", "shimmer",
        "verse",
    ]
    /// The formats, the default first.
    public static let formats = ["mp3", "wav", "flac", "opus", "aac", "pcm"]

    /// The name under which the provider is registered.
    public let id: ProviderID
    /// The model for requests that do not name a model.
    public let model: String
    private let service: OpenAIService
    private let voice: String
    private let timeout: Duration

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: The name under which the provider is registered.
    ///   - service: The service that offers the models.
    ///   - model: The model for requests that do not name a model.
    ///   - voice: The voice for requests that do not name a voice. Default: `alloy`.
    ///   - timeout: The timeout of an attempt, unless a request sets one. Default: 5 minutes.
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

    /// The provider's identity: `openai`, the base URL, the API, and the model and the voice for requests that do
    /// not name them.
    public var instance: ProviderInstance { service.instance("speech \(voice)", model: model) }
    /// The model for requests that do not name a model. This is the value of ``model``.
    public var defaultModel: String? { model }
    /// Always audio.
    public var responseType: ContentType { .audio }
    /// The service's limits, with this provider's timeout and the API's limit of 4,096 characters.
    public var limits: ProviderLimits { service.limits(timeout: timeout, maximumCharacters: 4096) }
    /// The service's account for speech.
    public var account: AccountID { service.account(of: "speech") }

    /// Returns an upper bound of the usage: the number of the text's Unicode scalars. Returns `nil` if `extra` has a
    /// member that, according to the API's reference, may change the price.
    public func maximumUsage(of request: AIRequest) -> Usage? {
        service.maximumUsage { () throws(AIServiceError) in
            let plan = try plan(of: request)
            return plan.isBounded ? Usage(characters: Int64(plan.text.unicodeScalars.count)) : nil
        }
    }

    /// Speaks a text once.
    ///
    /// Fails with ``/Hablare/AIServiceError/Code/invalidRequest`` for an unknown or invalid parameter, and for a prompt
    /// that has content other than text. Its other errors are those of ``OpenAIChatProvider/generate(_:)``. Pieces that
    /// were yielded before a failure are not taken back. Cancelling the task ends the transfer.
    public func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
        await Result(of: call, by: answer)
    }

    /// Returns the service call for a request.
    private func plan(of request: AIRequest) throws(AIServiceError) -> OpenAISpeechRequest {
        try service.checkIsOffered(request.model ?? model)
        return try OpenAISpeechRequest(request, model: model, voice: voice, of: id)
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
